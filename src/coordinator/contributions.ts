import type { Agreement } from '../federate.ts';
import type { SealedReceipt } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { SignedContribution } from '../protocol/signed-contribution.ts';
import { type Contribution, contributionLimit } from '../statistic/envelope.ts';
import { rowCount } from '../statistic/statistic.ts';
import { notAllowed, requireSite } from './access.ts';
import { replacedContributions } from './active-contributions.ts';
import { writeBlocks } from './blocks.ts';
import type { Caller, UploadLimits } from './coordinator.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { requireOwnKey, siteOf } from './invitations.ts';
import { keptQuery } from './kept-query.ts';
import { requireStep } from './life.ts';
import { closeIfAllMasked, refuseUnmasked } from './mask-answer.ts';
import { refusePublished } from './minimum-sites.ts';
import { receiptOf, storedReceipt } from './receipts.ts';
import { refuseSpent } from './release.ts';
import { refuseErased } from './retention.ts';
import { refuseOverflow } from './ring-room.ts';
import { eraseContributions, storedContributions } from './stored-contributions.ts';
import { inStudyTogether, isCollecting, type StudySession } from './study-session.ts';
import type { SitesTable } from './tables.ts';

const stateOf = keptQuery((db) =>
  db
    .selectFrom('sites')
    .innerJoin('studies', 'studies.id', 'sites.study')
    .select([
      'sites.state',
      'sites.next_sequence',
      'studies.state as studyState',
      'studies.erased_at',
    ])
    .where('sites.study', '=', '')
    .where('sites.name', '=', ''),
);

/** Bytes below which a file is read before its site is looked up: the write that stores it looks again anyway. */
const READ_AT_ONCE = 65_536;

/**
 * How much the site may send now. Refuses before any byte is read if it may send nothing, unless `announced` says that there
 * are few bytes: those are refused after they were read.
 */
export async function uploadLimits(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  announced: number = Number.POSITIVE_INFINITY,
): Promise<UploadLimits> {
  const site = requireSite(caller, id);
  const agreed = await context.agreed(id);
  if (announced <= READ_AT_ONCE) {
    context.checking.admit(id, site);
    return { limit: contributionLimit(agreed.layout) };
  }
  const row = await stateOf(context.store, id, site);
  if (row === undefined) throw notAllowed('the site is not part of the study');
  requireStep('contribute', row.studyState);
  refuseErased(row);
  refuseRevoked(row);
  context.checking.admit(id, site);
  // A site that has contributed may send the same file again to get its receipt.
  if (row.next_sequence === 1) await refuseSpent(context, context.store.db, agreed, id);
  return { limit: contributionLimit(agreed.layout) };
}

/** Stores a contribution, or recognises a repeated one; returns after the commit. */
export async function contribute(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  file: Uint8Array,
  arrived: 'whole' | 'in blocks' = 'whole',
): Promise<{ readonly receipt: SealedReceipt; readonly created: boolean }> {
  const site = requireSite(caller, id);
  const { contribution, digest } = await readSigned(context, id, site, file);
  if (contribution.site !== site) throw notAllowed('the contribution was made for another site');
  return storeSigned(context, id, contribution, { file, digest, arrived });
}

/** Stores a contribution whose signature is valid; `first` runs in the same write, before everything else. */
export async function storeSigned(
  context: CoordinatorContext,
  id: string,
  contribution: SignedContribution,
  { file, digest, arrived }: SentFile,
  first: (session: StudySession) => Promise<void> = async () => {},
): Promise<{ readonly receipt: SealedReceipt; readonly created: boolean }> {
  const agreed = await context.agreed(id);
  const { site, sequence, mode } = contribution;
  const alone = !isSimple(context, agreed, contribution, file, arrived);
  const outcome = await inStudyTogether(context, id, site, async (session) => {
    if (alone) await session.save();
    requireStep('contribute', session.study.state);
    await first(session);
    const known = await siteOf(session, site);
    refuseRevoked(known);
    requireOwnKey(known, contribution.seal.key);
    if (sequence < known.next_sequence) {
      await session.save();
      const stored = await storedReceipt(session, site, sequence);
      if (stored?.digest === digest) return { receipt: stored, created: false, erased: 0 };
    }
    if (sequence !== known.next_sequence) {
      throw new Refusal(
        'conflict',
        `the site's next contribution must have number ${known.next_sequence}, but this one has number ${sequence}`,
        'ask for the study again, and sign with the number it gives',
      );
    }
    refuseErased(session.study);
    if (known.device === 1 && sequence > 1 && mode !== 'replace') throw secondOfDevice();
    await refuseUnmasked(session, agreed, site, sequence);
    await refuseFlood(session, known);
    await refusePublished(session.db, id, agreed, site);
    await refuseOverflow(session, agreed, contribution);
    await refuseSpent(context, session.db, agreed, id);
    return {
      ...(await storeContribution(session, known, contribution, { file, digest, arrived })),
      created: true,
    };
  });
  if (outcome.erased > 0) await context.store.scrub();
  return {
    receipt: await receiptOf(context, agreed, outcome.receipt),
    created: outcome.created,
  };
}

/** Whether a contribution needs nothing of the store but its study and its site. */
function isSimple(
  { blockBytes }: CoordinatorContext,
  { method, aggregation }: Agreement,
  { sequence }: SignedContribution,
  file: Uint8Array,
  arrived: SentFile['arrived'],
): boolean {
  const isPlain = method.noise === undefined && aggregation.minimumSites === undefined;
  const isSmall = arrived === 'whole' && file.length <= blockBytes;
  return isPlain && aggregation.sees !== 'total' && isSmall && sequence === 1;
}

