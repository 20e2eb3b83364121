import type { Failure } from '../failure.ts';
import { ddAt, ddDot } from '../numeric/dd-matrix.ts';
import { ddSubtract } from '../numeric/double-double.ts';
import { reproducibleKernels } from '../numeric/kernels.ts';
import { type ChosenPenalty, ridgeGrid, smoothMinimum } from './choose-curve.ts';
import { largestRidge, penaltyPaths } from './choose-gcv.ts';
import { ridges } from './choose-ridges.ts';
import { moments, type NormalEquations } from './normal-equations.ts';

/**
 * Minus the logarithm of the marginal likelihood of each ridge, summed over responses, in the user's units: with
 * b ~ N(0, s²P⁻¹/λ) the response, less its mean where there is an intercept, is N(0, s²(I + XP⁻¹Xᵀ/λ)) on m = n − 1
 * (without: n) dimensions, and s² is at its maximum Q/m for Q = min ‖y − Xb‖² + λbᵀPb. A row of weight w has variance
 * s²/w. O(p) for each ridge.
 */
export function marginalLikelihood(
  equations: NormalEquations,
  unit: Float64Array,
  weakest: number,
): (ridge: number) => number {
  const { matrix, predictors: p, rows, layout, equilibration, logWeightSum } = equations;
  const paths = penaltyPaths(equations, unit);
  const base = ridges(reproducibleKernels(), matrix, unit, [weakest]);
  const all = Array.from({ length: p }, (_, j) => j);
  const dimensions = rows - (layout.intercept ? 1 : 0);
  const responses = paths.map((path, r) => {
    const at = p + r;
    const explained = ddDot(moments(equations, all, r), 0, base[r].weakest, 0, p);
    const least = ddSubtract(ddAt(matrix, at * matrix.width + at), explained).hi;
    const responseUnit =
      (layout.references[at + 1].scale * (layout.weightScale ?? 1)) / equilibration[at];
    return { path, least, responseUnit };
  });
  return (ridge) =>
    responses.reduce((sum, { path, least, responseUnit }) => {
      // Q(λ) = Q(λ₀) + (λ − λ₀) β₀ᵀPβ, in which nothing cancels.
      const objective = least + (ridge - weakest) * path.inner(ridge, weakest);
      const variance = (objective / dimensions) * responseUnit ** 2;
      const spread = path.logDeterminant(ridge) - p * Math.log(ridge);
      return (
        sum + (dimensions * (1 + Math.log(2 * Math.PI * variance)) + spread - logWeightSum) / 2
      );
    }, 0);
}

/** Maximises the marginal likelihood over the ridge: empirical Bayes (MacKay 1992; lambda = s²/variance of b). */
export function chooseByMarginalLikelihood(
  equations: NormalEquations,
  unit: Float64Array,
): ChosenPenalty | Failure {
  const { matrix, predictors, responses, rows, layout } = equations;
  const still = Array.from({ length: responses }, (_, r) => predictors + r).find(
    (at) => !(matrix.hi[at * matrix.width + at] > 0),
  );
  if (still !== undefined) {
    return {
      problem: `${layout.columns[still + 1]} is the same in every row, so it has no likelihood`,
      remedy: 'give a ridge, or choose another response',
    };
  }
  if (rows - (layout.intercept ? 1 : 0) < 1) {
    return { problem: 'a likelihood takes at least two rows', remedy: 'wait for more rows' };
  }
  const grid = ridgeGrid(largestRidge(equations, unit));
  const score = marginalLikelihood(equations, unit, grid[grid.length - 1]);
  return smoothMinimum('marginal-likelihood', grid, score, (value, best) => value <= best + 2);
}
