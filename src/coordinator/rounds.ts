import type { Kysely } from 'kysely';
import { agreement, nextRound } from '../federate.ts';
import type { StudyView } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { requireRunner } from './access.ts';
import type { Caller } from './coordinator.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { endEnrolling } from './enrolments.ts';
import { requireStep } from './life.ts';
import { newestResolution } from './resolution-records.ts';
import { insertStudy, siteRow, studyRow } from './study-records.ts';
import { inStudy, StudySession } from './study-session.ts';
import type { SitesTable, StudiesTable, Tables } from './tables.ts';

/**
 * Opens the next round of a study, for the sites that are still in: a study of its own, derived from the newest resolution.
 * A study has one next round: a repeated request changes nothing.
 */
export async function openRound(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
): Promise<void> {
  requireRunner(caller, id);
  await inStudy(context, id, async (session) => {
    const { db, at, study } = session;
    if ((await nextOf(db, study)) !== undefined) return;
    const resolution = await newestResolution(db, id);
    if (resolution === undefined) throw unresolvedYet();
    requireStep('refine', study.state);
    const { report, number } = resolution;
    const from = { study: study.digest, total: report.digest };
    const next = nextRound(resolution.study, report, from);
    if ('problem' in next) throw new Refusal('conflict', next.problem, next.remedy, next.option);
    const agreed = agreement(next);
    const row: StudiesTable = {
      ...studyRow(agreed, at, laterThan(at, next.quorum?.deadline)),
      first: session.first,
      round: study.round + 1,
      from_resolution: number,
    };
    const sites = await sitesStillIn(session);
    if (sites.length < row.quorum) throw tooFewLeft(sites.length, row.quorum);
    await insertStudy(
      db,
      row,
      sites.map(({ name, key, device }) => ({ ...siteRow(row.id, name, key), device })),
    );
    await endEnrolling(session); // a later round is for those who were in the first
    const opened = new StudySession(context, db, row, at);
    const names = sites.map(({ name }) => name);
    opened.record('created', { sites: names, after: study.digest, resolution: number });
    opened.change({ state: 'open' });
    opened.record('opened', {});
    await opened.save();
    session.record('round-opened', { study: agreed.digest, resolution: number });
  });
}

/** The round after a study, if it was opened. */
export async function nextOf(
  db: Kysely<Tables>,
  { id, first, round }: Pick<StudiesTable, 'id' | 'first' | 'round'>,
): Promise<StudyView['next']> {
  const row = await db
    .selectFrom('studies')
    .select(['id', 'digest', 'from_resolution'])
    .where('first', '=', first ?? id)
    .where('round', '=', round + 1)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return { id: row.id, digest: row.digest, resolution: row.from_resolution ?? 1 };
}

/** Sites that have neither withdrawn nor lost their invitation, in order of name. */
async function sitesStillIn({ db, id, first }: StudySession): Promise<SitesTable[]> {
  return db
    .selectFrom('sites')
    .selectAll()
    .where('study', '=', id)
    .where('state', 'not in', ['withdrawn', 'revoked'])
    .where('name', 'in', (nested) =>
      nested
        .selectFrom('access')
        .select('site')
        .where('study', '=', first)
        .where('role', '=', 'site')
        .where('revoked_at', 'is', null)
        .$castTo<{ site: string }>(),
    )
    .orderBy('name')
    .execute();
}

/** A deadline of the study, unless it has passed: it was that of the first round. */
function laterThan(at: string, deadline: string | undefined): string | null {
  if (deadline === undefined) return null;
  const time = new Date(deadline).toISOString();
  return time > at ? time : null;
}

function unresolvedYet(): Refusal {
  return new Refusal(
    'conflict',
    'the study has no resolution yet: a further round starts from the model of the round before',
    'wait until the study is resolved',
  );
}

function tooFewLeft(left: number, quorum: number): Refusal {
  return new Refusal(
    'conflict',
    `sites that are still in the study: ${left}, needed for the quorum: ${quorum}`,
    'invite a site first',
  );
}
