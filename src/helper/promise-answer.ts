import type { Transaction } from 'kysely';
import type { Aggregation } from '../aggregation/aggregation.ts';
import { smallestGroup } from '../aggregation/site-groups.ts';
import type { Store } from '../coordinator/store.ts';
import type { Tables } from '../coordinator/tables.ts';
import type { Agreement } from '../federate.ts';
import { type SetMember, setDigest, setMembers } from '../protocol/helper-messages.ts';
import type { SealedOpening } from '../protocol/opening-messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { openedSites } from './opened-sites.ts';
import type { UsableSlip } from './usable-slips.ts';
import { useSeeds } from './used-seeds.ts';

/** A set that the helper answers for, and since when. */
export interface PromisedSet {
  readonly set: string;
  readonly members: readonly SetMember[];
  readonly answeredAt: string;
}

/**
 * Records, before any sum is computed, that the helper answers for this set. The same set is promised again at any time. Another
 * set is refused unless the privacy budget allows it, every group of sites that the sets together tell apart is large enough, and no site has changed what it sent.
 * Sites that let the coordinator see their contributions are in no group: the others must be enough without them.
 */
export function promiseAnswer(
  store: Store,
  agreed: Agreement,
  usable: readonly UsableSlip[],
  openings: readonly SealedOpening[] = [],
): Promise<PromisedSet> {
  const { digest, aggregation } = agreed;
  const members = setMembers(usable.map(({ slip }) => slip));
  const set = setDigest(digest, members);
  return store.write(digest, async (db) => {
    const earlier = await promisedSets(db, digest);
    const known = earlier.find((one) => one.set === set);
    if (known !== undefined) return known;
    refuseOverspent(agreed, earlier.length);
    refuseChanged(earlier, members);
    const sets = [...earlier, { members }];
    refuseSmallGroups(aggregation, sets, openedSites(agreed, openings, sets));
    await useSeeds(db, digest, usable);
    const answeredAt = (await store.now(db)).toISOString();
    await db
      .insertInto('helper_answers')
      .values({
        study: digest,
        contributions: set,
        members: JSON.stringify(members),
        answered_at: answeredAt,
      })
      .execute();
    return { set, members, answeredAt };
  });
}

/** The sets that the helper has answered for, oldest first. */
export async function promisedSets(
  db: Pick<Transaction<Tables>, 'selectFrom'>,
  study: string,
): Promise<PromisedSet[]> {
  const rows = await db
    .selectFrom('helper_answers')
    .selectAll()
    .where('study', '=', study)
    .orderBy('answered_at')
    .execute();
  return rows.map(({ contributions, members, answered_at }) => ({
    set: contributions,
    members: JSON.parse(members),
    answeredAt: answered_at,
  }));
}

/** Refuses an answer with noise that the privacy budget of the study is not for: the coordinator could average the noise away. */
function refuseOverspent({ method: { noise } }: Agreement, answered: number): void {
  if (noise?.atHelper === undefined || answered < (noise.totals ?? 1)) return;
  throw new Refusal(
    'conflict',
    `answered: the privacy budget of the study is for ${answered === 1 ? 'one answer' : `${answered} answers`}`,
    'ask for an earlier set again; a study with "releases" shares its budget among several',
  );
}

function refuseChanged(earlier: readonly PromisedSet[], members: readonly SetMember[]): void {
  const before = new Map(earlier.flatMap((one) => [...filesBySite(one.members)]));
  for (const [site, files] of filesBySite(members)) {
    if ((before.get(site) ?? files) === files) continue;
    throw new Refusal(
      'conflict',
      `answered: an earlier answer has other contributions of ${site}, and the difference would tell what it changed`,
      'ask for the earlier set again; new rows need a new study',
    );
  }
}

function filesBySite(members: readonly SetMember[]): Map<string, string> {
  const files = new Map<string, string>();
  for (const [site, sequence, data] of members) {
    files.set(site, `${files.get(site) ?? ''} ${sequence} ${data}`);
  }
  return files;
}

/** Every group of sites whose sum can be worked out from these sets must be large: in a study with folds, each of them in each set. */
function refuseSmallGroups(
  { minimumSites: fewest = 1, grouping }: Aggregation,
  sets: readonly Pick<PromisedSet, 'members'>[],
  opened: ReadonlySet<string>,
): void {
  const groups = sets
    .map(({ members }) => members.map(([site]) => site))
    .filter((sites) => sites.some((site) => !opened.has(site)))
    .flatMap((sites) =>
      Array.from({ length: grouping?.groups ?? 1 }, (_, group) =>
        sites.filter((site) => (grouping?.groupOf(site) ?? 0) === group),
      ),
    );
  const empty = groups.some((sites) => sites.length === 0);
  const hidden = groups.map((sites) => sites.filter((site) => !opened.has(site)));
  const smallest = empty ? 0 : smallestGroup(hidden);
  if (smallest >= fewest) return;
  throw sets.length === 1
    ? new Refusal(
        'conflict',
        `too few: ${smallest} ${smallest === 1 ? 'site has' : 'sites have'} a valid contribution, ${fewest} are needed`,
        'ask again when more sites have contributed',
      )
    : new Refusal(
        'conflict',
        `answered: with the earlier answer this one would tell about a group of ${smallest} ${smallest === 1 ? 'site' : 'sites'}; the study asks for ${fewest}`,
        'ask for the earlier set again; it gets the same answer',
      );
}
