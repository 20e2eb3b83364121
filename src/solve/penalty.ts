import { type DdMatrix, ddAt, ddSet } from '../numeric/dd-matrix.ts';
import { dd, ddAdd } from '../numeric/double-double.ts';
import type { NormalEquations } from './normal-equations.ts';

/** What a ridge penalises: coefficients of raw columns, or of columns of unit SD. */
export type PenaltyScale = 'raw' | 'standardized';

/**
 * The penalty a ridge of 1 in the user's units puts on each equilibrated coefficient; the
 * intercept is not among them. `raw` is λ‖b‖² for b in the user's units (sklearn's alpha on raw
 * columns, the papers' σ); `standardized` is λ Σ (bⱼ SDⱼ)² with the population SD (MASS::lm.ridge).
 */
export function unitPenalty(equations: NormalEquations, scale: PenaltyScale): Float64Array {
  const { layout, equilibration, matrix, predictors, weightSum } = equations;
  const weightScale = layout.weightScale ?? 1;
  return Float64Array.from({ length: predictors }, (_, j) =>
    scale === 'raw'
      ? (equilibration[j] / (layout.references[j + 1].scale * weightScale)) ** 2
      : matrix.hi[j * matrix.width + j] / weightSum,
  );
}

/** S + P: the matrix with the penalty on its diagonal; the matrix itself without a penalty. */
export function withPenalty(matrix: DdMatrix, penalty: Float64Array): DdMatrix {
  if (penalty.every((p) => p === 0)) return matrix;
  const copy = { width: matrix.width, hi: matrix.hi.slice(), lo: matrix.lo.slice() };
  penalty.forEach((p, j) => {
    if (p > 0) ddSet(copy, j * matrix.width + j, ddAdd(ddAt(copy, j * matrix.width + j), dd(p)));
  });
  return copy;
}

/** Effective number of slopes, tr((S + P)⁻¹ S) = rank − Σ Pⱼ (S + P)⁻¹ⱼⱼ. */
export function effectiveSlopes(
  kept: readonly number[],
  inverse: DdMatrix,
  penalty: Float64Array,
): number {
  return kept.reduce(
    (sum, column, k) => sum - penalty[column] * inverse.hi[k * inverse.width + k],
    kept.length,
  );
}
