import { cholesky } from '../numeric/cholesky.ts';
import { dd, ddDivide } from '../numeric/double-double.ts';
import { createKernels } from '../numeric/kernels.ts';
import { entriesOf, wordsOf } from './layout.ts';
import {
  coefficientsOf,
  estimateEntries,
  fractionBitsOf,
  type LinearLayout,
  packedIndex,
} from './linear-layout.ts';
import { ringDoubleDouble, ringEntry, setRingEntry } from './ring.ts';
import { type LinearStatistic, rowCount } from './statistic.ts';

/** Coefficients of one response in units of the layout's references, and their covariance. */
export interface Estimate {
  readonly coefficients: Float64Array;
  /** Row-major. */
  readonly covariance?: Float64Array;
}

/** Entries of a site stay below 2 to the power of this, so that 2¹⁶ sites add up without overflow. */
const MOST_BITS = 47;

/**
 * Estimates from n rows, one per response, as a statistic: n, n·θ, n²·Var(θ); or the index of a coefficient that is too large
 * for the ring.
 */
export function estimateStatistic(
  layout: LinearLayout,
  rows: number,
  estimates: readonly Estimate[],
): LinearStatistic | { readonly tooLarge: number } {
  const words = wordsOf(layout);
  const unit = 2 ** fractionBitsOf(layout);
  const limit = 2 ** MOST_BITS;
  const width = coefficientsOf(layout);
  const values = new Uint32Array(entriesOf(layout) * words);
  setRingEntry(values, words, 0, BigInt(rows) * BigInt(unit));
  for (const [response, { coefficients, covariance }] of estimates.entries()) {
    for (let i = 0; i < width; i++) {
      if (!(Math.abs(coefficients[i]) * rows < limit)) return { tooLarge: i };
      // n times the rounded coefficient, so that dividing by n restores it to the last bit.
      const value = BigInt(rows) * BigInt(Math.round(coefficients[i] * unit));
      setRingEntry(values, words, coefficientIndex(layout, response, i), value);
      if (covariance === undefined) continue;
      for (let j = i; j < width; j++) {
        const scaled = covariance[i * width + j] * rows * rows;
        if (!(Math.abs(scaled) < limit)) return { tooLarge: i };
        const index = covarianceIndex(layout, response, i, j);
        setRingEntry(values, words, index, BigInt(Math.round(scaled * unit)));
      }
    }
  }
  return { layout, values };
}

/** The estimates in a statistic; for a sum over sites, their average weighted by rows, and its covariance. */
export function estimatesOf(statistic: LinearStatistic): Estimate[] {
  const { layout, values } = statistic;
  const rows = rowCount(statistic);
  const width = coefficientsOf(layout);
  const entry = (index: number, over: number) =>
    ddDivide(ringDoubleDouble(values, wordsOf(layout), index, fractionBitsOf(layout)), dd(over)).hi;
  return Array.from({ length: layout.responses }, (_, response) => {
    const coefficients = Float64Array.from({ length: width }, (_, k) =>
      entry(coefficientIndex(layout, response, k), rows),
    );
    if (layout.estimate?.covariance !== true) return { coefficients };
    const covariance = Float64Array.from({ length: width * width }, (_, at) => {
      const index = covarianceIndex(layout, response, Math.floor(at / width), at % width);
      return entry(index, rows * rows);
    });
    return { coefficients, covariance };
  });
}

function coefficientIndex(layout: LinearLayout, response: number, k: number): number {
  return 1 + response * estimateEntries(layout) + k;
}

function covarianceIndex(layout: LinearLayout, response: number, i: number, j: number): number {
  const width = coefficientsOf(layout);
  return coefficientIndex(layout, response, width) + packedIndex(width, i, j);
}

/** Rounding error allowed in the Cauchy–Schwarz check of a covariance. */
const SLACK = 1e-9;
/** A variance below this is mostly rounding. */
const FINEST = 2 ** -47;
/** Rounding error allowed in an eigenvalue of zero. */
const ROUNDED = 1e-6;
/** Most coefficients for which all combinations are checked: a tenth of a second. */
const MOST_FACTORED = 1000;

/** Why no rows can give these estimates: a fractional number of rows, an entry that is too large, or an invalid covariance. */
export function impossibleEstimate(statistic: LinearStatistic): string | undefined {
  const { layout, values } = statistic;
  const unit = 1n << BigInt(fractionBitsOf(layout));
  const entry = (index: number) => ringEntry(values, wordsOf(layout), index);
  const rows = entry(0);
  if (rows < unit || rows % unit !== 0n) return 'the number of rows is not a whole number from 1';
  if (rows > unit << 32n) return 'there are more than 2³² rows';
  const limit = unit << BigInt(MOST_BITS);
  for (let index = 0; index < entriesOf(layout); index++) {
    const value = entry(index);
    if (value > limit || value < -limit) return 'a coefficient or its variance is too large';
  }
  for (const { covariance } of estimatesOf(statistic)) {
    const broken = covariance && brokenVariance(covariance, layout);
    if (broken !== undefined) return broken;
  }
  return undefined;
}

function brokenVariance(covariance: Float64Array, layout: LinearLayout): string | undefined {
  const width = coefficientsOf(layout);
  const names = layout.columns.slice(layout.intercept ? 0 : 1);
  const deviations = Array.from({ length: width }, (_, k) => Math.sqrt(covariance[k * width + k]));
  const negative = deviations.findIndex(Number.isNaN);
  if (negative >= 0) return `the variance of ${names[negative]} is negative`;
  for (let i = 0; i < width; i++) {
    for (let j = i + 1; j < width; j++) {
      const most = deviations[i] * deviations[j] * (1 + SLACK) + FINEST;
      if (Math.abs(covariance[i * width + j]) > most) {
        return `the covariance of ${names[i]} and ${names[j]} breaks Cauchy–Schwarz`;
      }
    }
  }
  return width <= MOST_FACTORED && isIndefinite(covariance, width)
    ? 'some combination of the coefficients has a negative variance'
    : undefined;
}

/** Whether the smallest eigenvalue of the correlations is negative beyond rounding. */
function isIndefinite(covariance: Float64Array, width: number): boolean {
  const scales = Array.from({ length: width }, (_, k) =>
    Math.sqrt(covariance[k * width + k] + FINEST),
  );
  const correlations = covariance.map((value, at) => {
    const [i, j] = [Math.floor(at / width), at % width];
    return i === j ? 1 + ROUNDED : value / (scales[i] * scales[j]);
  });
  return 'indefiniteAt' in cholesky(createKernels(), correlations, width);
}
