import { type Agreement, agreement } from '../federate.ts';
import type { StudyClient } from '../protocol/client.ts';
import type { Link } from '../protocol/link.ts';
import type { SealedReceipt, StudyView } from '../protocol/messages.ts';
import { printable } from '../protocol/printable.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { Pool } from '../rows/pool.ts';
import type { Address, SourceVersion } from '../rows/source.ts';
import type { Watch } from '../rows/watch.ts';
import type { ContributionTurn } from '../statistic/envelope.ts';
import { canonicalJson } from '../study/canonical-json.ts';
import type { DisclosureTerms } from '../study/study.ts';
import type { Pending, SiteHome } from './home.ts';
import type { Release } from './ledger-chain.ts';
import { type Prepared, prepareContribution } from './prepare-contribution.ts';
import type { ReadingChoices } from './site-table.ts';
import { receiptStory } from './story.ts';

/** What to join with which file. */
export interface JoinRequest extends ReadingChoices {
  readonly rows: Address;
  /** What a site that has contributed before does with its rows: none unless given. */
  readonly again?: 'add' | 'replace';
  /** Rules of the site's own, beside those of the study. */
  readonly disclosure?: DisclosureTerms;
  /** Count the values of number columns in bins, for a person's eyes. */
  readonly histograms?: boolean;
}

/** The study, and how the asking site stands in it. */
export interface Standing {
  readonly view: StudyView;
  readonly agreed: Agreement;
  readonly site: string;
  readonly nextSequence: number;
  readonly coordinator: string;
  readonly coordinatorKey: string;
}

/** What has been acknowledged. */
export interface Joined {
  readonly release: Release;
  readonly receipt: SealedReceipt;
  /** Where the receipt is kept. */
  readonly kept: string;
}

/** Hears something worth knowing that is no result. */
export type Notice = (text: string) => void;

/** A further contribution of which it is not said whether it adds rows or replaces them. */
export class AlreadyContributed extends Refusal {
  constructor(site: string) {
    super(
      'conflict',
      `${site} has already contributed`,
      'say whether the file holds new rows only, or stands in place of all sent before',
      { name: 'turn' },
    );
    this.name = 'AlreadyContributed';
  }
}

/** Asks the coordinator for the study and how the site stands in it: one request. */
export async function standingAt(
  client: StudyClient,
  { coordinator, coordinatorKey }: Link,
): Promise<Standing> {
  const view = await client.view();
  if (view.you === undefined) {
    throw new Refusal(
      'not-allowed',
      'this link is not an invitation of a site',
      'ask who runs the study for an invitation',
    );
  }
  const { site, nextSequence } = view.you;
  const agreed = agreement(view.study);
  return { view, agreed, site, nextSequence, coordinator, coordinatorKey };
}

/** Which of the site's contributions the next one is; refuses where the study takes none, or it is not said what a further one is. */
export function turnOf(
  { view, site, nextSequence }: Standing,
  again?: JoinRequest['again'],
): ContributionTurn {
  if (view.state === 'draft') {
    throw new Refusal(
      'conflict',
      'the study is not open yet',
      'join again once who runs it has opened it',
    );
  }
  const own = view.sites.find(({ name }) => name === site);
  const contributed = own?.state === 'contributed' || (own?.late ?? 0) > 0;
  if (contributed && again === undefined) {
    throw new AlreadyContributed(printable(site));
  }
  return { sequence: nextSequence, mode: again ?? 'add' };
}

/** Makes of a file what would leave, and all that a person is to see of it; no request is made. The ledger must have been verified. */
export async function prepareJoin(
  request: JoinRequest,
  standing: Standing,
  home: SiteHome,
  pool: Pool,
  watch: Watch,
): Promise<Prepared> {
  const { agreed, site, coordinatorKey: place } = standing;
  const turn = turnOf(standing, request.again);
  const forgotten = await forgottenBy(home, standing);
  const key = await home.key();
  return prepareContribution(
    { ...request, agreed, site, turn, place, key, home, forgotten },
    pool,
    watch,
  );
}

