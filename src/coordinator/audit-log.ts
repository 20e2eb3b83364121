import type { Kysely } from 'kysely';
import type { AuditEntry, AuditEvent, SealedAuditLog } from '../protocol/messages.ts';
import { sealDocument } from '../protocol/signature.ts';
import { requirePart } from './access.ts';
import type { Caller } from './coordinator.ts';
import type { Desk } from './desk.ts';
import type { Tables } from './tables.ts';

/** Entries of a study's log from a position on, in order. */
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

/** The whole log under the coordinator's seal. */
export async function readAuditLog(
  desk: Desk,
  caller: Caller,
  id: string,
): Promise<SealedAuditLog> {
  requirePart(caller, id);
  const { digest } = await desk.agreed(id);
  const entries = await auditEntries(desk.store.db, id, 1);
  return sealDocument({ schema: 'suffice/audit-log@1', study: digest, entries }, desk.signing);
}
