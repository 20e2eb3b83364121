import { DataError } from '../data-error.ts';
import type { Design, DesignColumn } from '../features/design.ts';
import type { Regression } from '../fusion/method.ts';
import { wordsOf } from '../statistic/layout.ts';
import { fractionBitsOf, packedIndex } from '../statistic/linear-layout.ts';
import { ringDoubleDouble } from '../statistic/ring.ts';
import { type LinearStatistic, rowCount } from '../statistic/statistic.ts';

/** What the sums of a sample say about the columns of a formula, in public units. */
export interface SampleMoments {
  readonly rows: number;
  /** d: predictors, without the constant and `.site`. */
  readonly predictors: readonly DesignColumn[];
  readonly responses: readonly DesignColumn[];
  /** Means of the products of z = (1, x…, y…), row-major. */
  readonly products: Float64Array;
  /** Covariances of x, row-major. */
  readonly covariance: Float64Array;
  /** Of each response: its covariances with x, and its variance. */
  readonly cross: readonly Float64Array[];
  readonly variances: readonly number[];
}

/** The moments of a sample from its sums. */
export function momentsOf({ design }: Regression, total: LinearStatistic): SampleMoments {
  refuseDesign(design);
  const { layout, values } = total;
  const width = layout.columns.length;
  const [words, bits] = [wordsOf(layout), fractionBitsOf(layout)];
  const sum = (i: number, j: number) =>
    ringDoubleDouble(values, words, packedIndex(width, Math.min(i, j), Math.max(i, j)), bits).hi;
  const of = (origin: DesignColumn['origin']) =>
    design.columns.flatMap((column, at) => (column.origin === origin ? [at] : []));
  const [terms, responses] = [of('term'), of('response')];
  const rows = rowCount(total);
  refuseFew(rows, terms.length);
  const kept = [0, ...terms, ...responses];
  const weight = sum(0, 0);
  // A value in public units is stretch·u + shift, u in the frame of the layout.
  const frames = kept.map((at) => {
    const { reference, publicUnit } = design.columns[at];
    const stretch = reference.scale / publicUnit.scale;
    return { at, stretch, shift: (reference.center - publicUnit.center) / publicUnit.scale };
  });
  frames[0] = { at: 0, stretch: 1, shift: 0 };
  const z = kept.length;
  const products = new Float64Array(z * z);
  frames.forEach((a, i) => {
    frames.forEach((b, j) => {
      const mean = (x: number, y: number) => sum(x, y) / weight;
      products[i * z + j] =
        a.stretch * b.stretch * mean(a.at, b.at) +
        a.stretch * b.shift * mean(a.at, 0) +
        a.shift * b.stretch * mean(0, b.at) +
        a.shift * b.shift;
    });
  });
  return {
    rows,
    predictors: terms.map((at) => design.columns[at]),
    responses: responses.map((at) => design.columns[at]),
    products,
    ...centred(products, terms.length, responses.length),
  };
}

/** Covariances from the means of products of z = (1, x…, y…). */
export function centred(
  products: Float64Array,
  predictors: number,
  responses: number,
): Pick<SampleMoments, 'covariance' | 'cross' | 'variances'> {
  const z = 1 + predictors + responses;
  const moment = (i: number, j: number) =>
    products[i * z + j] - (products[i] * products[j * z]) / products[0];
  const covariance = new Float64Array(predictors * predictors);
  for (let i = 0; i < predictors; i++) {
    for (let j = 0; j < predictors; j++) covariance[i * predictors + j] = moment(i + 1, j + 1);
  }
  const last = Array.from({ length: responses }, (_, r) => 1 + predictors + r);
  return {
    covariance,
    cross: last.map((y) => Float64Array.from({ length: predictors }, (_, i) => moment(i + 1, y))),
    variances: last.map((y) => moment(y, y)),
  };
}

/** Refuses a feature map, and a formula without intercept. */
export function refuseDesign({ intercept, mapped }: Pick<Design, 'intercept' | 'mapped'>): void {
  if (mapped !== undefined) {
    throw new DataError(
      'the study has a feature map already, and advice is about what could be sent in its place',
      {},
      'leave features out of the study',
    );
  }
  if (!intercept) {
    throw new DataError(
      'advice needs a formula with an intercept',
      {},
      'leave out - 1 of the formula, for the advice alone',
    );
  }
}

function refuseFew(rows: number, columns: number): void {
  if (columns < 2) {
    throw new DataError(
      'the formula has a single column: nothing smaller can be sent',
      {},
      'send the exact sums',
    );
  }
  if (rows >= 2 * columns + 2) return;
  throw new DataError(
    `the sample has ${rows} rows for ${columns} columns; errors are lost in noise`,
    {},
    `give a sample of at least ${2 * columns + 2} rows`,
  );
}
