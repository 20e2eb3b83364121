import type { Kysely } from 'kysely';
import type { Resolution } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { digestJson } from '../study/digest.ts';
import { byName, countingParts } from './counting-parts.ts';
import { type HeldPart, heldParts } from './held-parts.ts';
import type { StudySession } from './study-session.ts';
import type { Tables } from './tables.ts';

/** What an answer is made of: the parts that count, by site, and the digest of that choice. */
export interface Counting {
  readonly bySite: ReadonlyMap<string, readonly HeldPart[]>;
  readonly digest: string;
}

/** What counts in a study at this moment. */
export async function countingNow(
  db: Kysely<Tables>,
  id: string,
  choice: { readonly includeLate: boolean },
): Promise<Counting> {
  const bySite = countingParts(await heldParts(db, id), choice);
  return { bySite, digest: digestJson(contributionsOf(bySite)) };
}

/** What counts, where that is still what a resolution was made of. */
export async function countingStill(
  db: Kysely<Tables>,
  id: string,
  { number, contributions }: Pick<Resolution, 'number' | 'contributions'>,
): Promise<Counting> {
  const counting = await countingNow(db, id, { includeLate: false });
  if (digestJson(contributions) !== counting.digest) throw changedSince(number);
  return counting;
}

/** Says that what a resolution was made of is no longer what counts. */
export function changedSince(resolution: number): Refusal {
  return new Refusal(
    'conflict',
    `contributions have changed since resolution ${resolution}`,
    'resolve the study again, then ask',
  );
}

/** The files that count, as a resolution names them: by site in order of names. */
export function contributionsOf(bySite: Counting['bySite']): Resolution['contributions'] {
  return Array.from(bySite, ([site, parts]) => ({
    site,
    digests: parts.flatMap(({ digest }) => digest ?? []),
  }));
}

/** Invited sites that an answer is without. */
export async function missingSites(
  { db, id }: StudySession,
  { bySite }: Counting,
): Promise<string[]> {
  const sites = await db
    .selectFrom('sites')
    .select('name')
    .where('study', '=', id)
    .where('state', 'not in', ['revoked', 'withdrawn'])
    .execute();
  return sites
    .map(({ name }) => name)
    .filter((name) => !bySite.has(name))
    .sort(byName);
}
