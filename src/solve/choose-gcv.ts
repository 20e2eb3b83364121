import { reproducibleKernels } from '../numeric/kernels.ts';
import { type RidgePath, ridgePaths } from '../numeric/ridge-path.ts';
import { type ChosenPenalty, ridgeGrid, smoothMinimum } from './choose-curve.ts';
import type { NormalEquations } from './normal-equations.ts';

/** Ridge fits of each response for any penalty, in equilibrated units. */
export function penaltyPaths(equations: NormalEquations, unitPenalty: Float64Array): RidgePath[] {
  const { matrix, predictors: p, responses, rows, layout } = equations;
  const root = unitPenalty.map((u) => (u > 0 ? 1 / Math.sqrt(u) : 0));
  const gram = new Float64Array(p * p);
  for (let i = 0; i < p; i++) {
    for (let j = 0; j < p; j++)
      gram[i * p + j] = matrix.hi[i * matrix.width + j] * root[i] * root[j];
  }
  const targets = Array.from({ length: responses }, (_, r) => {
    const at = p + r;
    const moment = Float64Array.from(root, (u, i) => matrix.hi[at * matrix.width + i] * u);
    return { moment, square: matrix.hi[at * matrix.width + at] };
  });
  return ridgePaths(reproducibleKernels(), gram, p, targets, rows, layout.intercept ? 1 : 0);
}

/** Σ Sⱼⱼ/Pⱼ, an upper bound of the largest eigenvalue: a ridge of this size shrinks everything by half or more. */
export function largestRidge({ matrix, predictors }: NormalEquations, unit: Float64Array): number {
  let largest = 0;
  for (let i = 0; i < predictors; i++) {
    const root = unit[i] > 0 ? 1 / Math.sqrt(unit[i]) : 0;
    largest += matrix.hi[i * matrix.width + i] * root * root;
  }
  return largest;
}

/**
 * Minimises generalised cross-validation n·RSS/(n − edf)² over the ridge, from the total alone
 * (Golub, Heath & Wahba 1979): a grid over twelve decades, then golden-section search.
 */
export function chooseByGcv(equations: NormalEquations, unitPenalty: Float64Array): ChosenPenalty {
  const { matrix, predictors: p, responses, rows, layout, equilibration } = equations;
  const paths = penaltyPaths(equations, unitPenalty);
  const shares = paths.map((_, r) => {
    const at = p + r;
    if (responses > 1) return rows / (matrix.hi[at * matrix.width + at] || 1);
    const unit = layout.references[at + 1].scale * (layout.weightScale ?? 1);
    return (unit / equilibration[at]) ** 2;
  });
  return smoothMinimum(
    'gcv',
    ridgeGrid(largestRidge(equations, unitPenalty)),
    (ridge) => paths.reduce((sum, path, r) => sum + path.at(ridge).gcv * shares[r], 0),
    (score, best) => score <= 1.01 * best,
  );
}
