import { cholesky } from '../numeric/cholesky.ts';
import type { Kernels } from '../numeric/kernels.ts';
import { transposedProduct } from '../numeric/transposed-product.ts';
import { errorInterval } from './error-interval.ts';
import type { SampleMoments } from './sample-moments.ts';

/** Share of the mean variance that is added to each column's, so that aliased columns do not stop a fit. */
const TINY = 1e-11;

/** Coefficients of the columns, for each response, and how many were free. */
export interface SampleFit {
  readonly weights: readonly Float64Array[];
  readonly free: number;
}

type Moments = Pick<SampleMoments, 'covariance' | 'cross'>;

/** Least squares on all columns. */
export function fitAll(kernels: Kernels, { covariance, cross }: Moments): SampleFit {
  const d = cross[0].length;
  const solve = solver(kernels, covariance, d);
  return { weights: cross.map(solve), free: d };
}

/** Least squares on the columns times a row-major matrix of `width` columns. */
export function fitMapped(
  kernels: Kernels,
  { covariance, cross }: Moments,
  matrix: Float64Array,
  width: number,
): SampleFit {
  const d = cross[0].length;
  const half = transposedProduct(kernels, covariance, matrix, d);
  const solve = solver(kernels, transposedProduct(kernels, matrix, half, d), width);
  const weights = cross.map((b) => {
    const inner = solve(transposedProduct(kernels, matrix, b, d));
    return Float64Array.from({ length: d }, (_, i) =>
      inner.reduce((sum, w, j) => sum + matrix[i * width + j] * w, 0),
    );
  });
  return { weights, free: width };
}

/** Least squares on some of the columns. */
export function fitSome(kernels: Kernels, moments: Moments, columns: readonly number[]): SampleFit {
  const d = moments.cross[0].length;
  const width = columns.length;
  const matrix = new Float64Array(d * width);
  columns.forEach((column, j) => {
    matrix[column * width + j] = 1;
  });
  return fitMapped(kernels, moments, matrix, width);
}

/** The variance about a fit that the population has, unbiased: the square of R's residual standard error. */
function residualVariance(
  sample: SampleMoments,
  { weights, free }: SampleFit,
  response: number,
): number {
  const { covariance, cross, variances, rows } = sample;
  const w = weights[response];
  const d = w.length;
  let rest = variances[response];
  for (let i = 0; i < d; i++) {
    let product = 0;
    for (let j = 0; j < d; j++) product += covariance[i * d + j] * w[j];
    rest += w[i] * (product - 2 * cross[response][i]);
  }
  const floor = TINY * variances[response];
  return (Math.max(rest, floor) * rows) / (rows - free - 1);
}

/**
 * By how much a fit's residual variance exceeds the exact one's, as a share of it: of the response that fares worst. The interval
 * holds the errors that a population may have of which this is a sample.
 */
export function excessOf(
  sample: SampleMoments,
  fitted: SampleFit,
  exact: SampleFit,
): { readonly error: number; readonly interval: readonly [low: number, high: number] } {
  const excess = sample.variances.map((_, r) => {
    return residualVariance(sample, fitted, r) / residualVariance(sample, exact, r) - 1;
  });
  const error = Math.max(0, ...excess);
  return { error, interval: errorInterval(error, exact.free - fitted.free, sample.rows) };
}

/** S⁻¹. */
export function inverseOf(kernels: Kernels, covariance: Float64Array, d: number): Float64Array {
  return factored(kernels, covariance, d).inverse();
}

function solver(kernels: Kernels, matrix: Float64Array, d: number) {
  const factor = factored(kernels, matrix, d);
  return (b: Float64Array): Float64Array => factor.solve(b.slice());
}

function factored(kernels: Kernels, matrix: Float64Array, d: number) {
  let trace = 0;
  for (let i = 0; i < d; i++) trace += matrix[i * d + i];
  for (let tiny = TINY; ; tiny *= 100) {
    const own = matrix.slice();
    for (let i = 0; i < d; i++) own[i * d + i] += (tiny * trace) / d || 1;
    const found = cholesky(kernels, own, d);
    if ('factor' in found) return found.factor;
  }
}
