import type { Answered, Question } from '../analysis/question.ts';
import { type ConclusionTerms, conclude, unanswerable } from '../conclude.ts';
import { DataError } from '../data-error.ts';
import { type Agreement, agreement, collect, contribution, joinSummaries } from '../federate.ts';
import type { Report, SiteLine } from '../model/report.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { Pool } from '../rows/pool.ts';
import { type FitPlan, type PreparedFit, prepareFit } from '../rows/prepare-fit.ts';
import { columnsToRead } from '../rows/read-rows.ts';
import type { ReduceJob, ReduceResult } from '../rows/reduce-job.ts';
import { siteNames } from '../rows/site-names.ts';
import { openSource } from '../rows/sources.ts';
import type { Watch } from '../rows/watch.ts';
import type { Summary } from '../statistic/cross-product.ts';
import type { Grid } from '../statistic/linear-layout.ts';
import type { Study } from '../study/study.ts';
import { furtherRounds, plannedRounds } from './fit-rounds.ts';
import { refuseHopeless } from './hopeless.ts';
import { nodeHost } from './host.ts';
import { createPool } from './pool.ts';

/** What to fit, over which files. */
export interface FitRequest extends Omit<FitPlan, 'files'> {
  readonly paths: readonly string[];
  readonly missing: 'drop' | 'refuse';
  readonly threads?: number;
  /** What else to ask of the total. */
  readonly questions?: readonly Question[];
  /** Of a logistic or Poisson regression: rounds in all, and whether to measure what is left to pooling. */
  readonly rounds?: number;
  readonly gap?: boolean;
  /** Fit although the forecast says that noise would drown the answer. */
  readonly force?: boolean;
}

export interface FitOutcome {
  readonly study: Study;
  readonly report: Report;
  readonly answers: readonly Answered[];
}

/** Fewer digits than this send `fit` back to the files on a finer grid. */
const ENOUGH_DIGITS = 8;
const FINEST_GRID: Grid = 88;

/** A request over paths as a plan over files. */
export function planOf({ paths, ...request }: FitRequest): FitPlan {
  return { ...request, files: paths.map((path) => ({ path })) };
}

/** The whole of `suffice fit`: reduce every file, add, resolve; again on a finer grid if digits ask for it. */
export async function fitFiles(request: FitRequest, watch: Watch): Promise<FitOutcome> {
  const pool = createPool(request.threads);
  try {
    const prepared = await prepareFit(planOf(request), pool, watch);
    const once = (study: Study) => fitOnce(request, { ...prepared, study }, 'owner', pool, watch);
    const first = await once(prepared.study);
    const { rounds } = agreement(prepared.study).method;
    if (rounds?.planned !== undefined) return await plannedRounds(first, rounds.planned, once);
    if (rounds !== undefined) return await furtherRounds(first, request, once);
    const { digits = ENOUGH_DIGITS, arithmetic } = first.report;
    if (request.grid !== undefined || arithmetic !== 'exact' || digits >= ENOUGH_DIGITS)
      return first;
    return await once({ ...prepared.study, grid: FINEST_GRID });
  } finally {
    await pool.close();
  }
}

/** How to read files for a study that is settled. */
export interface StudyFitChoices
  extends Partial<Pick<FitRequest, 'missing' | 'questions' | 'force' | 'encoding' | 'threads'>> {}

/**
 * Fits a study as it stands over files, each a site: bit for bit what a coordinator must arrive at, so that nothing is told
 * of a site that it would not send.
 */
export async function fitStudy(
  study: Study,
  paths: readonly string[],
  watch: Watch,
  { threads, encoding, ...choices }: StudyFitChoices = {},
): Promise<FitOutcome> {
  const wanted = columnsToRead(agreement(study));
  const sources = await Promise.all(
    paths.map((path) => openSource(nodeHost, { path }, wanted, encoding)),
  );
  const sites = siteNames(paths).map((name) => ({ name }));
  const pool = createPool(threads);
  const prepared = { study, sources, sites };
  const request = { missing: 'drop', ...choices } as const;
  const fitted = await fitOnce(request, prepared, 'analyst', pool, watch).finally(() =>
    pool.close(),
  );
  const lines = fitted.report.sites.map(({ missing: _, ...line }) => line);
  return { ...fitted, report: { ...fitted.report, sites: lines } };
}

async function fitOnce(
  request: Pick<FitRequest, 'missing' | 'questions' | 'force'>,
  { study, sources, sites }: PreparedFit,
  audience: ConclusionTerms['audience'],
  pool: Pool,
  watch: Watch,
): Promise<FitOutcome> {
  const agreed = agreement(study);
  const jobs = sources.map(
    (source, k): ReduceJob => ({
      kind: 'reduce',
      study,
      source,
      missing: request.missing,
      wholeFile: agreed.method.wholeFile,
      site: sites[k],
    }),
  );
  const bar = watch(
    'reading',
    sources.reduce((sum, { length }) => sum + length, 0),
  );
  const results = await pool
    .run(jobs, (parts) => ({ sites: joinSites(agreed, parts) }), bar.update)
    .finally(bar.done);
  const all = joinSites(agreed, results);
  const contributions = all.map(({ name, summary }) => contribution(agreed, name, summary));
  const exact = collect(agreed, contributions);
  if ('problem' in exact) throw new DataError(exact.problem, {}, exact.remedy, exact.option);
  if (request.force !== true) refuseHopeless(agreed, rowsOf(all), exact.contributions);
  const asked = { questions: request.questions ?? [] };
  const inquiry = unanswerable(agreed, asked) === undefined ? asked : { questions: [] };
  const found = conclude(agreed, exact, { sites: all.map(siteLine), inquiry, audience });
  if (!('problem' in found)) return { study, ...found };
  const { problem, remedy, option, withheld } = found;
  if (withheld === true) throw new Refusal('not-allowed', problem, remedy, option);
  const lost = all.flatMap(({ name, summary }) => missingText(name, summary));
  throw new DataError(problem, {}, [remedy, ...lost].join('\n    '), option);
}

function rowsOf(sites: ReduceResult['sites']): number {
  return sites.reduce((sum, { summary }) => sum + summary.rows, 0);
}

/** Sites by name, in order of appearance; parts and files of one site are added. */
function joinSites(agreed: Agreement, results: readonly ReduceResult[]): ReduceResult['sites'] {
  const byName = new Map<string, Summary[]>();
  for (const { name, summary } of results.flatMap((result) => result.sites)) {
    byName.set(name, [...(byName.get(name) ?? []), summary]);
  }
  return Array.from(byName, ([name, parts]) => ({
    name,
    summary: parts.length === 1 ? parts[0] : joinSummaries(agreed.rowsLayout, parts),
  }));
}

function siteLine({ name, summary }: ReduceResult['sites'][number]): SiteLine {
  const { rows, dropped, missing } = summary;
  return { name, n: rows, dropped, ...(dropped > 0 ? { missing } : {}) };
}

/** Which columns cost a site its rows. */
function missingText(site: string, { missing }: Summary): string[] {
  const counts = Object.entries(missing).map(([column, count]) => `${column} ${count}`);
  return counts.length === 0 ? [] : [`${site}, missing cells: ${counts.join(', ')}`];
}
