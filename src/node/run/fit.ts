import type { Question } from '../../analysis/question.ts';
import { type ConclusionTerms, conclude, whyNoQueries } from '../../conclude.ts';
import { DataError } from '../../data-error.ts';
import { defined } from '../../defined.ts';
import {
  type Agreement,
  agreement,
  collect,
  contribution,
  joinSummaries,
  openly,
} from '../../federate.ts';
import type { SiteLine } from '../../model/report.ts';
import { Refusal } from '../../protocol/refusal.ts';
import type { Pool } from '../../rows/pool.ts';
import {
  type FitPlan,
  type PreparedFit,
  type PreparedTables,
  prepareFit,
} from '../../rows/prepare-fit.ts';
import { columnsToRead } from '../../rows/read-rows.ts';
import type { ReduceJob, ReduceResult } from '../../rows/reduce-job.ts';
import { siteNames } from '../../rows/site-names.ts';
import { openSource } from '../../rows/sources.ts';
import type { Watch } from '../../rows/watch.ts';
import { joinWordings } from '../../rows/wording.ts';
import { adjustedText } from '../../statistic/adjusted-text.ts';
import type { Summary } from '../../statistic/cross-product.ts';
import type { Grid } from '../../statistic/linear-layout.ts';
import { imagesOf } from '../../study/image-study.ts';
import type { Study } from '../../study/study.ts';
import { UsageError } from '../../usage-error.ts';
import { nodeHost } from '../compute/host.ts';
import { useNativeFactor } from '../compute/native-factor.ts';
import { useNativeHash } from '../compute/native-hash.ts';
import { createPool } from '../compute/pool.ts';
import type { FitOutcome } from './fit-outcome.ts';
import { furtherRounds, plannedRounds, type RoundChoices } from './fit-rounds.ts';
import { silentProgress } from './progress.ts';
import { refuseTooNoisy } from './too-noisy.ts';

export type { FitOutcome } from './fit-outcome.ts';

/** What a request may leave out: least squares in exact arithmetic. */
type Defaulted = 'fusion' | 'arithmetic' | 'missingMarkers';

const defaults: Pick<FitPlan, Defaulted> = {
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
  missingMarkers: [],
};

/** What to fit, over which files: a formula and paths, each file a site. */
export interface FitRequest
  extends Omit<FitPlan, 'files' | Defaulted>,
    Partial<Pick<FitPlan, Defaulted>>,
    RoundChoices {
  readonly paths: readonly string[];
  /** Leave out rows with a missing cell (the default), or refuse the file. */
  readonly missing?: 'drop' | 'refuse';
  readonly threads?: number;
  /** Further questions about the total. */
  readonly questions?: readonly Question[];
  /** Questions for later, answered where the model is not too wide for them. */
  readonly spareQuestions?: readonly Question[];
  /** Fit even if the forecast says that the noise is too large. */
  readonly force?: boolean;
}

/** If a report has fewer correct digits, `fit` reads the files again on a finer grid. */
const ENOUGH_DIGITS = 8;
const FINEST_GRID: Grid = 88;

/** The request as a plan with files. */
export function planOf({ paths, ...request }: FitRequest): FitPlan {
  return { ...defaults, ...request, files: paths.map((path) => ({ path })) };
}

const silent: Watch = () => silentProgress;

/** Refuses a call that names no formula or no files. */
function refuseWrongCall({ formula, paths }: Partial<FitRequest>): void {
  const isText = (value: unknown) => typeof value === 'string' && value !== '';
  const remedy = "call it as fitFiles({ formula: 'y ~ x', paths: ['a.csv', 'b.csv'] })";
  if (!isText(formula)) throw new UsageError('fitFiles needs a formula as text', remedy);
  refuseNoPaths(paths, remedy);
}

function refuseNoPaths(paths: unknown, remedy: string): void {
  const isList = Array.isArray(paths) && paths.length > 0;
  if (isList && paths.every((path) => typeof path === 'string')) return;
  throw new UsageError('paths must be a list of one or more files, each a text', remedy);
}

/**
 * The whole of `suffice fit`: reduce every file, add, resolve; again on a finer grid if digits ask for it. Only `formula`
 * and `paths` must be given; `watch` is shown how far the reading is.
 */
export async function fitFiles(request: FitRequest, watch: Watch = silent): Promise<FitOutcome> {
  refuseWrongCall(request ?? {});
  useNativeHash();
  useNativeFactor();
  const pool = createPool(request.threads);
  try {
    const prepared = await prepareFit(planOf(request), pool, watch);
    const outcome = await fitPrepared(request, prepared, pool, watch);
    const notes = [...prepared.notes, ...(outcome.notes ?? [])];
    return notes.length === 0 ? outcome : { ...outcome, notes };
  } finally {
    await pool.close();
  }
}