/** A contribution to the study with a valid signature, and the digest of its file; the time for that counts for `site`. */
export async function readSigned(
  context: CoordinatorContext,
  id: string,
  site: string,
  file: Uint8Array,
): Promise<{ readonly contribution: SignedContribution; readonly digest: string }> {
  const agreed = await context.agreed(id);
  const limit = contributionLimit(agreed.layout);
  if (file.length > limit) {
    throw new Refusal(
      'too-large',
      `a contribution to this study has at most ${limit} bytes`,
      'make the contribution again, for this study',
    );
  }
  // Again: others of the study may have come while this one was read.
  context.checking.admit(id, site);
  const { found, milliseconds } = await context.checks.check(agreed, file);
  context.checking.spend(id, site, milliseconds);
  if ('refused' in found) {
    throw new Refusal(
      'unprocessable',
      `this is not a contribution to this study: ${found.refused}`,
      'make the contribution again, for this study',
    );
  }
  const { contribution, signed, digest } = found;
  const { seal } = contribution;
  if (seal === undefined || !signed) {
    throw notAllowed('the contribution is not signed, or its signature is not valid');
  }
  return { contribution: { ...contribution, seal }, digest };
}

function secondOfDevice(): Refusal {
  return new Refusal(
    'conflict',
    'a device has one contribution, and this one has sent it',
    'send a contribution with all rows that replaces it',
  );
}

/** Refuses a site whose invitation was revoked while its request was under way. */
function refuseRevoked({ state }: Pick<SitesTable, 'state'>): void {
  if (state !== 'revoked') return;
  throw new Refusal(
    'not-allowed',
    'the invitation of the site was revoked',
    'ask the analyst for a new invitation',
  );
}

/** Contributions of a site within a day; all of them are stored, and all are in the log that everyone reads. */
const MOST_A_DAY = 1000;
const DAY_MS = 86_400_000;

/** Refuses more contributions of a site than anyone needs in a day. */
async function refuseFlood(
  { db, id, at }: StudySession,
  { name, next_sequence }: SitesTable,
): Promise<void> {
  if (next_sequence <= MOST_A_DAY) return;
  const earlier = await db
    .selectFrom('contributions')
    .select('received_at')
    .where('study', '=', id)
    .where('site', '=', name)
    .where('sequence', '<=', next_sequence - MOST_A_DAY)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (earlier === undefined || Date.parse(at) - Date.parse(earlier.received_at) >= DAY_MS) return;
  throw new Refusal(
    'too-many-requests',
    `the site has sent ${MOST_A_DAY} contributions within a day`,
    'send the rows of a day together, as one contribution; or go on tomorrow',
  );
}

/** Row counts to show; null in a private study, where an exact count could reveal a row. */
function countsOf(
  { method, aggregation }: Agreement,
  { statistic, dropped }: Contribution,
): { readonly rows: number | null; readonly dropped: number | null } {
  const hidden = method.noise !== undefined || aggregation.sees === 'total';
  if (hidden) return { rows: null, dropped: null };
  return { rows: rowCount(statistic), dropped };
}

/** A file as it arrived. */
interface SentFile {
  readonly file: Uint8Array;
  readonly digest: string;
  readonly arrived: 'whole' | 'in blocks';
}

/** Whether a file is in the table of blocks: large ones are, so that no statement and no reader has them as a whole. */
async function keptInBlocks(
  { db, id, at, context }: StudySession,
  { site, sequence }: SignedContribution,
  { file, digest, arrived }: SentFile,
): Promise<boolean> {
  const { blockBytes } = context;
  if (arrived === 'whole' && file.length <= blockBytes) return false;
  const blocked = { study: id, site, file: digest };
  if (arrived === 'whole') await writeBlocks(db, blocked, file, blockBytes);
  await db
    .insertInto('uploads')
    .values({ ...blocked, started_at: at, sequence })
    .onConflict((known) => known.columns(['study', 'site', 'file']).doUpdateSet({ sequence }))
    .execute();
  return true;
}

async function storeContribution(
  session: StudySession,
  known: SitesTable,
  contribution: SignedContribution,
  sent: SentFile,
): Promise<{ readonly receipt: Parameters<typeof receiptOf>[2]; readonly erased: number }> {
  const { db, id, at } = session;
  const { site, sequence, mode } = contribution;
  const { key } = contribution.seal;
  const late = !isCollecting(session.study.state);
  const { file, digest } = sent;
  const bytes = file.length;
  const inBlocks = await keptInBlocks(session, contribution, sent);
  const audit = session.record('contributed', { site, key, sequence, mode, digest, bytes, late });
  session.sites.contribute({
    study: id,
    site,
    sequence,
    mode,
    digest,
    ...countsOf(await session.context.agreed(id), contribution),
    bytes,
    received_at: at,
    late: late ? 1 : 0,
    audit_position: audit.position,
    body: inBlocks ? null : file,
  });
  const first = known.state !== 'contributed';
  session.sites.change(known, {
    next_sequence: sequence + 1,
    state: late ? known.state : 'contributed',
    ...(known.key === null ? { key } : {}),
  });
  const study = session.study.digest;
  const receipt = { study, site, sequence, mode, digest, bytes, receivedAt: at, late, audit };
  if (late) return { receipt, erased: 0 };
  session.change({ state: 'collecting' });
  // A second contribution does not complete a study: it was reopened to collect more.
  if (first) session.mayBeComplete();
  const agreed = await session.context.agreed(id);
  if (sequence === 1 && agreed.aggregation.masks === undefined) return { receipt, erased: 0 };
  await session.save();
  const replaced =
    mode === 'replace' ? replacedContributions(await storedContributions(db, id, site)) : [];
  await eraseContributions(session, replaced);
  await closeIfAllMasked(session, agreed);
  return { receipt, erased: replaced.length };
}
