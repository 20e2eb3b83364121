import type { Kysely } from 'kysely';
import type { Agreement } from '../federate.ts';
import type { Receipt, SealedReceipt } from '../protocol/messages.ts';
import { sealDocument } from '../protocol/signature.ts';
import { requireSite } from './access.ts';
import type { Caller } from './coordinator.ts';
import type { Desk } from './desk.ts';
import type { StudySession } from './study-session.ts';
import type { Tables } from './tables.ts';

type Facts = Omit<Receipt, 'schema' | 'privacy'>;

/** Signs the facts of a contribution; the same facts give the same bytes. */
export function receiptOf(desk: Desk, agreed: Agreement, facts: Facts): SealedReceipt {
  const receipt: Receipt = { schema: 'suffice/receipt@1', ...facts, ...promiseOf(agreed) };
  return sealDocument(receipt, desk.signing);
}

/** What a contribution to a private study spends; as texts, which every language signs alike. */
function promiseOf({ method: { noise } }: Agreement): Pick<Receipt, 'privacy'> {
  if (noise === undefined) return {};
  const { mu } = noise.charge('');
  const { epsilon, delta } = noise.terms;
  return { privacy: { epsilon: String(epsilon), delta: String(delta), mu: String(mu) } };
}

/** The facts of a contribution that is held; undefined where it is not. */
export async function storedReceipt(
  { db, id }: StudySession,
  site: string,
  sequence: number,
): Promise<Facts | undefined> {
  const held = await receiptFacts(db, id, site);
  return held.find((facts) => facts.sequence === sequence);
}

/** Receipts of the calling site's contributions that are still held. */
export async function listReceipts(
  desk: Desk,
  caller: Caller,
  id: string,
): Promise<readonly SealedReceipt[]> {
  const site = requireSite(caller, id);
  const agreed = await desk.agreed(id);
  const held = await receiptFacts(desk.store.db, id, site);
  return held.map((facts) => receiptOf(desk, agreed, facts));
}

/** Whether it came late is as the log says it: being included later does not change a receipt. */
async function receiptFacts(db: Kysely<Tables>, study: string, site: string): Promise<Facts[]> {
  const rows = await db
    .selectFrom('contributions')
    .innerJoin('studies', 'studies.id', 'contributions.study')
    .innerJoin('audit', (join) =>
      join
        .onRef('audit.study', '=', 'contributions.study')
        .onRef('audit.position', '=', 'contributions.audit_position'),
    )
    .select([
      'studies.digest as study',
      'contributions.site',
      'contributions.sequence',
      'contributions.mode',
      'contributions.digest',
      'contributions.bytes',
      'contributions.received_at',
      'audit.position',
      'audit.digest as auditDigest',
      'audit.detail',
    ])
    .where('contributions.study', '=', study)
    .where('contributions.site', '=', site)
    .where('contributions.digest', 'is not', null)
    .orderBy('contributions.sequence')
    .execute();
  return rows.map((row) => ({
    study: row.study,
    site: row.site,
    sequence: row.sequence,
    mode: row.mode,
    digest: row.digest ?? '',
    bytes: row.bytes ?? 0,
    receivedAt: row.received_at,
    late: JSON.parse(row.detail).late === true,
    audit: { position: row.position, digest: row.auditDigest },
  }));
}
