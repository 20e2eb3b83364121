import { DataError } from '../data-error.ts';
import type { Failure } from '../failure.ts';
import type { Design } from '../features/design.ts';
import type { TableStudy } from '../study/study.ts';
import type { Origin } from '../table/columns.ts';
import type { PredictionOutput } from './class-prediction.ts';
import { criticalValue } from './errors.ts';
import type { Glance, TermRow } from './inference.ts';
import { plainForm, quadratic, setExactCentre, shiftedForm } from './quadratic-form.ts';
import type { Report } from './report.ts';

/** The covariance of one response's coefficients, as a `covariance` answer has it. */
export interface TermCovariance {
  /** Present where there are several responses. */
  readonly response?: string;
  /** The kind of the errors, as in the report. */
  readonly errors: string;
  readonly terms: readonly string[];
  readonly matrix: readonly (readonly number[])[];
}

/** An interval around every prediction: for the mean, or for a new observation of weight 1. */
export interface IntervalRequest {
  readonly kind: 'confidence' | 'prediction';
  /** Between 0 and 1. */
  readonly level: number;
  readonly covariances: readonly TermCovariance[];
  /** Means of the model's columns, where known: with them, columns far from 0 lose fewer digits. */
  readonly means?: ReadonlyMap<string, number>;
}

/** Rows of the model matrix: value = hi + lo, one array per column. */
export interface DesignRows {
  readonly hi: readonly Float64Array[];
  readonly lo: readonly (Float64Array | undefined)[];
  readonly rows: number;
  readonly origin: Origin;
}

/** An output that is computed from the row itself, not only from its scores. */
export interface RowOutput extends Omit<PredictionOutput, 'fill'> {
  fill(sums: readonly Float64Array[], design: DesignRows): readonly Float64Array[];
}

const NO_INTERVAL = { name: 'interval', off: true } as const;
const SAVED = { name: 'model', value: 'saved' } as const;

/** Why this model has no interval for a new observation, if so. */
export function noPredictionInterval(
  { family, siteEffects }: Report,
  { classes }: Pick<Design, 'classes'>,
): Failure | undefined {
  const remedy = 'ask for a confidence interval, which is that of the mean';
  const option = { name: 'interval', value: 'confidence' } as const;
  if (family !== undefined || classes.length > 0) {
    const what = family === 'poisson' ? 'a count' : 'a class or a yes or no';
    return { problem: `${what} has no prediction interval around its mean`, remedy, option };
  }
  if (siteEffects !== undefined && siteEffects.kind !== 'fixed') {
    const problem =
      'with random site effects a new row has no prediction interval: its site is unknown';
    return { problem, remedy, option };
  }
  return undefined;
}

/** Refuses a report whose errors are absent, or do not hold for intervals. */
export function refuseWithoutErrors(report: Report): void {
  const { ridge, lasso, errors, privacy, estimates } = report;
  if (estimates !== undefined) {
    throw new DataError(
      'the report of averaged estimates has no residual variance and no covariance, so predictions have no interval',
      {},
      'predict with the model of a ridge fusion, or leave the interval out',
      NO_INTERVAL,
    );
  }
  if (privacy !== undefined && errors === undefined) {
    throw new DataError(
      'this private model has no standard errors, so predictions have no interval',
      {},
      'leave the interval out',
      NO_INTERVAL,
    );
  }
  if (lasso !== undefined) {
    throw new DataError(
      'the coefficients of a lasso have no standard errors, so predictions have no interval',
      {},
      'predict with a model of least squares, or leave the interval out',
      NO_INTERVAL,
    );
  }
  if (ridge !== undefined || errors === 'ignoring-bias') {
    throw new DataError(
      'under a penalty the errors ignore the bias, so predictions have no interval',
      {},
      'predict with a model without a ridge, or leave the interval out',
      NO_INTERVAL,
    );
  }
  if (errors !== undefined) return;
  if (!hasResiduals(report)) {
    throw new DataError(
      'the method gives no standard errors, so predictions have no interval',
      {},
      'leave the interval out',
      NO_INTERVAL,
    );
  }
  throw new DataError(
    'the model has no standard errors: no row is left over, or there are too many columns',
    {},
    'fit fewer terms, or leave the interval out',
    NO_INTERVAL,
  );
}

/** Whether the report says how far predictions were off: that of a classifier or a network does not. */
function hasResiduals({ responses = [], glance }: Report): boolean {
  const glances = [
    ...responses.map((one) => one.glance),
    ...(glance === undefined ? [] : [glance]),
  ];
  return glances.some((one) => one['r.squared'] !== undefined || one.deviance !== undefined);
}

/** One response of a model, and what its intervals are computed from. */
export interface IntervalSource {
  readonly study: TableStudy;
  readonly report: Report;
  readonly response?: string;
  readonly terms: readonly TermRow[];
  readonly glance: Glance | undefined;
  /** Names of the design's columns. */
  readonly columns: readonly string[];
}

/**
 * Adds `.se.fit`, `.lower` and `.upper` to an output whose one score is the linear predictor: x b ± t·√(xᵀVx), with σ²
 * added under the root for a new observation. Under a family the error is that of the link, and `mean` maps the interval.
 */
