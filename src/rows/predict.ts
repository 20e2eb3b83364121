import type { CoefficientCovariance } from '../analysis/covariance.ts';
import type { DataDescription } from '../analysis/description.ts';
import type { Discriminant } from '../analysis/discriminant.ts';
import type { Answered } from '../analysis/question.ts';
import { DataError } from '../data-error.ts';
import { withAllowedRange } from '../features/reference.ts';
import { modelStudy } from '../model/model-study.ts';
import { createPredictor, type Predictor } from '../model/predict.ts';
import type { IntervalRequest } from '../model/prediction-interval.ts';
import type { Report } from '../model/report.ts';
import type { Column } from '../study/codebook.ts';
import { SITE_COLUMN } from '../study/codebook.ts';
import { imagesOf } from '../study/image-study.ts';
import type { Study, TableStudy } from '../study/study.ts';
import type { Block, BlockSink } from '../table/columns.ts';
import type { Host } from './host.ts';
import { loadStudyFiles } from './load-pinned.ts';
import { readColumns } from './read-rows.ts';
import type { Address, JobProgress, Source } from './source.ts';
import { openSource } from './sources.ts';

/** A model to predict with: a study, its report, and further answers. */
export interface PredictingModel {
  readonly study: Study;
  readonly report: Report;
  readonly answers?: readonly Answered[];
}

/** What to predict for. */
export interface PredictRequest {
  readonly model: PredictingModel;
  readonly file: Address;
  readonly encoding?: string;
  /** The site of all rows, for a model with `.site`; without it the file must have that column. */
  readonly site?: string;
  /** Also take numbers outside the codebook's ranges, and count their rows. */
  readonly extrapolate: boolean;
  /** An interval around every prediction. */
  readonly interval?: Pick<IntervalRequest, 'kind' | 'level'>;
  /** Only the class of each row and its probability; refused where the model has no classes. */
  readonly only?: 'classes';
}

/** Predictions in the file's order, one array per name; NaN where a row lacks a cell. */
export type PredictionSink = (
  predictions: readonly Float64Array[],
  names: readonly string[],
  levels: Predicted['levels'],
  /** Columns of the file that were requested with the predictions. */
  beside: readonly Float64Array[],
  firstRow: number,
) => void;

export interface PredictionChoices {
  /** Columns of the file to return with the predictions. */
  readonly beside?: readonly string[];
  readonly progress?: JobProgress;
}

export interface Predicted {
  readonly names: readonly string[];
  /** For each name: the levels, where its values are indices of levels. */
  readonly levels: readonly (readonly string[] | undefined)[];
  readonly rows: number;
  /** Rows without a prediction, for a missing cell. */
  readonly missing: number;
  /** Rows with a number outside the codebook's ranges, where they are taken, and the columns it is in. */
  readonly outside: { readonly rows: number; readonly columns: readonly string[] };
  readonly source: Source;
}

/** Predicts for every row of a file, block by block; a row the codebook does not allow is refused. */
export async function predictRows(
  request: PredictRequest,
  host: Host,
  sink: PredictionSink,
  { beside = [], progress = () => {} }: PredictionChoices = {},
): Promise<Predicted> {
  const { report } = request.model;
  const study = modelStudy(request.model.study, report);
  await loadStudyFiles(study, host);
  const predictor = createPredictor(
    request.model.study,
    report,
    posteriorsOf(request.model),
    request.interval && { ...request.interval, ...covariancesOf(request.model) },
  );
  const shown = shownColumns(predictor, request);
  const pick = <Item>(items: readonly Item[]) => shown.map((k) => items[k]);
  const [names, levels] = [pick(predictor.names), pick(predictor.levels)];
  const site = request.site === undefined ? undefined : siteCode(study, request.site);
  const read = [...new Set([...predictor.variables, ...beside])].filter(
    (name) => site === undefined || name !== SITE_COLUMN,
  );
  const needed = read.filter((name) => name !== SITE_COLUMN);
  const images = imagesOf(request.model.study);
  const { file, encoding } = request;
  const source = await openSource(host, file, needed, encoding, undefined, images);
  if (read.includes(SITE_COLUMN) && !source.header.includes(SITE_COLUMN)) {
    const [first] = sitesOf(study);
    throw new DataError(
      'the model has an effect for each site',
      { file: source.name },
      `give the file a column ${SITE_COLUMN}, or name the site of all rows, such as ${first}`,
      { name: 'site', value: first },
    );
  }
  let rows = 0;
  let missing = 0;
  const outside = outsideCounter(study, read);
  const columns = read.map((name) => ({
    name,
    column: readingOf(study.codebook[name], request.extrapolate),
  }));
  const take: BlockSink = (block, firstRow) => {
    const all = predictor.variables.map((name) =>
      site !== undefined && name === SITE_COLUMN
        ? new Float64Array(block.rows).fill(site)
        : block.columns[read.indexOf(name)],
    );
    const origin = { file: source.name, rowOf: (r: number) => firstRow + r };
    const predictions = predictor.predict({ rows: block.rows, columns: all }, origin);
    rows += block.rows;
    outside.add(block);
    for (const value of predictions[0]) if (Number.isNaN(value)) missing++;
    const own = beside.map((name) => block.columns[read.indexOf(name)]);
    sink(pick(predictions), names, levels, own, firstRow);
  };
  await readColumns(host, { source }, columns, take, progress);
  return {
    names,
    levels,
    rows,
    missing,
    outside: outside.found(),
    source,
  };
}

