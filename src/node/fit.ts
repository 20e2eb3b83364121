import { basename, dirname, extname } from 'node:path';
import type { Answered, Question } from '../analysis/question.ts';
import {
  type Agreement,
  agreement,
  contribution,
  joinSummaries,
  published,
  sourcesOf,
} from '../federate.ts';
import { findings, withFlags } from '../findings.ts';
import type { Report, SiteLine } from '../model/report.ts';
import type { Summary } from '../statistic/cross-product.ts';
import type { Grid } from '../statistic/layout.ts';
import type { Codebook } from '../study/codebook.ts';
import { SITE_COLUMN } from '../study/codebook.ts';
import { formulaColumns, parseFormula } from '../study/formula.ts';
import type { Fusion, PrivacyTerms, Study } from '../study/study.ts';
import { DataError } from '../table/data-error.ts';
import { draftFor } from './draft.ts';
import { furtherRounds, privateRounds } from './fit-rounds.ts';
import { refuseHopeless } from './hopeless.ts';
import { createPool, type Pool } from './pool.ts';
import type { ReduceJob, ReduceResult } from './reduce-job.ts';
import { openTable, type TableFile } from './table-file.ts';

/** What to fit, over which files. */
export interface FitRequest {
  readonly formula: string;
  readonly paths: readonly string[];
  /** Drafted from all files together when absent. */
  readonly codebook?: Codebook;
  /** Column whose values name the sites; otherwise every file is a site. */
  readonly siteColumn?: string;
  readonly weights?: string;
  readonly fusion: Fusion;
  readonly arithmetic: 'exact' | 'compact';
  /** Fixed when given; otherwise 44, and 88 when fewer than 8 digits can be vouched for. */
  readonly grid?: Grid;
  readonly missing: 'drop' | 'refuse';
  readonly encoding?: string;
  readonly decimal: '.' | ',';
  readonly missingMarkers: readonly string[];
  readonly threads?: number;
  /** What else to ask of the total. */
  readonly questions?: readonly Question[];
  /** Of a logistic or Poisson regression: rounds in all, and whether to measure what is left to pooling. */
  readonly rounds?: number;
  readonly gap?: boolean;
  /** Fit as a private study would: with noise, drawn anew at every call. */
  readonly privacy?: PrivacyTerms;
  /** Fit although the forecast says that noise would drown the answer. */
  readonly force?: boolean;
}

export interface FitOutcome {
  readonly study: Study;
  readonly report: Report;
  readonly answers: readonly Answered[];
}

/** Watches a fit: what is being done, over how many bytes. */
export type FitWatcher = (
  phase: string,
  totalBytes: number,
) => {
  update(bytes: number, rows: number): void;
  done(): void;
};

/** Fewer digits than this send `fit` back to the files on a finer grid. */
const ENOUGH_DIGITS = 8;
const FINEST_GRID: Grid = 88;

/** A study ready to run over files: everything but the rows themselves. */
export interface PreparedFit {
  readonly study: Study;
  readonly files: readonly TableFile[];
  readonly sites: readonly ReduceJob['site'][];
}

/** Reads headers and, without a codebook, drafts one from all files together. */
export async function prepareFit(
  request: FitRequest,
  pool: Pool,
  watch: FitWatcher,
): Promise<PreparedFit> {
  const formula = parseFormula(request.formula);
  const { columns, usesDot } = formulaColumns(formula);
  const person = request.privacy?.person;
  const extra = [request.weights, request.siteColumn].filter((name) => name !== undefined);
  const named = [...new Set([...columns, ...extra])].filter((name) => name !== SITE_COLUMN);
  const files = await Promise.all(
    request.paths.map((path) => openTable(path, named, request.encoding)),
  );
  const rest = usesDot ? files[0].header : [];
  const wanted = [...new Set([...named, ...rest])];
  const drafted =
    request.codebook ?? (await draftFor({ ...request, formula, wanted, files }, pool, watch));
  for (const name of named) {
    if (drafted[name] === undefined) {
      throw new DataError(
        'the codebook does not describe it',
        { column: name },
        `add it to the codebook, which has ${Object.keys(drafted).join(', ')}`,
      );
    }
  }
  const names = siteNames(request.paths);
  const sites =
    request.siteColumn === undefined
      ? names.map((name) => ({ name }))
      : names.map(() => ({ column: request.siteColumn as string }));
  const codebook = { ...drafted };
  if (person !== undefined) codebook[person] ??= { type: 'id' };
  if (columns.includes(SITE_COLUMN) && codebook[SITE_COLUMN] === undefined) {
    codebook[SITE_COLUMN] = { type: 'category', levels: levelsOfSites(request, drafted, names) };
  }
  const study: Study = {
    schema: 'suffice/study@1',
    formula: request.formula,
    codebook,
    ...(request.weights === undefined ? {} : { weights: request.weights }),
    fusion: request.fusion,
    arithmetic: request.arithmetic,
    grid: request.grid ?? 44,
    ...(request.privacy === undefined ? {} : { privacy: request.privacy }),
  };
  return { study, files, sites };
}

