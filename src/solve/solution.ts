import type { DdArray, DdMatrix } from '../numeric/dd-matrix.ts';

/**
 * What the normal equations give, in their own equilibrated units: coefficients over the kept
 * predictors for each response, the inverse they came from and what is left of the responses.
 */
export interface Solution {
  readonly kept: readonly number[];
  readonly aliased: readonly number[];
  readonly coefficients: readonly DdArray[];
  /** What only a factor can give; absent where the problem was too wide for one. */
  readonly factored?: Factored;
  /** Residual sum of squares of each response. */
  readonly residual: DdArray;
  /** Relative error of the solving itself, before any error of the grid. */
  readonly solverError: number;
}

export interface Factored {
  /** (S + P)⁻¹ over the kept predictors. */
  readonly inverse: DdMatrix;
  /** tr((S + P)⁻¹ S): the effective number of slopes; the number of kept predictors when P = 0. */
  readonly effectiveSlopes: number;
  /** Largest over smallest singular value of the centred design with columns of unit length. */
  readonly condition: number;
}
