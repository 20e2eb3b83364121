import type { SiteStatus, StudyView } from '../protocol/messages.ts';
import { contributionLimit } from '../statistic/envelope.ts';
import { requireOperator, requirePart } from './access.ts';
import type { Caller } from './coordinator.ts';
import { type Desk, unknownStudy } from './desk.ts';
import { type HeldPart, heldParts } from './held-parts.ts';
import { byName, countingParts } from './session.ts';
import type { ContributionsTable, SitesTable } from './tables.ts';

/** A study as the caller may see it: a site sees the names and states of others, not their numbers. */
export async function viewStudy(desk: Desk, caller: Caller, id: string): Promise<StudyView> {
  requirePart(caller, id);
  const { study, digest, layout } = await desk.agreed(id);
  const { db } = desk.store;
  const row = await db
    .selectFrom('studies')
    .select(['state', 'created_at', 'deadline', 'quorum', 'problem'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw unknownStudy();
  const newest = await db
    .selectFrom('resolutions')
    .select(['number', 'digest'])
    .where('study', '=', id)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  const sites = await db.selectFrom('sites').selectAll().where('study', '=', id).execute();
  const own = caller.role === 'site' ? sites.find(({ name }) => name === caller.site) : undefined;
  const parts = await heldParts(db, id, own?.name);
  const counting = countingParts(parts, { includeLate: false });
  const late = new Map<string, number>();
  for (const part of parts) late.set(part.site, (late.get(part.site) ?? 0) + part.late);
  return {
    schema: 'suffice/study-view@1',
    id,
    digest,
    study,
    state: row.state,
    createdAt: row.created_at,
    ...(row.deadline === null ? {} : { deadline: row.deadline }),
    quorum: row.quorum,
    layout,
    limit: contributionLimit(layout),
    sites: sites
      .sort((a, b) => byName(a.name, b.name))
      .map((site) =>
        caller.role === 'site' && site.name !== caller.site
          ? outsideStatus(site)
          : insideStatus(site, counting.get(site.name), late.get(site.name) ?? 0),
      ),
    ...(newest === undefined ? {} : { resolution: newest }),
    ...(row.problem === null ? {} : { problem: row.problem }),
    coordinatorKey: desk.signing.key,
    ...(own === undefined ? {} : { you: { site: own.name, nextSequence: own.next_sequence } }),
  };
}

export async function listStudies(desk: Desk, caller: Caller): Promise<readonly StudyView[]> {
  requireOperator(caller);
  const rows = await desk.store.db
    .selectFrom('studies')
    .select('id')
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const views: StudyView[] = [];
  for (const { id } of rows) views.push(await viewStudy(desk, caller, id));
  return views;
}

function outsideStatus({ name, state }: SitesTable): SiteStatus {
  return { name, state, late: 0, traffic: { up: 0, down: 0 } };
}

function insideStatus(
  { name, state, bytes_up, bytes_down }: SitesTable,
  counting: readonly HeldPart[] | undefined,
  late: number,
): SiteStatus {
  return {
    name,
    state,
    ...(counting === undefined ? {} : siteNumbers(counting)),
    late,
    traffic: { up: bytes_up, down: bytes_down },
  };
}

/** Rows used and dropped over the parts of a site. */
export function siteNumbers(parts: readonly Pick<ContributionsTable, 'rows' | 'dropped'>[]): {
  n: number;
  dropped: number;
} {
  return {
    n: parts.reduce((sum, { rows }) => sum + (rows ?? 0), 0),
    dropped: parts.reduce((sum, { dropped }) => sum + (dropped ?? 0), 0),
  };
}