function levelsOfSites(
  request: FitRequest,
  codebook: Codebook,
  names: readonly string[],
): string[] {
  const column = request.siteColumn === undefined ? undefined : codebook[request.siteColumn];
  return column?.type === 'category' ? [...column.levels] : [...names].sort();
}

/** The whole of `suffice fit`: reduce every file, add, resolve; again on a finer grid if digits ask for it. */
export async function fitFiles(request: FitRequest, watch: FitWatcher): Promise<FitOutcome> {
  const pool = createPool(request.threads);
  try {
    const prepared = await prepareFit(request, pool, watch);
    const once = (study: Study) => fitOnce(request, { ...prepared, study }, pool, watch);
    const first = await once(prepared.study);
    if (request.fusion.kind === 'fisher') return await furtherRounds(first, request, once);
    if (request.privacy !== undefined) return await privateRounds(first, once);
    const { digits = ENOUGH_DIGITS, arithmetic } = first.report;
    if (request.grid !== undefined || arithmetic !== 'exact' || digits >= ENOUGH_DIGITS)
      return first;
    return await once({ ...prepared.study, grid: FINEST_GRID });
  } finally {
    await pool.close();
  }
}

/** Fits a study as it stands over files, each a site: what a coordinator must arrive at. */
export async function fitStudy(
  study: Study,
  paths: readonly string[],
  watch: FitWatcher,
): Promise<FitOutcome> {
  const names = formulaColumns(parseFormula(study.formula)).columns;
  const wanted = names.filter((name) => name !== SITE_COLUMN);
  const files = await Promise.all(paths.map((path) => openTable(path, wanted)));
  const sites = siteNames(paths).map((name) => ({ name }));
  const pool = createPool(undefined);
  const prepared = { study, files, sites };
  return fitOnce({ missing: 'drop' }, prepared, pool, watch).finally(() => pool.close());
}

async function fitOnce(
  request: Pick<FitRequest, 'missing' | 'questions' | 'force'>,
  { study, files, sites }: PreparedFit,
  pool: Pool,
  watch: FitWatcher,
): Promise<FitOutcome> {
  const agreed = agreement(study);
  const jobs = files.map(
    (file, k): ReduceJob => ({
      kind: 'reduce',
      study,
      file,
      missing: request.missing,
      site: sites[k],
    }),
  );
  const bar = watch(
    'reading',
    files.reduce((sum, file) => sum + file.bytes, 0),
  );
  const results = await pool
    .run(jobs, (parts) => ({ sites: joinSites(agreed, parts) }), bar.update)
    .finally(bar.done);
  const all = joinSites(agreed, results);
  const contributions = all.map(({ name, summary }) => contribution(agreed, name, summary));
  const exact = sourcesOf(agreed, contributions);
  if (request.force !== true) refuseHopeless(agreed, rowsOf(all), exact.contributions);
  const sent = published(agreed, exact);
  const questions = study.privacy ? [] : (request.questions ?? []);
  const lines = study.privacy ? all.map(({ name }) => ({ name })) : all.map(siteLine);
  const found = findings(agreed, sent, lines, { questions });
  if ('problem' in found) {
    const lost = all.flatMap(({ name, summary }) => missingText(name, summary));
    throw new DataError(found.problem, {}, [found.advice, ...lost].join('\n    '));
  }
  return { study, ...found, report: withFlags(agreed, sent, found.report) };
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
    summary: parts.length === 1 ? parts[0] : joinSummaries(agreed.layout, parts),
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

/** File names without folder and ending; with the folder, or a number, where that is not enough. */
function siteNames(paths: readonly string[]): string[] {
  const short = paths.map((path) => basename(path, extname(path)));
  const long = paths.map((path, k) => `${basename(dirname(path))}/${short[k]}`);
  const unique = (names: readonly string[]) => new Set(names).size === names.length;
  if (unique(short)) return short;
  return unique(long) ? long : short.map((name, k) => `${name}-${k + 1}`);
}
