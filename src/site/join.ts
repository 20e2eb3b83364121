import { defined } from '../defined.ts';
import type { SiteRules } from '../disclosure/site-rules.ts';
import { type Agreement, agreement } from '../federate.ts';
import type { StudyClient } from '../protocol/client.ts';
import type { FollowedRound } from '../protocol/follow-rounds.ts';
import type { Link } from '../protocol/link.ts';
import type { SealedReceipt, StudyView } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { Pool } from '../rows/pool.ts';
import type { Address, SourceVersion } from '../rows/source.ts';
import type { Watch } from '../rows/watch.ts';
import type { ContributionNumbering } from '../statistic/envelope.ts';
import type { RingVector } from '../statistic/ring.ts';
import { canonicalJson } from '../study/canonical-json.ts';
import { visibleText } from '../text/visible-text.ts';
import type { Release } from './ledger-chain.ts';
import { type Prepared, prepareContribution } from './prepare-contribution.ts';
import { mustLinkFirst } from './refuse-columns.ts';
import { refuseStrangeKey } from './roster-key.ts';
import type { Pending, SiteStore } from './site-store.ts';
import type { ReadingChoices } from './site-table.ts';
import { receiptText } from './study-text.ts';

/** A request to join a study with a file. */
export interface JoinRequest extends ReadingChoices {
  readonly rows: Address;
  /** For a site that has contributed before: whether this file adds rows or replaces all earlier ones. */
  readonly again?: 'add' | 'replace';
  /** The site's own disclosure rules, beside those of the study. */
  readonly disclosure?: SiteRules;
  /** Make histograms of the number columns, to show them at the site. */
  readonly histograms?: boolean;
  /** Finds the site's mask, where the sites agree on masks; called once the file is known to fit. */
  mask?(): Promise<RingVector>;
}

/** A study, and the membership of one site in it. */
export interface SiteMembership {
  readonly view: StudyView;
  readonly agreed: Agreement;
  readonly site: string;
  readonly nextSequence: number;
  readonly coordinator: string;
  readonly coordinatorKey: string;
}

/** An acknowledged contribution. */
export interface Joined {
  readonly release: Release;
  readonly receipt: SealedReceipt;
  /** Where the receipt is stored. */
  readonly kept: string;
  /** Number of the round, from 2; absent in the first. */
  readonly round?: number;
}

/** Receives a message for the person at the site. */
export type JoinNotice = (text: string) => void;

/** The refusal of a further contribution that does not say whether it adds or replaces rows. */
export class AlreadyContributed extends Refusal {
  constructor(site: string) {
    super(
      'conflict',
      `${site} has already contributed`,
      'say whether the file has only new rows, or replaces all rows sent before',
      { name: 'turn' },
    );
    this.name = 'AlreadyContributed';
  }
}

/** Asks the coordinator for the study and the site's membership, with one request. */
export async function membershipAt(client: StudyClient, link: Link): Promise<SiteMembership> {
  return membershipIn({ link, view: await client.view() });
}

/** The site's membership in a round. */
export function membershipIn({
  link: { coordinator, coordinatorKey },
  view,
}: Pick<FollowedRound, 'link' | 'view'>): SiteMembership {
  if (view.you === undefined) {
    throw new Refusal(
      'not-allowed',
      'this link is not an invitation of a site',
      'ask the analyst for an invitation',
    );
  }
  const { site, nextSequence } = view.you;
  const agreed = agreement(view.study);
  return { view, agreed, site, nextSequence, coordinator, coordinatorKey };
}

/** The number and mode of the site's next contribution. Refuses a draft, and a further contribution without `again`. */
export function numberingOf(
  { view, site, nextSequence }: SiteMembership,
  again?: JoinRequest['again'],
): ContributionNumbering {
  if (view.state === 'draft') {
    throw new Refusal(
      'conflict',
      'the study is not open yet',
      'join again after the analyst has opened it',
    );
  }
  const own = view.sites.find(({ name }) => name === site);
  const contributed = own?.state === 'contributed' || (own?.late ?? 0) > 0;
  if (contributed && again === undefined) {
    throw new AlreadyContributed(visibleText(site));
  }
  return { sequence: nextSequence, mode: again ?? 'add' };
}

/** Prepares a contribution from a file and everything shown for approval. Sends nothing. Verify the ledger first. */
export async function prepareJoin(
  request: JoinRequest,
  membership: SiteMembership,
  store: SiteStore,
  pool: Pool,
  watch: Watch,
): Promise<Prepared> {
  const { agreed, site, coordinatorKey: place } = membership;
  if (agreed.aggregation.columnsAt !== undefined) {
    throw mustLinkFirst();
  }
  if (agreed.aggregation.masks !== undefined && request.mask === undefined) {
    throw new Refusal(
      'conflict',
      'the sites of this study agree on masks, and this one has agreed on none',
      'join with the invitation, while the coordinator can be reached',
    );
  }
  await refuseStrangeKey(membership, store);
  const numbering = numberingOf(membership, request.again);
  const forgotten = await forgottenBy(store, membership);
  const key = await store.key();
  return prepareContribution(
    { ...request, agreed, site, numbering, place, key, store, forgotten },
    pool,
    watch,
  );
}

