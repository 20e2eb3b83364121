import { type DdArray, type DdMatrix, ddArray, ddAt, ddDot, ddSet } from '../numeric/dd-matrix.ts';
import { type DoubleDouble, dd } from '../numeric/double-double.ts';
import type { NormalEquations } from './normal-equations.ts';

/**
 * The solution of the normal equations, in their equilibrated units: coefficients of the kept
 * predictors for each response, the inverse behind them, and the residuals.
 */
export interface Solution {
  readonly kept: readonly number[];
  readonly aliased: readonly number[];
  readonly coefficients: readonly DdArray[];
  /** Results that need a factor; absent if the problem was too wide for one. */
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

/** yᵀy − 2βᵀXᵀy + βᵀXᵀXβ, the residual sum of squares for any β. */
export function quadraticResidual(
  equations: NormalEquations,
  kept: readonly number[],
  beta: DdArray,
  r: number,
): DoubleDouble {
  const { matrix, predictors } = equations;
  const width = matrix.width;
  const full = ddArray(width);
  kept.forEach((column, k) => {
    ddSet(full, column, ddAt(beta, k));
  });
  ddSet(full, predictors + r, dd(-1));
  const image = ddArray(width);
  for (const i of [...kept, predictors + r])
    ddSet(image, i, ddDot(matrix, i * width, full, 0, width));
  return atLeastNothing(
    ddDot(full, 0, image, 0, width),
    ddAt(matrix, (predictors + r) * (width + 1)),
  );
}

/** The remainder, or 0 if it is below the precision of double-double, about 2⁻¹⁰⁰ of the whole. */
export function atLeastNothing(rest: DoubleDouble, whole: DoubleDouble): DoubleDouble {
  return rest.hi > 2 ** -98 * whole.hi ? rest : dd(0);
}
