import { DataError } from '../data-error.ts';
import type { ResponseClasses } from '../features/design.ts';
import type { ReportedClasses } from './reported-classes.ts';

/** Linear scores of classes, from discriminant analysis: their softmax is the posterior. */
export interface ClassScores {
  /** The response the classes belong to. */
  readonly label: string;
  readonly terms: readonly string[];
  readonly classes: readonly {
    readonly level: string;
    readonly constant: number;
    readonly coefficients: readonly number[];
  }[];
}

/** One linear function of a row: a weight for each named column. */
export interface LinearScore {
  readonly constant: number;
  readonly weights: ReadonlyMap<string, number>;
}

/** Turns linear scores of rows into named columns of predictions. */
export interface PredictionOutput {
  readonly scores: readonly LinearScore[];
  readonly columns: readonly OutputColumn[];
  fill(sums: readonly Float64Array[]): readonly Float64Array[];
}

export interface OutputColumn {
  readonly name: string;
  /** Present where the values are indices of levels. */
  readonly levels?: readonly string[];
  /** Set for the class and its probability, which are enough for most readers. */
  readonly isBrief?: true;
}

/** `.class` and `.probability.<level>`: the posterior of discriminant analysis; 0 for a level without rows. */
export function posteriorOutput(
  { levels }: ResponseClasses,
  { terms, classes }: ClassScores,
  suffix: string,
): PredictionOutput {
  const places = classes.map(({ level }) => levels.indexOf(level));
  const sound =
    places.every((place) => place >= 0) &&
    classes.every(
      ({ constant, coefficients }) =>
        Number.isFinite(constant) &&
        coefficients.length === terms.length &&
        coefficients.every(Number.isFinite),
    );
  if (!sound || classes.length === 0) {
    throw notOfTheStudy('the discriminant analysis does');
  }
  return {
    scores: classes.map(({ constant, coefficients }) => ({
      constant,
      weights: new Map(terms.map((term, k) => [term, coefficients[k]])),
    })),
    columns: classColumns(levels, 'probability', suffix),
    fill(sums) {
      const shares = softmax(sums);
      const rows = sums[0].length;
      const all = levels.map((_, level) => {
        const place = places.indexOf(level);
        return place < 0 ? new Float64Array(rows) : shares[place];
      });
      return [largest(all), ...all];
    },
  };
}

/**
 * `.class`, its `.probability`, and `.probability.<level>` of every level, 0 for a level without rows: by the report of the
 * model. The class is the most probable one.
 */
export function probabilityOutput(
  { levels, columns }: ResponseClasses,
  reported: ReportedClasses,
  fitted: readonly LinearScore[],
  suffix: string,
): PredictionOutput {
  const known = reported.levels;
  const places = known.map(({ level }) => levels.indexOf(level));
  const isSound =
    known.length > 0 &&
    new Set(places).size === places.length &&
    places.every((place) => place >= 0) &&
    known.every(
      ({ constant, weights }) =>
        Number.isFinite(constant) &&
        weights.length === columns.length &&
        weights.every(Number.isFinite),
    );
  if (!isSound) throw notOfTheStudy('the classes in the report do');
  const [chosen, ...all] = classColumns(levels, 'probability', suffix);
  return {
    scores: fitted,
    columns: [chosen, { name: `.probability${suffix}`, isBrief: true }, ...all],
    fill(sums) {
      const logits = known.map(({ constant, weights }) =>
        sums[0].map((_, r) =>
          weights.reduce((sum, weight, k) => sum + weight * sums[k][r], constant),
        ),
      );
      const shares = softmax(logits);
      const filled = levels.map((_, level) => {
        const place = places.indexOf(level);
        return place < 0 ? new Float64Array(sums[0].length) : shares[place];
      });
      const best = largest(filled);
      return [best, best.map((level, r) => filled[level]?.[r] ?? Number.NaN), ...filled];
    },
  };
}

function notOfTheStudy(what: string): DataError {
  return new DataError(`${what} not belong to the study`, {}, 'give the file as it was written', {
    name: 'model',
    value: 'saved',
  });
}

/** `.class` and `.score.<level>`: fitted values of the indicators, cut to [0, 1], that add up to 1. */
export function scoreOutput(
  { levels }: ResponseClasses,
  fitted: readonly LinearScore[],
  suffix: string,
): PredictionOutput {
  return {
    scores: fitted,
    columns: classColumns(levels, 'score', suffix),
    fill(sums) {
      const cut = sums.map((values) => values.map((value) => Math.min(1, Math.max(0, value))));
      const all = cut.length === levels.length ? cut : [cut[0].map((share) => 1 - share), cut[0]];
      const shares = normalised(all);
      return [largest(shares), ...shares];
    },
  };
}

function classColumns(levels: readonly string[], kind: string, suffix: string): OutputColumn[] {
  return [
    { name: `.class${suffix}`, levels, isBrief: true },
    ...levels.map((level) => ({ name: `.${kind}${suffix}.${level}` })),
  ];
}

function softmax(sums: readonly Float64Array[]): Float64Array[] {
  const tops = sums[0].map((_, r) => Math.max(...sums.map((values) => values[r])));
  return normalised(sums.map((values) => values.map((value, r) => Math.exp(value - tops[r]))));
}

/** Each value over the sum of its row; equal shares where the sum is 0. */
function normalised(columns: readonly Float64Array[]): Float64Array[] {
  const totals = columns[0].map((_, r) => columns.reduce((sum, values) => sum + values[r], 0));
  return columns.map((values) =>
    values.map((value, r) => (totals[r] === 0 ? 1 / columns.length : value / totals[r])),
  );
}

/** Index of the largest column in each row, the first of equals; NaN where a value is missing. */
function largest(columns: readonly Float64Array[]): Float64Array {
  return columns[0].map((_, r) => {
    let best = 0;
    for (let k = 1; k < columns.length; k++) if (columns[k][r] > columns[best][r]) best = k;
    return Number.isNaN(columns[best][r]) ? Number.NaN : best;
  });
}
