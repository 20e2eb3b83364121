import { sql } from 'kysely';
import type { SiteLine } from '../model/report.ts';
import type { SiteStatus, Traffic } from '../protocol/messages.ts';
import { notAllowed } from './access.ts';
import { activeContributions, byName } from './active-contributions.ts';
import type { Store } from './store.ts';
import type { ActiveSet } from './stored-contributions.ts';
import { type StoredContribution, storedContributions } from './stored-contributions.ts';
import type { ContributionsTable, SitesTable } from './tables.ts';

/** Whether a view shows the bytes of each site: a study that is private or has `minimumSites` hides them, since sizes may depend on rows. */
type TrafficShown = 'with traffic' | 'without traffic';

/** The status of all invited sites of a study with their row counts, in order of name. */
export async function siteStatuses(
  { db }: Store,
  id: string,
  shown: TrafficShown,
): Promise<SiteStatus[]> {
  const sites = await db
    .selectFrom('sites')
    .selectAll()
    .where('study', '=', id)
    .where('device', '=', 0)
    .execute();
  // Devices are counted, not listed: there may be very many.
  const stored = sites.length === 0 ? [] : await storedContributions(db, id);
  const statusOf = withNumbers(stored, shown);
  return sites.map(statusOf).sort((a, b) => byName(a.name, b.name));
}

/** The status of the sites as one of them may see it: for other sites, only name and state. */
export async function statusesSeenBy(
  store: Store,
  id: string,
  name: string,
  shown: TrafficShown,
): Promise<{ readonly sites: SiteStatus[]; readonly nextSequence: number }> {
  const own = await store.db
    .selectFrom('sites')
    .selectAll()
    .where('study', '=', id)
    .where('name', '=', name)
    .executeTakeFirst();
  if (own === undefined) throw notAllowed('the site is not part of the study');
  const ownStatus = withNumbers(await storedContributions(store.db, id, name), shown)(own);
  const others = await namesAndStates(store, id);
  const listed = own.device === 1 ? [...others, [name, own.state] as const] : others;
  const sites = listed
    .map(([other, state]) =>
      other === name
        ? ownStatus
        : { name: other, state, late: 0, ...trafficIf(shown, { up: 0, down: 0 }) },
    )
    .sort((a, b) => byName(a.name, b.name));
  return { sites, nextSequence: own.next_sequence };
}

/** The database builds one JSON text: reading thousands of rows would take longer than everything else. */
async function namesAndStates(
  { db, kind }: Store,
  id: string,
): Promise<[string, SiteStatus['state']][]> {
  const json = {
    sqlite: sql<string>`json_group_array(json_array(name, state))`,
    postgres: sql<string>`cast(json_agg(json_build_array(name, state)) as text)`,
  };
  const row = await db
    .selectFrom('sites')
    .select(json[kind].as('json'))
    .where('study', '=', id)
    .where('device', '=', 0)
    .executeTakeFirst();
  return JSON.parse(row?.json ?? '[]');
}

function withNumbers(
  stored: readonly StoredContribution[],
  shown: TrafficShown,
): (site: SitesTable) => SiteStatus {
  const active = activeContributions(stored, { includeLate: false });
  const late = new Map<string, number>();
  for (const one of stored) late.set(one.site, (late.get(one.site) ?? 0) + one.late);
  return ({ name, state, bytes_up, bytes_down }) => {
    const own = active.get(name);
    return {
      name,
      state,
      ...siteNumbers(own ?? []),
      late: late.get(name) ?? 0,
      ...trafficIf(shown, { up: bytes_up, down: bytes_down }),
    };
  };
}

function trafficIf(shown: TrafficShown, traffic: Traffic): Pick<SiteStatus, 'traffic'> {
  return shown === 'with traffic' ? { traffic } : {};
}

/** Rows used and dropped, over all contributions of a site; unknown in a private study. */
function siteNumbers(contributions: readonly Pick<ContributionsTable, 'rows' | 'dropped'>[]): {
  readonly n?: number;
  readonly dropped?: number;
} {
  const counted = contributions.filter(({ rows }) => rows !== null);
  if (counted.length === 0) return {};
  return {
    n: counted.reduce((sum, { rows }) => sum + (rows ?? 0), 0),
    dropped: counted.reduce((sum, { dropped }) => sum + (dropped ?? 0), 0),
  };
}

/** One line for each site of a report. */
export function siteLines({ bySite }: ActiveSet): SiteLine[] {
  return Array.from(bySite, ([name, contributions]) => ({ name, ...siteNumbers(contributions) }));
}
