import type { StudyView } from '../protocol/messages.ts';
import { contributionLimit } from '../statistic/envelope.ts';
import { requireOperator, requirePart } from './access.ts';
import type { Caller } from './coordinator.ts';
import { type Desk, unknownStudy } from './desk.ts';
import { siteStatuses, statusesSeenBy } from './site-statuses.ts';

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
  const seen =
    caller.role === 'site'
      ? await statusesSeenBy(desk.store, id, caller.site)
      : { sites: await siteStatuses(desk.store, id) };
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
    sites: seen.sites,
    ...(newest === undefined ? {} : { resolution: newest }),
    ...(row.problem === null ? {} : { problem: row.problem }),
    coordinatorKey: desk.signing.key,
    ...(caller.role === 'site' && 'nextSequence' in seen
      ? { you: { site: caller.site, nextSequence: seen.nextSequence } }
      : {}),
  };
}

/** All studies, newest first. */
export async function listStudies(desk: Desk, caller: Caller): Promise<readonly StudyView[]> {
  requireOperator(caller);
  const rows = await desk.store.db
    .selectFrom('studies')
    .select('id')
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
  const views: StudyView[] = [];
  for (const { id } of rows) views.push(await viewStudy(desk, caller, id));
  return views;
}
