import { type Agreement, agreement } from '../federate.ts';
import { whyNotInTree } from '../fusion/in-tree.ts';
import { type ClientOptions, studyClient } from '../protocol/client.ts';
import { followRounds } from '../protocol/follow-rounds.ts';
import { type Link, linkText, parseLink } from '../protocol/link.ts';
import type { StudyView } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { strangeKey } from '../site/roster-key.ts';
import { canonicalJson } from '../study/canonical-json.ts';
import { isRegionOf } from '../study/regional-study.ts';
import type { ParentStudy } from '../study/study.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { parentOf } from './parent-records.ts';
import type { ParentsTable } from './tables.ts';

/** A study above, as the region that takes part in it sees it. */
export interface ParentMembership {
  readonly link: Link;
  readonly view: StudyView;
  readonly agreed: Agreement;
  /** Name of the region there. */
  readonly site: string;
}

/** A parent to be stored with a new regional study. */
export interface RequiredParent {
  readonly row: Omit<ParentsTable, 'study'>;
  /** Whether its study was derived here from the signed resolution of an earlier round. */
  readonly derived: boolean;
}

/**
 * The parent of a new regional study, to be stored with it; undefined for a study of no region. Asks the parent for its study, and
 * refuses before anything is stored: a study that is not the parent's, a method that needs each site, a circle.
 */
export async function requiredParent(
  context: CoordinatorContext,
  agreed: Agreement,
  invitation: string | undefined,
): Promise<RequiredParent | undefined> {
  const { parents } = agreed.study;
  if (parents === undefined && invitation === undefined) return undefined;
  if (parents === undefined) {
    throw new Refusal(
      'unprocessable',
      'an invitation to a parent was given, and the study does not name its parent',
      'make the study of the region from the invitation',
    );
  }
  if (invitation === undefined) {
    throw new Refusal(
      'unprocessable',
      'the study is one of a region, and the invitation to its parent is missing',
      'give the invitation of the region to the study of its parent',
    );
  }
  const link = parseLink(invitation);
  if ('problem' in link) {
    throw new Refusal(
      'bad-request',
      `the invitation to the parent: ${link.problem}`,
      'copy it whole',
    );
  }
  refuseCircle(context, agreed);
  refuseElsewhere(parents[0], link);
  const rounds = await followRounds(link, optionsOf(context));
  const round = rounds.find(({ view }) => view.digest === parents[0].study) ?? rounds[0];
  const parent = membershipOf(round);
  requireFit(agreed, parent, context.signing.key);
  const document = canonicalJson(parent.view.study);
  const nothing = { masks: null, problem: null, left_at: null };
  return {
    row: { link: linkText(round.link), document, ...nothing },
    derived: round !== rounds[0],
  };
}

/** The study of the parent, by the invitation of the region. */
export async function askParent(
  context: Pick<CoordinatorContext, 'parents'>,
  link: Link,
): Promise<ParentMembership> {
  return membershipOf({ link, view: await parentClient(context, link).view() });
}

function membershipOf({ link, view }: Pick<ParentMembership, 'link' | 'view'>): ParentMembership {
  if (link.purpose !== 'join' || view.you === undefined) {
    throw new Refusal(
      'not-allowed',
      'the link to the parent is not an invitation of a site',
      'ask the analyst of the parent’s study for an invitation of the region',
    );
  }
  return { link, view, agreed: agreement(view.study), site: view.you.site };
}

/** Whether the parent has something of the region. */
export function isIn({ view, site }: ParentMembership): boolean {
  const own = view.sites.find(({ name }) => name === site);
  return own?.state === 'contributed' || (own?.late ?? 0) > 0;
}

/** A client of the parent's study; each request is tried once, and due work tries again. */
export function parentClient(
  context: Pick<CoordinatorContext, 'parents'>,
  link: Link,
): ReturnType<typeof studyClient> {
  return studyClient(link, optionsOf(context));
}

/** Most bytes of an answer of a parent: a study has at most 16 MiB, a view some hundred bytes a site. */
const ANSWER_BYTES = 2 ** 26;

function optionsOf({ parents = {} }: Pick<CoordinatorContext, 'parents'>): ClientOptions {
  return { retryFor: 0, mostBytes: ANSWER_BYTES, ...parents };
}

/** Refuses a coordinator above itself: its own key is that of a coordinator above. */
function refuseCircle(
  { signing }: CoordinatorContext,
  { study: { parents = [] } }: Agreement,
): void {
  if (!parents.some(({ coordinatorKey }) => coordinatorKey === signing.key)) return;
  throw new Refusal(
    'unprocessable',
    'this coordinator would be above itself: one of the studies above is on it',
    'run the region on a coordinator of its own',
  );
}

/** Refuses an invitation to another coordinator than the study names, unasked: who has the link of a study chooses no address for this machine. */
function refuseElsewhere(named: ParentStudy, link: Link): void {
  const { coordinator, coordinatorKey } = link;
  if (coordinator === named.coordinator && coordinatorKey === named.coordinatorKey) return;
  throw new Refusal(
    'unprocessable',
    'the invitation is to another coordinator than the study of the region names',
    'give the invitation that the study was made from, or a new one to the same study',
  );
}

/** Refuses a regional study whose sum would not be a contribution to its parent. */
function requireFit(agreed: Agreement, parent: ParentMembership, key: string): void {
  const { study, layout } = agreed;
  const { link, view, site } = parent;
  const why = whyNotInTree(parent.agreed.method);
  if (why !== undefined) throw new Refusal('unprocessable', why.problem, why.remedy);
  const { coordinator, coordinatorKey } = link;
  const place = { study: view.digest, site, coordinator, coordinatorKey };
  const same = canonicalJson(layout) === canonicalJson(parent.agreed.layout);
  if (!isRegionOf(study, view.study, place) || !same) {
    throw new Refusal(
      'unprocessable',
      'the study of the region is not that of its parent',
      'make it from the invitation, and change only its name, quorum and aggregation',
    );
  }
  const strange = strangeKey(parent, key);
  if (strange !== undefined) throw new Refusal('not-allowed', strange.problem, strange.remedy);
}

/** The region's invitation to its parent. */
export async function parentLink(context: CoordinatorContext, id: string): Promise<Link> {
  const row = await parentOf(context.store.db, id);
  const link = row === undefined ? { problem: 'there is none' } : parseLink(row.link);
  if ('problem' in link) throw new Error(`the stored invitation of ${id} cannot be read`);
  return link;
}
