import type { Kysely } from 'kysely';
import type { Resolution } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { digestJson } from '../study/digest.ts';
import {
  type ActiveContribution,
  activeContributions,
  byName,
  replacedContributions,
} from './active-contributions.ts';
import { deleteUpload } from './blocks.ts';
import type { StudySession } from './study-session.ts';
import type { ContributionsTable, Tables } from './tables.ts';

/** A stored contribution without its body. */
export type StoredContribution = ActiveContribution &
  Pick<ContributionsTable, 'rows' | 'dropped' | 'bytes'>;

/** Contributions to a study that are not erased, from one site or from all. */
export function storedContributions(
  db: Kysely<Tables>,
  study: string,
  site?: string,
): Promise<StoredContribution[]> {
  const contributions = db
    .selectFrom('contributions')
    .select(['site', 'sequence', 'mode', 'late', 'digest', 'rows', 'dropped', 'bytes'])
    .where('study', '=', study)
    .where('digest', 'is not', null);
  return (site === undefined ? contributions : contributions.where('site', '=', site)).execute();
}

/** Erases contributions: only the sequence number of each stays. */
export async function eraseContributions(
  session: StudySession,
  contributions: readonly ActiveContribution[],
): Promise<void> {
  if (contributions.length > 0) await eraseUnsentSum(session);
  for (const { site, sequence, digest } of contributions) {
    if (digest !== null) await deleteUpload(session.db, { study: session.id, site, file: digest });
    await session.db
      .updateTable('contributions')
      .set({ body: null, digest: null, rows: null, dropped: null, bytes: null })
      .where('study', '=', session.id)
      .where('site', '=', site)
      .where('sequence', '=', sequence)
      .execute();
  }
}

/** Erases a region's sum that waits to be sent on: it has contributions that are being erased. */
export async function eraseUnsentSum({ db, id }: StudySession): Promise<void> {
  await db.updateTable('forwards').set({ body: null }).where('study', '=', id).execute();
}

/** Makes late contributions active, and erases those they replace. */
export async function acceptLate(session: StudySession): Promise<{
  readonly active: ReadonlyMap<string, readonly StoredContribution[]>;
  readonly erased: number;
}> {
  const { db, id } = session;
  const stored = await storedContributions(db, id);
  const lateSites = [...new Set(stored.filter(({ late }) => late === 1).map(({ site }) => site))];
  if (lateSites.length > 0) {
    await db.updateTable('contributions').set({ late: 0 }).where('study', '=', id).execute();
  }
  for (const name of lateSites) {
    await db
      .updateTable('sites')
      .set({ state: 'contributed' })
      .where('study', '=', id)
      .where('name', '=', name)
      .where('state', '!=', 'revoked')
      .execute();
  }
  const accepted = stored.map((one) => ({ ...one, late: 0 }));
  const replaced = replacedContributions(accepted);
  await eraseContributions(session, replaced);
  return {
    active: activeContributions(accepted, { includeLate: false }),
    erased: replaced.length,
  };
}

/** The active contributions by site, and a digest that names this set. */
export interface ActiveSet {
  readonly bySite: ReadonlyMap<string, readonly StoredContribution[]>;
  readonly digest: string;
}

/** The active contributions of a study now. */
export async function activeNow(
  db: Kysely<Tables>,
  id: string,
  choice: { readonly includeLate: boolean },
): Promise<ActiveSet> {
  const bySite = activeContributions(await storedContributions(db, id), choice);
  return { bySite, digest: digestJson(contributionsOf(bySite)) };
}

/** The active contributions; refuses if they are no longer those of a resolution. */
export async function activeBefore(
  db: Kysely<Tables>,
  id: string,
  { number, contributions }: Pick<Resolution, 'number' | 'contributions'>,
): Promise<ActiveSet> {
  const active = await activeNow(db, id, { includeLate: false });
  if (digestJson(contributions) !== active.digest) throw changedSince(number);
  return active;
}

/** The refusal when contributions have changed since a resolution. */
export function changedSince(resolution: number): Refusal {
  return new Refusal(
    'conflict',
    `contributions have changed since resolution ${resolution}`,
    'resolve the study again, then ask',
  );
}

/** The active files as a resolution lists them: by site, in order of name. */
export function contributionsOf(bySite: ActiveSet['bySite']): Resolution['contributions'] {
  return Array.from(bySite, ([site, contributions]) => ({
    site,
    digests: contributions.flatMap(({ digest }) => digest ?? []),
  }));
}

/** Invited sites without an active contribution. */
export async function missingSites(
  { db, id }: StudySession,
  { bySite }: ActiveSet,
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
