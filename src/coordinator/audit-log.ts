import type { Kysely } from 'kysely';
import type { AuditEvent } from '../protocol/audit-event.ts';
import type { AuditEntry, SealedAuditLog } from '../protocol/messages.ts';
import { sealDocument } from '../protocol/signature.ts';
import { requireMember } from './access.ts';
import type { Caller } from './coordinator.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import type { Tables } from './tables.ts';

/** Entries of a study's log from a position onwards, in order. */
export async function auditEntries(
  db: Kysely<Tables>,
  study: string,
  from: number,
  most?: number,
): Promise<AuditEntry[]> {
  const entries = db
    .selectFrom('audit')
    .select(['position', 'at', 'event', 'detail', 'previous', 'digest'])
    .where('study', '=', study)
    .where('position', '>=', from)
    .orderBy('position');
  const rows = await (most === undefined ? entries : entries.limit(most)).execute();
  return rows.map(({ event, detail, ...row }) => ({
    ...row,
    event: event as AuditEvent,
    detail: JSON.parse(detail),
  }));
}

/** The whole log, signed by the coordinator. */
export async function readAuditLog(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
): Promise<SealedAuditLog> {
  requireMember(caller, id);
  const { digest } = await context.agreed(id);
  const entries = await auditEntries(context.store.db, id, 1);
  // An entry that somebody has seen must not be lost in a power cut: the log would look shortened.
  await context.store.durable();
  return sealDocument({ schema: 'suffice/audit-log@1', study: digest, entries }, context.signing);
}