/** Indices of the predictions to give. */
function shownColumns(
  { names, brief }: Predictor,
  { only }: Pick<PredictRequest, 'only'>,
): readonly number[] {
  if (only === undefined) return [...names.keys()];
  if (brief.length > 0) return brief;
  throw new DataError('the model has no classes', {}, 'ask for all predictions');
}

/** Counts rows with a number outside its column's range. */
function outsideCounter(
  { codebook }: TableStudy,
  names: readonly string[],
): { add(block: Block): void; found(): Predicted['outside'] } {
  const ranges = names.map((name) => {
    const column = withAllowedRange(codebook[name]);
    return column.type === 'number' ? column.range : undefined;
  });
  const columns = new Set<string>();
  let rows = 0;
  return {
    add(block) {
      for (let r = 0; r < block.rows; r++) {
        let isOutside = false;
        ranges.forEach((range, k) => {
          const value = block.columns[k][r];
          if (range === undefined || !(value < range[0] || value > range[1])) return;
          columns.add(names[k]);
          isOutside = true;
        });
        if (isOutside) rows++;
      }
    },
    found: () => ({ rows, columns: [...columns] }),
  };
}

/** Whether a model gives probabilities of its classes: by its report, or by a discriminant analysis in its file. */
export function hasProbabilities(
  model: Pick<PredictingModel, 'report' | 'answers'>,
  label?: string,
): boolean {
  const known = [...(model.report.classes ?? []), ...posteriorsOf(model)];
  return known.some((one) => label === undefined || one.label === label);
}

/** The discriminant analyses in a model file. */
export function posteriorsOf({ answers = [] }: Pick<PredictingModel, 'answers'>): Discriminant[] {
  const known: readonly { readonly about: string }[] = answers;
  return known.filter(isDiscriminant);
}

function isDiscriminant(answer: { readonly about: string }): answer is Discriminant {
  const { about, terms, classes } = answer as Partial<Discriminant>;
  return about === 'discriminant' && Array.isArray(terms) && Array.isArray(classes);
}

/** Covariances and means in a model file, for intervals. */
function covariancesOf({
  answers = [],
}: Pick<PredictingModel, 'answers'>): Pick<IntervalRequest, 'covariances' | 'means'> {
  const known: readonly { readonly about: string }[] = answers;
  const described = known.find(isDescription);
  const means = described?.columns.map(({ column, mean }) => [column, mean] as const);
  return { covariances: known.filter(isCovariance), ...(means && { means: new Map(means) }) };
}

function isCovariance(answer: { readonly about: string }): answer is CoefficientCovariance {
  const { about, terms, matrix } = answer as Partial<CoefficientCovariance>;
  return about === 'covariance' && Array.isArray(terms) && isTable(matrix);
}

function isTable(value: unknown): boolean {
  return Array.isArray(value) && value.every(Array.isArray);
}

function isDescription(answer: { readonly about: string }): answer is DataDescription {
  const { about, columns } = answer as Partial<DataDescription>;
  return (
    about === 'description' &&
    Array.isArray(columns) &&
    columns.every((one) => Number.isFinite(one?.mean))
  );
}

function sitesOf({ codebook }: TableStudy): readonly string[] {
  const column = codebook[SITE_COLUMN];
  return column?.type === 'category' ? column.levels : [];
}

function siteCode(study: TableStudy, site: string): number {
  const levels = sitesOf(study);
  const code = levels.indexOf(site);
  if (code >= 0) return code;
  if (levels.length === 0) {
    throw new DataError('the model has no site effects', {}, 'leave the site out', {
      name: 'site',
      off: true,
    });
  }
  throw new DataError('the model knows no such site', {}, `choose one of ${levels.join(', ')}`);
}

/** How a column is read: within its range, or any number. */
function readingOf(column: Column, extrapolate: boolean): Column {
  if (column.type !== 'number' || !extrapolate) return withAllowedRange(column);
  const { range: _, ...rest } = column;
  return rest;
}
