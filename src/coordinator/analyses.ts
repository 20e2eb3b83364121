import { hasQuery, type Query, queryMethod } from '../analysis/query.ts';
import { topics } from '../analysis/topics.ts';
import type { Result } from '../conclude.ts';
import type { Agreement } from '../federate.ts';
import type { Analysis, SealedAnalysis } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { sealDocument } from '../protocol/signature.ts';
import { finiteJson } from '../text/finite-json.ts';
import { requireRunner } from './access.ts';
import { collectActive } from './collect.ts';
import type { Caller } from './coordinator.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { createOneByOne } from './one-by-one.ts';
import { noiseOf } from './release.ts';
import { newestResolution } from './resolution-records.ts';
import { refuseErasedStudy } from './retention.ts';
import { siteLines } from './site-statuses.ts';
import { activeBefore, changedSince } from './stored-contributions.ts';

/** Analyses of a study that may wait for the one under way; a page asks a few at once. */
const MOST_WAITING = 8;
const lines = createOneByOne(MOST_WAITING, 'the study has as many analyses under way as it may');

/**
 * Answers questions about the newest resolution from its stored contributions; no site is contacted. A study has one analysis
 * at a time.
 */
export async function analyseStudy(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  query: Query,
): Promise<SealedAnalysis> {
  requireRunner(caller, id);
  return lines.run(id, () => analyse(context, id, query));
}

async function analyse(
  context: CoordinatorContext,
  id: string,
  query: Query,
): Promise<SealedAnalysis> {
  const agreed = await context.agreed(id);
  const newest = await newestResolution(context.store.db, id);
  if (newest === undefined) {
    throw new Refusal('conflict', 'the study has no resolution yet', 'ask after it has resolved');
  }
  const active = await activeBefore(context.store.db, id, newest);
  // A private study has one report, made once. If there are questions, `conclude` refuses below.
  if (agreed.method.noise !== undefined && !hasQuery(query)) {
    return sealed(context, agreed, newest.number, query, { report: newest.report, answers: [] });
  }
  await refuseErasedStudy(context, id);
  const method = queryMethod(agreed.method, query);
  if ('problem' in method) throw new Refusal('conflict', method.problem, method.remedy);
  const collected = await collectActive(context, id, agreed, active, {
    method,
    across: query.questions.some(({ about }) => topics[about].sees === 'sites'),
  });
  if (collected === undefined) throw changedSince(newest.number);
  if ('problem' in collected) throw new Refusal('conflict', collected.problem, collected.remedy);
  const { study } = agreed;
  const noise = await noiseOf(context, agreed, id, active);
  const concluded = await context.conclude({ study, ...collected, query, ...noise });
  if ('problem' in concluded) throw new Refusal('conflict', concluded.problem, concluded.remedy);
  const report = { ...concluded.report, sites: siteLines(active) };
  return sealed(context, agreed, newest.number, query, { ...concluded, report });
}

async function sealed(
  context: CoordinatorContext,
  { study, digest }: Agreement,
  resolution: number,
  query: Query,
  found: Result,
): Promise<SealedAnalysis> {
  return sealDocument<Analysis>(
    {
      schema: 'suffice/analysis@1',
      resolution,
      study,
      studyDigest: digest,
      askedAt: await context.now(),
      inquiry: query,
      ...JSON.parse(finiteJson(found)),
    },
    context.signing,
  );
}