/** Sends an approved contribution: queues it, calls `beforeSending`, makes one request, then writes ledger and receipt. */
export async function sendPrepared(
  client: StudyClient,
  membership: SiteMembership,
  { release, tags, people, over, file, source, reviewed }: Prepared,
  store: SiteStore,
  notice: JoinNotice = () => {},
  beforeSending: () => Promise<void> = async () => {},
): Promise<Joined> {
  const approvedAt = new Date().toISOString();
  const pending: Pending = {
    ...{ release, source, approvedAt, file },
    ...defined({ tags, people, over }),
  };
  await store.queue(pending, reviewed);
  await beforeSending();
  return deliver(client, store, membership, pending, notice);
}

/** Finishes a contribution of an interrupted run, or discards it if it is out of date; does nothing if none waits. */
export async function resumePending(
  client: StudyClient,
  membership: SiteMembership,
  store: SiteStore,
  wanted: { readonly source: SourceVersion; readonly again?: 'add' | 'replace' },
  notice: JoinNotice = () => {},
): Promise<Joined | undefined> {
  const { agreed, site, nextSequence } = membership;
  const pending = await store.pending(agreed.digest, site);
  if (pending === undefined) return undefined;
  const same =
    canonicalJson(pending.source) === canonicalJson(wanted.source) &&
    (wanted.again === undefined || wanted.again === pending.release.mode);
  const receipts = await client.receipts();
  const receipt = receipts.find(({ digest }) => digest === pending.release.digest);
  if (receipt !== undefined) {
    notice('the coordinator has the contribution of an interrupted run; its receipt is stored now');
    const joined = await acknowledge(store, membership, pending, receipt);
    return same ? joined : undefined;
  }
  if (same && pending.release.sequence === nextSequence) {
    notice(`sending the contribution that you approved at ${pending.approvedAt}`);
    return deliver(client, store, membership, pending, notice);
  }
  notice(
    same
      ? 'a contribution of an interrupted run is out of date and is discarded'
      : 'a contribution of an interrupted run is discarded: it was made from another file, or this file has changed',
  );
  await discardPending(store, membership, pending);
  return undefined;
}

/** Finishes what interrupted runs left of earlier rounds: stores receipts, and discards what was never received. */
export async function settleEarlier(
  earlier: readonly FollowedRound[],
  store: SiteStore,
  notice: JoinNotice,
): Promise<void> {
  for (const round of earlier) {
    const membership = membershipIn(round);
    const { agreed, site } = membership;
    if ((await store.pending(agreed.digest, site)) === undefined) continue;
    // An empty path matches no file, so nothing is sent.
    await resumePending(round.client, membership, store, { source: { path: '' } });
    notice('what an interrupted run left of an earlier round is settled; it is not sent again');
  }
}

/** Numbers of this site's contributions that the coordinator has received but this store does not know. */
export async function forgottenBy(
  store: SiteStore,
  { agreed, site, nextSequence }: SiteMembership,
): Promise<number[]> {
  const lines = await store.ledger();
  const known = new Set(
    lines
      .filter((line) => line.study === agreed.digest && line.site === site)
      .filter(({ evaluated }) => evaluated === undefined)
      .filter(({ outcome }) => outcome !== 'refused')
      .map((line) => line.sequence),
  );
  const forgotten: number[] = [];
  // The number comes from the coordinator: it must not decide how much memory is used here.
  const most = known.size + MOST_FORGOTTEN;
  for (let k = 1; k < Math.min(nextSequence, most); k++) if (!known.has(k)) forgotten.push(k);
  return forgotten;
}

/** More forgotten contributions than these are not listed. */
const MOST_FORGOTTEN = 1000;

async function deliver(
  client: StudyClient,
  store: SiteStore,
  membership: SiteMembership,
  pending: Pending,
  notice: JoinNotice,
): Promise<Joined> {
  try {
    return await acknowledge(store, membership, pending, await client.contribute(pending.file));
  } catch (failure) {
    if (failure instanceof Refusal && FINAL.has(failure.code)) {
      // The coordinator may have stored it although the answer was lost.
      const receipts = await client.receipts().catch(() => []);
      const stored = receipts.find(({ digest }) => digest === pending.release.digest);
      if (stored !== undefined) return acknowledge(store, membership, pending, stored);
      await discardPending(store, membership, pending);
      notice('the coordinator refused the contribution; nothing waits to be sent');
    }
    throw failure;
  }
}

/** Refusals for which sending the same file again is useless. */
const FINAL = new Set<Refusal['code']>([
  'bad-request',
  'conflict',
  'gone',
  'not-allowed',
  'too-large',
  'unprocessable',
]);

/** Discards a pending contribution. The ledger keeps it as refused: the coordinator may have seen it. */
async function discardPending(
  store: SiteStore,
  { coordinator }: SiteMembership,
  { release, tags, ...others }: Pending,
): Promise<void> {
  const at = new Date().toISOString();
  await store.record(
    { at, to: coordinator, outcome: 'refused', ...release },
    tags,
    undefined,
    others,
  );
  await store.discard(release.study, release.site);
}

/** Writes the ledger, stores the receipt, and only then removes the pending contribution. */
async function acknowledge(
  store: SiteStore,
  { agreed, coordinator, view: { round } }: SiteMembership,
  { release, tags, ...others }: Pending,
  receipt: SealedReceipt,
): Promise<Joined> {
  const at = receipt.receivedAt;
  await store.record(
    { at, to: coordinator, outcome: 'acknowledged', ...release },
    tags,
    undefined,
    others,
  );
  const kept = await store.keepReceipt(receipt, receiptText(receipt, agreed));
  await store.discard(release.study, release.site);
  return { release, receipt, kept, ...defined({ round }) };
}