export function withInterval(
  output: PredictionOutput,
  suffix: string,
  mean: (link: number) => number,
  source: IntervalSource,
  request: IntervalRequest,
): RowOutput {
  const { level } = request;
  if (!(level > 0 && level < 1)) throw new RangeError(`level must be between 0 and 1: ${level}`);
  const { report, glance } = source;
  const given = report.freedom ?? glance?.['df.residual'];
  const freedom = given === 'normal' ? Number.POSITIVE_INFINITY : given;
  const sigma = report.family === undefined ? glance?.sigma : 1;
  if (freedom === undefined || !(freedom > 0) || sigma === undefined) throw unrelatedCovariance();
  const width = criticalValue(level, freedom);
  const extra = request.kind === 'prediction' ? sigma ** 2 : 0;
  const variances = varianceForm(source, request, sigma);
  return {
    scores: output.scores,
    columns: [
      ...output.columns,
      ...['.se.fit', '.lower', '.upper'].map((name) => ({ name: `${name}${suffix}` })),
    ],
    fill(sums, design) {
      const variance = variances(design);
      const [centre] = sums;
      const reached = variance.map((own) => width * Math.sqrt(own + extra));
      return [
        ...output.fill(sums),
        variance.map(Math.sqrt),
        centre.map((value, r) => mean(value - reached[r])),
        centre.map((value, r) => mean(value + reached[r])),
      ];
    },
  };
}

/** Largest share of a variance that may be rounding. */
const DOUBT = 1e-4;

/** xᵀVx of every row; refuses a row for which V was written with too few digits. */
function varianceForm(
  source: IntervalSource,
  request: IntervalRequest,
  sigma: number,
): (design: DesignRows) => Float64Array {
  const { terms, matrix } = covarianceFor(source, request);
  const { means = new Map<string, number>() } = request;
  const first = terms.indexOf(INTERCEPT);
  const shift = terms.map((term, k) => (first < 0 || k === first ? 0 : (means.get(term) ?? 0)));
  const form = first < 0 ? plainForm(matrix) : shiftedForm(matrix, first, shift);
  const { study, report, glance } = source;
  const centred = terms.every((term, k) => k === first || means.has(term));
  if (first >= 0 && centred && isLeastSquares(report)) {
    setExactCentre(
      form,
      first,
      study.weights === undefined ? sigma ** 2 / glance!.nobs : undefined,
    );
  }
  const floor = report.family === undefined ? sigma ** 2 / report.n : 0;
  const places = terms.map((term) => source.columns.indexOf(term));
  return (design) => {
    const rows = places.map((place, k) => shifted(design, place, shift[k]));
    const variance = quadratic(form.values, rows, design.rows);
    const doubt = quadratic(
      form.rounding,
      rows.map((row) => row.map(Math.abs)),
      design.rows,
    );
    return variance.map((value, r) => {
      if (doubt[r] > DOUBT * Math.max(value, floor)) throw tooFewDigits(design.origin, r);
      return Math.max(0, value);
    });
  };
}

const INTERCEPT = '(Intercept)';

function isLeastSquares({ family, errors, siteEffects }: Report): boolean {
  const random = siteEffects !== undefined && siteEffects.kind !== 'fixed';
  return family === undefined && errors === 'classical' && !random;
}

function shifted({ hi, lo, rows }: DesignRows, place: number, shift: number): Float64Array {
  const values = hi[place].slice(0, rows);
  const rest = lo[place];
  for (let r = 0; r < rows; r++) values[r] = values[r] - shift + (rest === undefined ? 0 : rest[r]);
  return values;
}

/** The covariance of a response, checked against the coefficients it must belong to. */
function covarianceFor(
  { report, response, terms, columns }: IntervalSource,
  { covariances }: IntervalRequest,
): TermCovariance {
  const found = covariances.find((one) => one.response === response);
  if (found === undefined && report.privacy !== undefined) {
    throw new DataError(
      'a private report does not contain the covariance of its coefficients, which intervals need',
      {},
      'leave the interval out',
      NO_INTERVAL,
    );
  }
  if (found === undefined) {
    throw new DataError(
      'the file has no covariance of the coefficients, which intervals need',
      {},
      'save the model again, with its covariances',
      SAVED,
    );
  }
  const width = terms.length;
  const fits =
    found.errors === report.errors &&
    found.terms.length === width &&
    found.terms.every((term, k) => term === terms[k].term && columns.includes(term)) &&
    found.matrix.length === width &&
    found.matrix.every((row) => row.length === width && row.every(Number.isFinite));
  if (!fits) throw unrelatedCovariance();
  return found;
}

function unrelatedCovariance(): DataError {
  return new DataError(
    'the covariance does not belong to the report',
    {},
    'give the file as it was written',
    SAVED,
  );
}

function tooFewDigits(origin: Origin, row: number): DataError {
  return new DataError(
    'the covariance has too few digits for an interval here: a column lies too far from 0',
    { file: origin.file, row: origin.rowOf(row) },
    'fit it near 0, as in I(year - 2010); a model saved with its covariances keeps more digits',
    SAVED,
  );
}
