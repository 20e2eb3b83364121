import { defined } from '../../defined.ts';
import type { Acknowledgement } from '../../disclosure/acknowledgement.ts';
import type { Audit } from '../../disclosure/rule.ts';
import type { Agreement } from '../../federate.ts';
import type { ClientOptions, StudyClient } from '../../protocol/client.ts';
import { type FollowedRound, followRounds } from '../../protocol/follow-rounds.ts';
import type { Link } from '../../protocol/link.ts';
import { Refusal } from '../../protocol/refusal.ts';
import { secureWords } from '../../random/secure-words.ts';
import type { Pool } from '../../rows/pool.ts';
import { versionAt } from '../../rows/sources.ts';
import type { Wording } from '../../rows/wording.ts';
import {
  type Joined,
  membershipIn,
  numberingOf,
  prepareJoin,
  resumePending,
  type SiteMembership,
  type JoinRequest as SiteRequest,
  sendPrepared,
  settleEarlier,
} from '../../site/join.ts';
import { refuseLostReceipts } from '../../site/lost-receipts.ts';
import { acknowledgedBefore, agreeOnMask, helpToOpen, useMask } from '../../site/mask-exchange.ts';
import { type Prepared, refuseAudit, unacknowledged } from '../../site/prepare-contribution.ts';
import { refuseStrangeKey } from '../../site/roster-key.ts';
import { refuseDoubtfulLedger, type SiteStore } from '../../site/site-store.ts';
import { membershipText, studyTermsText } from '../../site/study-text.ts';
import { entriesOf, wordsOf } from '../../statistic/layout.ts';
import { nodeHost } from '../compute/host.ts';
import { withPool } from '../compute/pool.ts';
import { type AnsweredRows, prepareJoinAnswer } from './join-answers.ts';
import { preparing, type SiteScreen, showPrepared } from './site-screen.ts';

/** A request to join a study with a file. */
export interface FileJoinRequest extends Omit<SiteRequest, 'rows' | 'histograms' | 'wording'> {
  readonly link: Link;
  readonly path: string;
  /** What a database has answered, in place of the rows of `path`. */
  readonly answered?: AnsweredRows;
  readonly threads?: number;
  /** What the site has acknowledged: rules of the audit that warn, or `none` where the study has no rules. */
  readonly acknowledged?: readonly string[];
  readonly client?: ClientOptions;
  /** How the file words what the study words otherwise. */
  wordingOf?(agreed: Agreement): Wording | undefined;
}

/** The terminal of the person who approves. */
export interface JoinTools extends SiteScreen {
  /** Throws if there is no terminal to ask on; called before the file is read. */
  refuseUnattended(): void;
  /** Asks whether the contribution may be sent; `open` is what is not acknowledged yet. */
  approve(open: readonly Acknowledgement[], audit: Audit | undefined): Promise<boolean>;
}

/** Everything in `join` except sending: fetches the study, checks the file, shows the contribution. */
export async function rehearseJoin(
  request: FileJoinRequest,
  store: SiteStore,
  screen: SiteScreen,
): Promise<Prepared> {
  return withPool(request.path, request.threads, async (pool) => {
    await refuseDoubtfulLedger(store);
    const rounds = await followRounds(request.link, request.client);
    const { client, membership } = showNewest(rounds, screen);
    await refuseStrangeKey(membership, store);
    await refuseLostReceipts(client, membership, store, request.again, screen.notice);
    const { layout, aggregation } = membership.agreed;
    // A mask of its own, for a contribution that is never sent.
    const mask = async () =>
      new Uint32Array(entriesOf(layout) * wordsOf(layout)).map(secureWords());
    const masked = aggregation.masks === undefined ? request : { ...request, mask };
    return prepare(masked, membership, store, screen, pool);
  });
}

/** Joins a study: shows it, reads the file, shows the contribution, asks, sends, stores the receipt. */
export function joinStudy(
  request: FileJoinRequest,
  store: SiteStore,
  screen: JoinTools,
): Promise<Joined> {
  return withPool(request.path, request.threads, (pool) => joinWith(request, store, screen, pool));
}

async function joinWith(
  request: FileJoinRequest,
  store: SiteStore,
  screen: JoinTools,
  pool: Pool,
): Promise<Joined> {
  await refuseDoubtfulLedger(store);
  const rounds = await followRounds(request.link, request.client);
  const { client, membership } = showNewest(rounds, screen);
  await refuseStrangeKey(membership, store);
  await settleEarlier(rounds.slice(0, -1), store, screen.notice);
  const source = await (request.answered?.version() ?? versionAt(nodeHost, { path: request.path }));
  const wanted = { source, ...defined({ again: request.again }) };
  const masks = masksIn(client, membership, store, screen);
  await masks?.beforeResuming();
  const resumed =
    (await resumePending(client, membership, store, wanted, screen.notice)) ??
    (await masks?.acknowledged());
  if (resumed !== undefined) {
    await masks?.help();
    return resumed;
  }
  await refuseLostReceipts(client, membership, store, request.again, screen.notice);
  numberingOf(membership, request.again);
  screen.refuseUnattended();
  const asked = { ...request, ...defined({ mask: masks?.agree }) };
  const prepared = await prepare(asked, membership, store, screen, pool);
  refuseAudit(prepared, 'nothing was sent');
  const open = unacknowledged(prepared, request.acknowledged ?? []);
  if (!(await screen.approve(open, prepared.audit))) {
    throw new Refusal(
      'not-allowed',
      'you did not approve; no statistic was sent',
      'run the command again when you are ready',
    );
  }
  const joined = await sendPrepared(
    ...([client, membership, prepared, store, screen.notice] as const),
    masks?.use,
  );
  await masks?.help();
  return joined;
}

/** The steps of a site that agrees on masks with others; undefined in other studies. */
function masksIn(
  client: StudyClient,
  membership: SiteMembership,
  store: SiteStore,
  { notice }: SiteScreen,
) {
  const { agreed, site } = membership;
  if (agreed.aggregation.masks === undefined) return undefined;
  const exchange = { client, membership, store, notice };
  return {
    agree: () => agreeOnMask(exchange),
    use: () => useMask(exchange),
    help: () => helpToOpen(exchange),
    acknowledged: () => acknowledgedBefore(exchange),
    /** A contribution that waits may have been sent, so its mask is used. */
    async beforeResuming() {
      if ((await store.pending(agreed.digest, site)) !== undefined) await useMask(exchange);
    },
  };
}

/** Shows the newest round, and the site's membership in it. */
function showNewest(
  rounds: readonly FollowedRound[],
  screen: SiteScreen,
): { readonly client: StudyClient; readonly membership: SiteMembership } {
  const round = rounds[rounds.length - 1];
  const membership = membershipIn(round);
  const { view, client } = round;
  screen.show(`${studyTermsText(membership.agreed, screen.ink)}\n${membershipText(view)}`);
  return { client, membership };
}

async function prepare(
  { path, answered, threads: _, wordingOf, ...request }: FileJoinRequest,
  membership: SiteMembership,
  store: SiteStore,
  screen: SiteScreen,
  pool: Pool,
): Promise<Prepared> {
  const { agreed } = membership;
  const wording = wordingOf?.(agreed);
  const reading = { ...request, rows: { path }, ...defined({ wording }) };
  const prepared = await preparing({ ...reading, agreed }, screen, pool, () =>
    answered === undefined
      ? prepareJoin(reading, membership, store, pool, screen.watch)
      : prepareJoinAnswer(request, membership, store, answered),
  );
  showPrepared(agreed, path, prepared, screen, request.acknowledged);
  return prepared;
}
