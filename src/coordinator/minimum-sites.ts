import type { Kysely } from 'kysely';
import { smallestGroup } from '../aggregation/site-groups.ts';
import { thresholdsOf } from '../disclosure/profile.ts';
import type { Failure } from '../failure.ts';
import type { Agreement } from '../federate.ts';
import type { SiteLine } from '../model/report.ts';
import type { Resolution } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { siteLines } from './site-statuses.ts';
import { type ActiveSet, contributionsOf } from './stored-contributions.ts';
import { roundIds, type StudySession } from './study-session.ts';
import type { Tables } from './tables.ts';

/** Fewest rows with which a site counts: those of the study's disclosure rules, at least one. */
function fewestRows({ study }: Agreement): number {
  const rules = thresholdsOf(study.disclosure);
  return rules === 'none' ? 1 : rules.thresholds.rows;
}

/** Names of the sites that count; in a private study nobody may know who has few rows, and all do. */
function countingSites(agreed: Agreement, sites: readonly SiteLine[]): Set<string> {
  const fewest = fewestRows(agreed);
  return new Set(sites.filter(({ n = fewest }) => n >= fewest).map(({ name }) => name));
}

/** Why there is no resolution yet: too few sites that have as many rows as a site must have to send any. */
export function tooFewSites(
  agreed: Agreement,
  active: ActiveSet,
  quorum: number,
): Failure | undefined {
  const all = active.bySite.size;
  // Where one site is enough, the rules for the total say what it lacks.
  const counting = quorum === 1 ? all : countingSites(agreed, siteLines(active)).size;
  if (counting >= quorum) return undefined;
  const small = all - counting;
  const apart =
    small === 0
      ? ''
      : `; not counted, with fewer than ${fewestRows(agreed)} rows: ${small === 1 ? '1 site' : `${small} sites`}`;
  return {
    problem: `sites that contributed: ${counting}, needed for the quorum: ${quorum}${apart}`,
    remedy: 'reopen the study, or include late contributions',
  };
}

/** A set of files that was published, or may be. */
type Published = Pick<Resolution, 'contributions'> & {
  readonly report: { readonly sites?: readonly SiteLine[] };
};

/**
 * Why these contributions may not be resolved yet, in a study with `minimumSites`. Sites that were in the same resolutions form
 * a group. A published site never changes what it sent, so whatever is worked out from several totals is worked out
 * from sums over whole groups: each must have enough sites. Rounds count together, since their totals are about the same rows.
 */
export async function heldBack(
  { store: { db }, firstRound }: CoordinatorContext,
  id: string,
  agreed: Agreement,
  active: ActiveSet,
): Promise<Failure | undefined> {
  return heldIn({ db, id, first: await firstRound(id) }, agreed, active);
}

/** The same inside a write: what was published since it was first asked counts, too. */
export async function heldIn(
  { db, id, first }: Pick<StudySession, 'id' | 'first'> & { readonly db: Kysely<Tables> },
  agreed: Agreement,
  active: ActiveSet,
): Promise<Failure | undefined> {
  const { minimumSites } = agreed.aggregation;
  if (minimumSites === undefined) return undefined;
  const earlier = await publishedSets(db, [id]);
  const ofAllRounds = await publishedSets(db, roundIds(db, first));
  const next: Published = {
    contributions: contributionsOf(active.bySite),
    report: { sites: siteLines(active) },
  };
  const before = new Map(earlier.flatMap(filesBySite));
  const changed = filesBySite(next).find(([site, files]) => (before.get(site) ?? files) !== files);
  if (changed !== undefined) {
    return {
      problem: `held: ${changed[0]} has changed what an earlier resolution has of it`,
      remedy: 'make a new study for new rows: minimumSites lets a published site leave, not change',
    };
  }
  const all = [...ofAllRounds, next];
  const counted = new Map<string, boolean>();
  for (const { contributions, report } of all) {
    const counting = countingSites(agreed, report.sites ?? []);
    for (const { site } of contributions)
      counted.set(site, counted.get(site) ?? counting.has(site));
  }
  const smallest = smallestGroup(
    all.map(({ contributions }) => contributions.map(({ site }) => site)),
    (site) => counted.get(site) === true,
  );
  if (smallest >= minimumSites) return undefined;
  return {
    problem: `held: with earlier resolutions, this one would tell about a group of ${smallest} ${smallest === 1 ? 'site' : 'sites'}; minimumSites is ${minimumSites}`,
    remedy: `it resolves when ${minimumSites} sites have joined or left together`,
  };
}

/** Refuses more of a site that is published, in a study with `minimumSites`: the change would be about this site alone. */
export async function refusePublished(
  db: Kysely<Tables>,
  id: string,
  { aggregation }: Agreement,
  site: string,
): Promise<void> {
  if (aggregation.minimumSites === undefined) return;
  const sets = await publishedSets(db, [id]);
  if (!sets.some(({ contributions }) => contributions.some((one) => one.site === site))) return;
  throw new Refusal(
    'conflict',
    'a published resolution has a contribution of this site: with minimumSites it may leave, not change',
    'take part in a new study with new rows',
  );
}

async function publishedSets(
  db: Kysely<Tables>,
  studies: readonly string[] | ReturnType<typeof roundIds>,
): Promise<Published[]> {
  const rows = await db
    .selectFrom('resolutions')
    .select('document')
    .where('study', 'in', studies)
    .execute();
  // A sum that a region has sent on is out, as a resolution is.
  const sent = await db
    .selectFrom('sent_sums')
    .select('members')
    .where('study', 'in', studies)
    .execute();
  return [...rows.map(({ document }) => document), ...sent.map(({ members }) => members)].map(
    (text) => JSON.parse(text),
  );
}

function filesBySite({ contributions }: Published): [string, string][] {
  return contributions.map(({ site, digests }) => [site, digests.join()]);
}
