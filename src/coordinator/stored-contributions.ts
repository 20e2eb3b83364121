import { type Kysely, sql } from 'kysely';
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

/** Rows read at a time. */
const PAGE = 2000;

/**
 * Contributions to a study that are not erased, from one site or from all. Outside a transaction, one that changes meanwhile may
 * be seen as it was or as it is.
 */
export async function storedContributions(
  db: Kysely<Tables>,
  study: string,
  site?: string,
): Promise<StoredContribution[]> {
  const stored: StoredContribution[] = [];
  for await (const page of storedPages(db, study, site)) {
    for (const row of page) stored.push(compact(row));
  }
  return stored;
}

/** The same page by page, since a database gives every row texts of its own. The rows of a site follow each other. */
async function* storedPages(
  db: Kysely<Tables>,
  study: string,
  site?: string,
): AsyncGenerator<readonly StoredContribution[]> {
  const all = db
    .selectFrom('contributions')
    .select(['site', 'sequence', 'mode', 'late', 'digest', 'rows', 'dropped', 'bytes'])
    .where('study', '=', study)
    .where('digest', 'is not', null);
  const wanted = site === undefined ? all : all.where('site', '=', site);
  const page = wanted.orderBy('site').orderBy('sequence').limit(PAGE);
  for (let next = page; ; ) {
    const rows = await next.execute();
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    next = page.where(
      sql<boolean>`(site, sequence) > (${last.site}, cast(${last.sequence} as bigint))`,
    );
  }
}

/** The same record in half the memory: all of one shape, with one text for each mode. */
function compact(row: StoredContribution): StoredContribution {
  const { site, sequence, late, digest, rows, dropped, bytes } = row;
  const mode = row.mode === 'replace' ? 'replace' : 'add';
  return { site, sequence, mode, late, digest, rows, dropped, bytes };
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

/** Whether these are still the active contributions of a study: what `activeNow` would say, without a second list of all. */
export async function isStillActive(
  db: Kysely<Tables>,
  id: string,
  choice: { readonly includeLate: boolean },
  { bySite }: Pick<ActiveSet, 'bySite'>,
): Promise<boolean> {
  let found = 0;
  const isKnown = (contributions: readonly StoredContribution[]): boolean => {
    for (const [site, now] of activeContributions(contributions, choice)) {
      const before = bySite.get(site);
      if (before?.length !== now.length) return false;
      if (now.some(({ digest }, k) => digest !== before[k].digest)) return false;
      found++;
    }
    return true;
  };
  /** Contributions of the last site of a page: the next page may have more of them. */
  let open: readonly StoredContribution[] = [];
  for await (const page of storedPages(db, id)) {
    const rows = [...open, ...page];
    const last = rows.at(-1)?.site;
    open = rows.filter(({ site }) => site === last);
    if (!isKnown(rows.filter(({ site }) => site !== last))) return false;
  }
  return isKnown(open) && found === bySite.size;
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
    // Most have contributed; their names need not be read.
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('contributions')
            .select('sequence')
            .whereRef('contributions.study', '=', 'sites.study')
            .whereRef('contributions.site', '=', 'sites.name')
            .where('digest', 'is not', null)
            .where('late', '=', 0),
        ),
      ),
    )
    .execute();
  return sites
    .map(({ name }) => name)
    .filter((name) => !bySite.has(name))
    .sort(byName);
}