async function fitPrepared(
  request: FitRequest,
  prepared: PreparedTables,
  pool: Pool,
  watch: Watch,
): Promise<FitOutcome> {
  const once = (study: Study) => fitOnce(request, { ...prepared, study }, 'owner', pool, watch);
  const first = await once(prepared.study);
  const { rounds } = agreement(prepared.study).method;
  if (rounds?.planned !== undefined) return plannedRounds(first, rounds.planned, once);
  if (rounds !== undefined) {
    const plain = { ...request, questions: [], spareQuestions: [] };
    const silently = (study: Study) => fitOnce(plain, { ...prepared, study }, 'owner', pool, watch);
    return furtherRounds(first, request, once, silently);
  }
  const { digits = ENOUGH_DIGITS, arithmetic } = first.report;
  if (request.grid !== undefined || arithmetic !== 'exact' || digits >= ENOUGH_DIGITS) return first;
  return once({ ...prepared.study, grid: FINEST_GRID });
}

/** How to read files for a fixed study. */
export interface StudyFitChoices
  extends Partial<
    Pick<
      FitRequest,
      | 'missing'
      | 'questions'
      | 'spareQuestions'
      | 'force'
      | 'encoding'
      | 'decimal'
      | 'threads'
      | 'missingMarkers'
    >
  > {}

/**
 * Fits a fixed study on files, one for each site. The report has the same bits as that of a coordinator, and shows
 * nothing about a site that the site would not send.
 */
export async function fitStudy(
  study: Study,
  paths: readonly string[],
  watch: Watch = silent,
  { threads, encoding, decimal, missingMarkers: missing = [], ...choices }: StudyFitChoices = {},
): Promise<FitOutcome> {
  refuseNoPaths(paths, "call it as fitStudy(study, ['a.csv', 'b.csv'])");
  useNativeHash();
  useNativeFactor();
  const wanted = columnsToRead(agreement(study));
  const opened = await Promise.all(
    paths.map((path) => openSource(nodeHost, { path }, wanted, encoding, decimal, imagesOf(study))),
  );
  const sources = opened.map((source) => ({
    ...source,
    ...defined({ wording: joinWordings(source.wording, { missing }) }),
  }));
  const sites = siteNames(paths).map((name) => ({ name }));
  const pool = createPool(threads);
  const prepared = { study, sources, sites };
  const fitted = await fitOnce(choices, prepared, 'analyst', pool, watch).finally(() =>
    pool.close(),
  );
  const lines = fitted.report.sites.map(({ missing: _, ...line }) => line);
  return { ...fitted, report: { ...fitted.report, sites: lines } };
}

async function fitOnce(
  request: Pick<FitRequest, 'missing' | 'questions' | 'spareQuestions' | 'force'>,
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
      missing: request.missing ?? 'drop',
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
  const own = openly(agreed);
  const contributions = all.map(({ name, summary }) => contribution(own, name, summary));
  const exact = collect(own, contributions);
  if ('problem' in exact) throw new DataError(exact.problem, {}, exact.remedy, exact.option);
  if (request.force !== true) refuseTooNoisy(agreed, rowsOf(all), exact.contributions);
  const asked = { questions: [...(request.questions ?? []), ...spareQuestions(request, agreed)] };
  const query = whyNoQueries(agreed, asked) === undefined ? asked : { questions: [] };
  const found = conclude(own, exact, { sites: all.map(siteLine), query, audience });
  if (!('problem' in found)) {
    const notes = all.flatMap(({ name, summary }) =>
      adjustedText(summary).map((line) => `${name}, ${line}`),
    );
    return { study, ...found, ...(notes.length === 0 ? {} : { notes }) };
  }
  const { problem, remedy, option, withheld } = found;
  if (withheld === true) throw new Refusal('not-allowed', problem, remedy, option);
  const lost = all.flatMap(({ name, summary }) => missingText(name, summary));
  throw new DataError(problem, {}, [remedy, ...lost].join('\n    '), option);
}

/** Most numbers in the covariances of all responses for which a model is asked everything. */
const MOST_NUMBERS = 4e6;

function spareQuestions(
  { spareQuestions: spare = [] }: Pick<FitRequest, 'spareQuestions'>,
  { method }: Agreement,
): readonly Question[] {
  const { columns = [], responses = 1 } = method.regression?.layout ?? {};
  return columns.length ** 2 * responses > MOST_NUMBERS ? [] : spare;
}

function rowsOf(sites: ReduceResult['sites']): number {
  return sites.reduce((sum, { summary }) => sum + summary.rows, 0);
}

/** Sites by name, in order of appearance; the ranges and files of one site are added. */
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

/** Missing cells of a site by column. */
function missingText(site: string, { missing }: Summary): string[] {
  const counts = Object.entries(missing).map(([column, count]) => `${column} ${count}`);
  return counts.length === 0 ? [] : [`${site}, missing cells: ${counts.join(', ')}`];
}
