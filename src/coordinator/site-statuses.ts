import { sql } from 'kysely';
import type { SiteLine } from '../model/report.ts';
import type { SiteStatus } from '../protocol/messages.ts';
import { notAllowed } from './access.ts';
import type { Counting } from './counting.ts';
import { byName, countingParts } from './counting-parts.ts';
import { type HeldPart, heldParts } from './held-parts.ts';
import type { Store } from './store.ts';
import type { ContributionsTable, SitesTable } from './tables.ts';

/** How all sites of a study stand, with their numbers, in order of names. */
export async function siteStatuses({ db }: Store, id: string): Promise<SiteStatus[]> {
  const sites = await db.selectFrom('sites').selectAll().where('study', '=', id).execute();
  const statusOf = withNumbers(await heldParts(db, id));
  return sites.map(statusOf).sort((a, b) => byName(a.name, b.name));
}

/** How the sites of a study stand as one of them may know it: of others, name and state alone. */
export async function statusesSeenBy(
  store: Store,
  id: string,
  name: string,
): Promise<{ readonly sites: SiteStatus[]; readonly nextSequence: number }> {
  const own = await store.db
    .selectFrom('sites')
    .selectAll()
    .where('study', '=', id)
    .where('name', '=', name)
    .executeTakeFirst();
  if (own === undefined) throw notAllowed('the site is not part of the study');
  const ownStatus = withNumbers(await heldParts(store.db, id, name))(own);
  const sites = (await namesAndStates(store, id))
    .map(([other, state]) =>
      other === name ? ownStatus : { name: other, state, late: 0, traffic: { up: 0, down: 0 } },
    )
    .sort((a, b) => byName(a.name, b.name));
  return { sites, nextSequence: own.next_sequence };
}

/** Gathered to one JSON text by the store: thousands of rows cost more than all the rest. */
async function namesAndStates(
  { db, kind }: Store,
  id: string,
): Promise<[string, SiteStatus['state']][]> {
  const gathered = {
    sqlite: sql<string>`json_group_array(json_array(name, state))`,
    postgres: sql<string>`cast(json_agg(json_build_array(name, state)) as text)`,
  };
  const row = await db
    .selectFrom('sites')
    .select(gathered[kind].as('json'))
    .where('study', '=', id)
    .executeTakeFirst();
  return JSON.parse(row?.json ?? '[]');
}

function withNumbers(parts: readonly HeldPart[]): (site: SitesTable) => SiteStatus {
  const counting = countingParts(parts, { includeLate: false });
  const late = new Map<string, number>();
  for (const part of parts) late.set(part.site, (late.get(part.site) ?? 0) + part.late);
  return ({ name, state, bytes_up, bytes_down }) => {
    const own = counting.get(name);
    return {
      name,
      state,
      ...siteNumbers(own ?? []),
      late: late.get(name) ?? 0,
      traffic: { up: bytes_up, down: bytes_down },
    };
  };
}

/** Rows used and dropped over the parts of a site; a private study has not told them. */
function siteNumbers(parts: readonly Pick<ContributionsTable, 'rows' | 'dropped'>[]): {
  readonly n?: number;
  readonly dropped?: number;
} {
  const told = parts.filter(({ rows }) => rows !== null);
  if (told.length === 0) return {};
  return {
    n: told.reduce((sum, { rows }) => sum + (rows ?? 0), 0),
    dropped: told.reduce((sum, { dropped }) => sum + (dropped ?? 0), 0),
  };
}

/** What each site of an answer brought. */
export function siteLines({ bySite }: Counting): SiteLine[] {
  return Array.from(bySite, ([name, parts]) => ({ name, ...siteNumbers(parts) }));
}
