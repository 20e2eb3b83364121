import type { NormalEquations } from './normal-equations.ts';

/** Which coefficients a ridge of 1 penalises by 1: raw ones, or those of columns of unit SD. */
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