/** Sends what a person has approved: held first, then one request, then ledger and receipt. */
export async function sendPrepared(
  client: StudyClient,
  standing: Standing,
  { release, tags, file, source, reviewed }: Prepared,
  home: SiteHome,
  notice: Notice = () => {},
): Promise<Joined> {
  const pending: Pending = { release, tags, source, approvedAt: new Date().toISOString(), file };
  await home.hold(pending, reviewed);
  return deliver(client, home, standing, pending, notice);
}

/** Finishes what an interrupted run began, as far as that is still right; asks nothing where nothing waits. */
export async function resumePending(
  client: StudyClient,
  standing: Standing,
  home: SiteHome,
  wanted: { readonly source: SourceVersion; readonly again?: 'add' | 'replace' },
  notice: Notice = () => {},
): Promise<Joined | undefined> {
  const { agreed, site, nextSequence } = standing;
  const pending = await home.pending(agreed.digest, site);
  if (pending === undefined) return undefined;
  const same =
    canonicalJson(pending.source) === canonicalJson(wanted.source) &&
    (wanted.again === undefined || wanted.again === pending.release.mode);
  const receipts = await client.receipts();
  const receipt = receipts.find(({ digest }) => digest === pending.release.digest);
  if (receipt !== undefined) {
    notice('the coordinator has what an interrupted run sent; its receipt is kept now');
    const joined = await conclude(home, standing, pending, receipt);
    return same ? joined : undefined;
  }
  if (same && pending.release.sequence === nextSequence) {
    notice(`resuming what you approved at ${pending.approvedAt}`);
    return deliver(client, home, standing, pending, notice);
  }
  notice(
    same
      ? 'an interrupted contribution is out of date and is discarded'
      : 'an interrupted contribution was of another file, or of this one before it changed; it is discarded',
  );
  await giveUp(home, standing, pending);
  return undefined;
}

/** Numbers of contributions that the coordinator has had of this site, and this home knows nothing of. */
export async function forgottenBy(
  home: SiteHome,
  { agreed, site, nextSequence }: Standing,
): Promise<number[]> {
  const lines = await home.ledger();
  const known = new Set(
    lines
      .filter((line) => line.study === agreed.digest && line.site === site)
      .filter(({ outcome }) => outcome !== 'refused')
      .map((line) => line.sequence),
  );
  return Array.from({ length: nextSequence - 1 }, (_, k) => k + 1).filter((k) => !known.has(k));
}

async function deliver(
  client: StudyClient,
  home: SiteHome,
  standing: Standing,
  pending: Pending,
  notice: Notice,
): Promise<Joined> {
  try {
    return await conclude(home, standing, pending, await client.contribute(pending.file));
  } catch (failure) {
    if (failure instanceof Refusal && FINAL.has(failure.code)) {
      // It may have been taken, and the answer lost: then it is there.
      const receipts = await client.receipts().catch(() => []);
      const taken = receipts.find(({ digest }) => digest === pending.release.digest);
      if (taken !== undefined) return conclude(home, standing, pending, taken);
      await giveUp(home, standing, pending);
      notice('the coordinator did not take the contribution; nothing waits to be sent');
    }
    throw failure;
  }
}

/** Refusals that sending the same file again cannot mend. */
const FINAL = new Set<Refusal['code']>([
  'bad-request',
  'conflict',
  'gone',
  'not-allowed',
  'too-large',
  'unprocessable',
]);

/** Forgets what waits to be sent. It may have left, even if the coordinator says that it did not take it. */
async function giveUp(
  home: SiteHome,
  { coordinator }: Standing,
  { release, tags }: Pending,
): Promise<void> {
  const at = new Date().toISOString();
  await home.record({ at, to: coordinator, outcome: 'refused', ...release }, tags);
  await home.discard(release.study, release.site);
}

/** Writes the ledger, keeps the receipt, and only then forgets what was to be sent. */
async function conclude(
  home: SiteHome,
  { agreed, coordinator }: Standing,
  { release, tags }: Pending,
  receipt: SealedReceipt,
): Promise<Joined> {
  const at = receipt.receivedAt;
  await home.record({ at, to: coordinator, outcome: 'acknowledged', ...release }, tags);
  const kept = await home.keepReceipt(receipt, receiptStory(receipt, agreed));
  await home.discard(release.study, release.site);
  return { release, receipt, kept };
}
