import type { Kysely } from 'kysely';
import type { Agreement } from '../federate.ts';
import type { Receipt, SealedReceipt } from '../protocol/messages.ts';
import { requireSite } from './access.ts';
import type { Caller } from './coordinator.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import type { StudySession } from './study-session.ts';
import type { Tables } from './tables.ts';

type Facts = Omit<Receipt, 'schema' | 'privacy'>;

/** The signed receipt of a contribution; the same facts give the same bytes. */
export function receiptOf(
  context: CoordinatorContext,
  agreed: Agreement,
  facts: Facts,
): Promise<SealedReceipt> {
  const receipt: Receipt = { schema: 'suffice/receipt@1', ...facts, ...privacyOf(agreed) };
  return context.checks.sign(receipt, context.signing);
}

/** In a private study: the budget a contribution spends. Numbers are texts, so that all languages sign the same bytes. */
function privacyOf({ method: { noise } }: Agreement): Pick<Receipt, 'privacy'> {
  if (noise === undefined) return {};
  const { mu } = noise.charge('');
  const { epsilon, delta } = noise.terms;
  return { privacy: { epsilon: String(epsilon), delta: String(delta), mu: String(mu) } };
}

/** The receipt facts of a stored contribution; undefined if it is erased or unknown. */
export async function storedReceipt(
  { db, id }: StudySession,
  site: string,
  sequence: number,
): Promise<Facts | undefined> {
  const stored = await receiptFacts(db, id, site);
  return stored.find((facts) => facts.sequence === sequence);
}

/** Receipts of the calling site's stored contributions. */
export async function listReceipts(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
): Promise<readonly SealedReceipt[]> {
  const site = requireSite(caller, id);
  const agreed = await context.agreed(id);
  const stored = await receiptFacts(context.store.db, id, site);
  await context.store.durable();
  return Promise.all(stored.map((facts) => keptReceipt(context, agreed, facts)));
}

/** Receipts that were signed before, by the digest of their log entry: a site may have thousands, and may ask often. */
const kept = new WeakMap<CoordinatorContext, Map<string, SealedReceipt>>();
const MOST_KEPT = 20_000;

async function keptReceipt(
  context: CoordinatorContext,
  agreed: Agreement,
  facts: Facts,
): Promise<SealedReceipt> {
  const receipts = kept.get(context) ?? new Map<string, SealedReceipt>();
  kept.set(context, receipts);
  const known = receipts.get(facts.audit.digest);
  if (known !== undefined) return known;
  const receipt = await receiptOf(context, agreed, facts);
  if (receipts.size >= MOST_KEPT) receipts.delete(receipts.keys().next().value as string);
  receipts.set(facts.audit.digest, receipt);
  return receipt;
}

/** `late` comes from the log, not from the table: accepting a late contribution does not change its receipt. */
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
