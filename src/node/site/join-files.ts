import { defined } from '../../defined.ts';
import type { StudyClient } from '../../protocol/client.ts';
import { isOpenLink } from '../../protocol/enrolment.ts';
import { type FollowedRound, followRounds } from '../../protocol/follow-rounds.ts';
import { Refusal } from '../../protocol/refusal.ts';
import { secureWords } from '../../random/secure-words.ts';
import type { Pool } from '../../rows/pool.ts';
import { versionAt } from '../../rows/sources.ts';
import { asDevice } from '../../site/enrol.ts';
import {
  type Joined,
  membershipIn,
  numberingOf,
  prepareJoin,
  resumePending,
  type SiteMembership,
  sendPrepared,
  settleEarlier,
} from '../../site/join.ts';
import { refuseLostReceipts } from '../../site/lost-receipts.ts';
import { acknowledgedBefore, agreeOnMask, helpToOpen, useMask } from '../../site/mask-exchange.ts';
import { agreementAt } from '../../site/party-review.ts';
import { type Prepared, refuseAudit, unacknowledged } from '../../site/prepare-contribution.ts';
import { refuseStrangeKey } from '../../site/roster-key.ts';
import { refuseDoubtfulLedger, type SiteStore } from '../../site/site-store.ts';
import { membershipText, studyTermsText } from '../../site/study-text.ts';
import { entriesOf, wordsOf } from '../../statistic/layout.ts';
import { nodeHost } from '../compute/host.ts';
import { withPool } from '../compute/pool.ts';
import type { FileJoinRequest, JoinTools } from './file-join.ts';
import { prepareJoinAnswer } from './join-answers.ts';
import { joinParty, rehearseParty } from './join-party.ts';
import { preparing, type SiteScreen, showPrepared } from './site-screen.ts';

export type { FileJoinRequest, JoinTools } from './file-join.ts';

/** Everything in `join` except sending: fetches the study, checks the file, shows the contribution. */
export async function rehearseJoin(
  request: FileJoinRequest,
  store: SiteStore,
  screen: SiteScreen,
): Promise<Prepared> {
  return withPool(request.path, request.threads, async (pool) => {
    await refuseDoubtfulLedger(store);
    const seen = await followRounds(request.link, request.client);
    const rounds = isOpenLink(request.link)
      ? await Promise.all(seen.map((round) => asDevice(round, store)))
      : seen;
    const { client, membership } = showNewest(rounds, screen);
    await refuseStrangeKey(membership, store);
    await refuseLostReceipts(client, membership, store, request.again, screen.notice);
    const { layout, aggregation } = membership.agreed;
    if (aggregation.columnsAt !== undefined) {
      return rehearseParty(request, membership, store, screen, pool);
    }
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
  if (membership.agreed.aggregation.columnsAt !== undefined) {
    return joinParty(request, client, membership, store, screen, pool);
  }
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
  const { agreed, site } = membership;
  const shown = agreed.aggregation.columnsAt === undefined ? agreed : agreementAt(agreed, site);
  screen.show(`${studyTermsText(shown, screen.ink)}\n${membershipText(view)}`);
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
