import type { DesignColumn } from './design.ts';
import type { Interval } from './interval.ts';

/** Relative margin for the rounding of a sum of products: far above any rounding error. */
const MARGIN = 1e-9;

/** What a sum of columns in public units, with the weights of one column of a matrix, can be. */
export interface ProjectedInterval extends Interval {
  /** Σ weight², which is its variance if the columns are unrelated. */
  readonly squares: number;
}

/** All values of rows times a row-major matrix of `outer` columns, plus a constant for each. */
export function projectedIntervals(
  columns: readonly Pick<DesignColumn, 'interval' | 'publicUnit'>[],
  matrix: Float64Array,
  outer: number,
  constant: Float64Array = new Float64Array(outer),
): ProjectedInterval[] {
  const bounds = columns.map(({ interval, publicUnit: { center, scale } }) => ({
    low: (interval.low - center) / scale,
    high: (interval.high - center) / scale,
  }));
  return Array.from({ length: outer }, (_, j) => {
    let [low, high, reach, squares] = [constant[j], constant[j], Math.abs(constant[j]), 0];
    bounds.forEach((bound, i) => {
      const weight = matrix[i * outer + j];
      low += Math.min(weight * bound.low, weight * bound.high);
      high += Math.max(weight * bound.low, weight * bound.high);
      reach += Math.abs(weight) * Math.max(Math.abs(bound.low), Math.abs(bound.high));
      squares += weight * weight;
    });
    const slack = MARGIN * reach;
    return { low: low - slack, high: high + slack, squares };
  });
}
