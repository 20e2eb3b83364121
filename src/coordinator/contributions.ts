import { type Agreement, readContribution } from '../federate.ts';
import type { SealedReceipt } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { isSignedContribution, type SignedContribution } from '../protocol/signed-contribution.ts';
import { type Contribution, contributionLimit } from '../statistic/envelope.ts';
import { rowCount } from '../statistic/statistic.ts';
import { digestBytes } from '../study/digest.ts';
import { notAllowed, requireSite } from './access.ts';
import type { Caller, Intake } from './coordinator.ts';
import { supersededParts } from './counting-parts.ts';
import type { Desk } from './desk.ts';
import { eraseParts, heldParts } from './held-parts.ts';
import { changeSite, knownSite, requireOwnKey } from './invitations.ts';
import { receiptOf, storedReceipt } from './receipts.ts';
import { refuseSpent } from './release.ts';
import { isCollecting, requireStep } from './steps.ts';
import { inStudy, type StudySession } from './study-session.ts';
import type { SitesTable } from './tables.ts';

/** What may be sent now; refuses before any byte is read where nothing may. */
export async function intake(desk: Desk, caller: Caller, id: string): Promise<Intake> {
  const site = requireSite(caller, id);
  const agreed = await desk.agreed(id);
  const row = await desk.store.db
    .selectFrom('sites')
    .innerJoin('studies', 'studies.id', 'sites.study')
    .select(['sites.state', 'sites.next_sequence', 'studies.state as studyState'])
    .where('sites.study', '=', id)
    .where('sites.name', '=', site)
    .executeTakeFirst();
  if (row === undefined) throw notAllowed('the site is not part of the study');
  requireStep('contribute', row.studyState);
  refuseRevoked(row);
  // A site that has contributed may ask for the receipt of what it sent, by sending it again.
  if (row.next_sequence === 1) await refuseSpent(desk.store.db, agreed, id);
  return { limit: contributionLimit(agreed.layout) };
}

/** Stores a contribution, or recognises one that is stored; answers after the commit. */
export async function contribute(
  desk: Desk,
  caller: Caller,
  id: string,
  file: Uint8Array,
): Promise<{ readonly receipt: SealedReceipt; readonly created: boolean }> {
  const site = requireSite(caller, id);
  const contribution = await checkedContribution(desk, id, site, file);
  const digest = digestBytes(file);
  const { sequence } = contribution;
  const outcome = await inStudy(desk, id, async (session) => {
    requireStep('contribute', session.study.state);
    const known = await knownSite(session, site);
    refuseRevoked(known);
    requireOwnKey(known, contribution.seal.key);
    if (sequence < known.next_sequence) {
      const stored = await storedReceipt(session, site, sequence);
      if (stored?.digest === digest) return { receipt: stored, created: false, erased: 0 };
    }
    if (sequence !== known.next_sequence) {
      throw new Refusal(
        'conflict',
        `the site's next contribution is number ${known.next_sequence}, this is another number ${sequence}`,
        'ask for the study again, and sign with the number it gives',
      );
    }
    await refuseSpent(session.db, await desk.agreed(id), id);
    return { ...(await keep(session, known, contribution, file, digest)), created: true };
  });
  if (outcome.erased > 0) await desk.store.scrub();
  return {
    receipt: receiptOf(desk, await desk.agreed(id), outcome.receipt),
    created: outcome.created,
  };
}

async function checkedContribution(
  desk: Desk,
  id: string,
  site: string,
  file: Uint8Array,
): Promise<SignedContribution> {
  const agreed = await desk.agreed(id);
  const limit = contributionLimit(agreed.layout);
  if (file.length > limit) {
    throw new Refusal(
      'too-large',
      `a contribution to this study has at most ${limit} bytes`,
      'make it for this study',
    );
  }
  const decoded = readContribution(agreed, file);
  if ('refused' in decoded) {
    throw new Refusal(
      'unprocessable',
      `no contribution to this study: ${decoded.refused}`,
      'make it again from this study',
    );
  }
  const { contribution } = decoded;
  if (contribution.site !== site) throw notAllowed('it is made for another site');
  if (!isSignedContribution(contribution)) {
    throw notAllowed('it is not signed, or the signature does not fit');
  }
  return contribution;
}

/** Refuses a site that was shut out while its request was on the way. */
function refuseRevoked({ state }: Pick<SitesTable, 'state'>): void {
  if (state !== 'revoked') return;
  throw new Refusal(
    'not-allowed',
    'the invitation of the site was revoked',
    'ask who runs the study for a new one',
  );
}

/** What everyone may see of a contribution's rows; nothing where that would tell of one. */
function countsOf(
  { method }: Agreement,
  { statistic, dropped }: Contribution,
): { readonly rows: number | null; readonly dropped: number | null } {
  if (method.noise !== undefined) return { rows: null, dropped: null };
  return { rows: rowCount(statistic), dropped };
}

async function keep(
  session: StudySession,
  known: SitesTable,
  contribution: SignedContribution,
  file: Uint8Array,
  digest: string,
): Promise<{ readonly receipt: Parameters<typeof receiptOf>[2]; readonly erased: number }> {
  const { db, id, at } = session;
  const { site, sequence, mode } = contribution;
  const { key } = contribution.seal;
  const late = !isCollecting(session.study.state);
  const bytes = file.length;
  const audit = session.record('contributed', { site, key, sequence, mode, digest, bytes, late });
  await db
    .insertInto('contributions')
    .values({
      study: id,
      site,
      sequence,
      mode,
      digest,
      ...countsOf(await session.desk.agreed(id), contribution),
      bytes,
      received_at: at,
      late: late ? 1 : 0,
      audit_position: audit.position,
      body: file,
    })
    .execute();
  const first = known.state !== 'contributed';
  await changeSite(session, site, {
    key,
    next_sequence: sequence + 1,
    state: late ? known.state : 'contributed',
  });
  const study = session.study.digest;
  const receipt = { study, site, sequence, mode, digest, bytes, receivedAt: at, late, audit };
  if (late) return { receipt, erased: 0 };
  const superseded = mode === 'replace' ? supersededParts(await heldParts(db, id, site)) : [];
  await eraseParts(session, superseded);
  session.change({ state: 'collecting' });
  // A site that adds to what it has sent completes nothing: whoever reopened wants more.
  if (first) await session.closeIfComplete();
  return { receipt, erased: superseded.length };
}
