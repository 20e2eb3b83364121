import { defined } from '../defined.ts';
import type { StudyView } from '../protocol/messages.ts';
import { contributionLimit } from '../statistic/envelope.ts';
import { requireMember, requireOperator } from './access.ts';
import type { Caller } from './coordinator.ts';
import { type CoordinatorContext, unknownStudy } from './coordinator-context.ts';
import { devicesView } from './enrolments.ts';
import { openingView } from './openings.ts';
import { nextOf } from './rounds.ts';
import { siteStatuses, statusesSeenBy } from './site-statuses.ts';
import { sumView } from './sum-view.ts';

/** A study as the caller may see it: a site sees names and states of other sites, not their row counts. */
export async function viewStudy(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
): Promise<StudyView> {
  requireMember(caller, id);
  const { study, digest, layout, method, aggregation } = await context.agreed(id);
  const { db } = context.store;
  const row = await db
    .selectFrom('studies')
    .select([
      'id',
      'state',
      'created_at',
      'deadline',
      'quorum',
      'problem',
      'due',
      'first',
      'round',
      'erased_at',
    ])
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
  const open = method.noise === undefined && aggregation.minimumSites === undefined;
  const shown = open ? 'with traffic' : 'without traffic';
  const seen =
    caller.role === 'site'
      ? await statusesSeenBy(context.store, id, caller.site, shown)
      : { sites: caller.role === 'open' ? [] : await siteStatuses(context.store, id, shown) };
  const devices = await devicesView(db, id, row.first ?? id, await context.now());
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
    ...defined({ devices }),
    ...defined({ resolution: newest }),
    ...(row.problem === null ? {} : { problem: row.problem }),
    ...(row.problem === null || row.due === 0 ? {} : { retries: true }),
    ...(row.erased_at === null ? {} : { erasedAt: row.erased_at }),
    ...(row.round === 1 ? {} : { round: row.round }),
    ...defined({ next: await nextOf(db, row) }),
    ...defined({ opening: await openingView(db, id, caller) }),
    ...(study.parents === undefined ? {} : defined({ sum: await sumView(db, id) })),
    coordinatorKey: context.signing.key,
    ...(caller.role === 'site' && 'nextSequence' in seen
      ? { you: { site: caller.site, nextSequence: seen.nextSequence } }
      : {}),
  };
}

/** All studies, newest first. */
export async function listStudies(
  context: CoordinatorContext,
  caller: Caller,
): Promise<readonly StudyView[]> {
  requireOperator(caller);
  const rows = await context.store.db
    .selectFrom('studies')
    .select('id')
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
  const views: StudyView[] = [];
  for (const { id } of rows) views.push(await viewStudy(context, caller, id));
  return views;
}
