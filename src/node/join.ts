import type { Audit, RuleId } from '../disclosure/rule.ts';
import { type ClientOptions, type StudyClient, studyClient } from '../protocol/client.ts';
import type { Link } from '../protocol/link.ts';
import { Refusal } from '../protocol/refusal.ts';
import { versionAt } from '../rows/sources.ts';
import { refuseDoubtfulLedger, type SiteHome } from '../site/home.ts';
import {
  type Joined,
  prepareJoin,
  resumePending,
  type JoinRequest as SiteRequest,
  type Standing,
  sendPrepared,
  standingAt,
  turnOf,
} from '../site/join.ts';
import { type Prepared, refuseAudit, unacknowledged } from '../site/prepare-contribution.ts';
import { standingStory, studyStory } from '../site/story.ts';
import { nodeHost } from './host.ts';
import { type Onlooker, preparing, showPrepared } from './onlooker.ts';

/** What to join with which file. */
export interface JoinRequest extends Omit<SiteRequest, 'rows' | 'histograms'> {
  readonly link: Link;
  readonly path: string;
  readonly threads?: number;
  /** Rules of the audit whose warnings the site has taken note of. */
  readonly acknowledged?: readonly string[];
  readonly client?: ClientOptions;
}

/** How a person follows, and decides. */
export interface JoinParty extends Onlooker {
  /** Throws where nobody could be asked; called before the file is read. */
  refuseUnattended(): void;
  /** Whether what was shown may leave, with what the audit warns of and nobody has acknowledged. */
  approve(warnings: readonly RuleId[], audit: Audit | undefined): Promise<boolean>;
}

/** Everything of `join` but the sending: fetches the study, judges the file here, and shows what would leave. */
export async function rehearseJoin(
  request: JoinRequest,
  home: SiteHome,
  party: Onlooker,
): Promise<Prepared> {
  await refuseDoubtfulLedger(home);
  const client = studyClient(request.link, request.client);
  const standing = await showStanding(client, request.link, party);
  return prepare(request, standing, home, party);
}

/** A site joins: shows the study, reads the file, shows what would leave, asks, sends, keeps the receipt. */
export async function joinStudy(
  request: JoinRequest,
  home: SiteHome,
  party: JoinParty,
): Promise<Joined> {
  await refuseDoubtfulLedger(home);
  const client = studyClient(request.link, request.client);
  const standing = await showStanding(client, request.link, party);
  const source = await versionAt(nodeHost, { path: request.path });
  const wanted = { source, ...(request.again === undefined ? {} : { again: request.again }) };
  const resumed = await resumePending(client, standing, home, wanted, party.notice);
  if (resumed !== undefined) return resumed;
  turnOf(standing, request.again);
  party.refuseUnattended();
  const prepared = await prepare(request, standing, home, party);
  refuseAudit(prepared, 'nothing was sent');
  const warnings = unacknowledged(prepared, request.acknowledged ?? []);
  if (!(await party.approve(warnings, prepared.audit))) {
    throw new Refusal(
      'not-allowed',
      'you did not approve; no statistic was sent',
      'run the command again when you are ready',
    );
  }
  return sendPrepared(client, standing, prepared, home, party.notice);
}

async function showStanding(client: StudyClient, link: Link, party: Onlooker): Promise<Standing> {
  const standing = await standingAt(client, link);
  const { view } = standing;
  party.show(`${studyStory(standing.agreed, party.ink)}\n${standingStory(view)}`);
  return standing;
}

async function prepare(
  { path, threads, ...request }: JoinRequest,
  standing: Standing,
  home: SiteHome,
  party: Onlooker,
): Promise<Prepared> {
  const prepared = await preparing(threads, party, (pool) =>
    prepareJoin({ ...request, rows: { path } }, standing, home, pool, party.watch),
  );
  showPrepared(standing.agreed, path, prepared, party);
  return prepared;
}
