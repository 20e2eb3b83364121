import type { DdArray, DdMatrix } from '../numeric/dd-matrix.ts';

/**
 * What the normal equations give, in their own equilibrated units: coefficients over the kept
 * predictors for each response, the inverse they came from and what is left of the responses.
 */
export interface Solution {
  readonly kept: readonly number[];
  readonly aliased: readonly number[];
  readonly coefficients: readonly DdArray[];
  /** (S + P)⁻¹ over the kept predictors. */
  readonly inverse: DdMatrix;
  /** Residual sum of squares of each response. */
  readonly residual: DdArray;
  /** tr((S + P)⁻¹ S): the effective number of slopes; the number of kept predictors when P = 0. */
  readonly effectiveSlopes: number;
  /** Largest over smallest singular value of the centred design with columns of unit length. */
  readonly condition: number;
  /** Relative error of the solving itself, before any error of the grid. */
  readonly solverError: number;
}

/** Why there is no solution, and what to do about it. */
export interface Unsolved {
  readonly problem: string;
  readonly advice: string;
}
