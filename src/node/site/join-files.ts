import { defined } from '../../defined.ts';
import type { Acknowledgement } from '../../disclosure/acknowledgement.ts';
import type { Audit } from '../../disclosure/rule.ts';
import type { Agreement } from '../../federate.ts';
import type { ClientOptions, StudyClient } from '../../protocol/client.ts';
import { type FollowedRound, followRounds } from '../../protocol/follow-rounds.ts';
import type { Link } from '../../protocol/link.ts';
import { Refusal } from '../../protocol/refusal.ts';
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
import { type Prepared, refuseAudit, unacknowledged } from '../../site/prepare-contribution.ts';
import { refuseDoubtfulLedger, type SiteStore } from '../../site/site-store.ts';
import { membershipText, studyTermsText } from '../../site/study-text.ts';
import { nodeHost } from '../compute/host.ts';
import { preparing, type SiteScreen, showPrepared } from './site-screen.ts';

/** A request to join a study with a file. */
export interface FileJoinRequest extends Omit<SiteRequest, 'rows' | 'histograms' | 'wording'> {
  readonly link: Link;
  readonly path: string;
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
  await refuseDoubtfulLedger(store);
  const rounds = await followRounds(request.link, request.client);
  const { client, membership } = showNewest(rounds, screen);
  await refuseLostReceipts(client, membership, store, request.again, screen.notice);
  return prepare(request, membership, store, screen);
}

/** Joins a study: shows it, reads the file, shows the contribution, asks, sends, stores the receipt. */
export async function joinStudy(
  request: FileJoinRequest,
  store: SiteStore,
  screen: JoinTools,
): Promise<Joined> {
  await refuseDoubtfulLedger(store);
  const rounds = await followRounds(request.link, request.client);
  const { client, membership } = showNewest(rounds, screen);
  await settleEarlier(rounds.slice(0, -1), store, screen.notice);
  const source = await versionAt(nodeHost, { path: request.path });
  const wanted = { source, ...defined({ again: request.again }) };
  const resumed = await resumePending(client, membership, store, wanted, screen.notice);
  if (resumed !== undefined) return resumed;
  await refuseLostReceipts(client, membership, store, request.again, screen.notice);
  numberingOf(membership, request.again);
  screen.refuseUnattended();
  const prepared = await prepare(request, membership, store, screen);
  refuseAudit(prepared, 'nothing was sent');
  const open = unacknowledged(prepared, request.acknowledged ?? []);
  if (!(await screen.approve(open, prepared.audit))) {
    throw new Refusal(
      'not-allowed',
      'you did not approve; no statistic was sent',
      'run the command again when you are ready',
    );
  }
  return sendPrepared(client, membership, prepared, store, screen.notice);
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
  { path, threads, wordingOf, ...request }: FileJoinRequest,
  membership: SiteMembership,
  store: SiteStore,
  screen: SiteScreen,
): Promise<Prepared> {
  const { agreed } = membership;
  const wording = wordingOf?.(agreed);
  const reading = { ...request, rows: { path }, ...defined({ wording }) };
  const prepared = await preparing(
    { ...reading, agreed, ...defined({ threads }) },
    screen,
    (pool) => prepareJoin(reading, membership, store, pool, screen.watch),
  );
  showPrepared(agreed, path, prepared, screen, request.acknowledged);
  return prepared;
}
