import { projectionMatrix } from '../../src/features/projection.ts';
import { resolveRidge } from '../../src/fusion/ridge.ts';
import { restrict } from '../../src/statistic/restrict.ts';
import type { LinearStatistic } from '../../src/statistic/statistic.ts';
import type { Draw } from './draw.ts';
import { oneShotExperiment, oracle, ridgeStudy } from './exact.ts';
import { share, type Work } from './work.ts';

/** Models of projections to m columns, in the features themselves: R·w̃. */
export interface ProjectedFit {
  readonly dimension: number;
  readonly fused: Float64Array;
  readonly central: Float64Array;
}

/**
 * One-shot fusion of projected features, and the oracle over the same. Sites send only the largest dimension: the columns of
 * a smaller one are its first columns, up to √(M/m), so the statistic of a smaller one is a part of it, and σ·m/M on that part
 * equals σ on the smaller one's own columns.
 */
export function* projectedFits(
  { setting, sites }: Draw,
  dimensions: readonly number[],
  ridge: number,
  seed: number,
): Work<ProjectedFit[]> {
  const most = Math.max(...dimensions);
  const projection = { kind: 'projection', dimension: most, seed } as const;
  const study = ridgeStudy(setting, ridge, { features: [projection] });
  const one = yield* share(0, 0.6, oneShotExperiment(study, sites));
  const all = yield* share(0.6, 0.9, oracle(study, sites));
  const matrix = projectionMatrix(setting.features, projection);
  const found: ProjectedFit[] = [];
  for (const [i, dimension] of dimensions.entries()) {
    const model = (total: LinearStatistic) => {
      const weights = narrowed(total, dimension, (ridge * dimension) / most);
      return unprojected(matrix, weights, setting.features, most);
    };
    const fused = model(one.fit.total);
    yield 0.9 + (0.1 * (i + 0.5)) / dimensions.length;
    found.push({ dimension, fused, central: model(all.fit.total) });
    yield 0.9 + (0.1 * (i + 1)) / dimensions.length;
  }
  return found;
}

/** The ridge regression on the first columns of a total. */
function narrowed(total: LinearStatistic, dimension: number, ridge: number): Float64Array {
  const response = total.layout.columns.length - 1;
  const kept = Array.from({ length: dimension + 1 }, (_, j) => j);
  const fit = resolveRidge(restrict(total, [...kept, response]), { kind: 'ridge', ridge });
  if ('problem' in fit) throw new Error(fit.problem);
  return fit.models[0]!.estimates;
}

function unprojected(
  matrix: Float64Array,
  weights: Float64Array,
  features: number,
  most: number,
): Float64Array {
  const model = new Float64Array(features);
  for (let i = 0; i < features; i++) {
    for (let j = 0; j < weights.length; j++) model[i]! += matrix[i * most + j]! * weights[j]!;
  }
  return model;
}
