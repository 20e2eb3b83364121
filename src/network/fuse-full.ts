import { DataError } from '../data-error.ts';
import { cholesky } from '../numeric/cholesky.ts';
import { symmetricEigen } from '../numeric/eigen.ts';
import { packedLength, unpacked } from '../numeric/gram.ts';
import { reproducibleKernels } from '../numeric/kernels.ts';
import { descentFactor } from './closed-descent.ts';
import { averageNetwork, type WeightSums, weightSums } from './fuse-average.ts';
import type { NetworkPlan } from './network-plan.ts';
import { descentRate, type PlainDescent } from './server-descent.ts';
import { addTimes, orderedSites, type SiteWeights, USUAL_DAMPING } from './site-weights.ts';

/** A site's weights with its whole Fisher information, the mean over its rows, as a packed upper triangle. */
export interface FullSite extends SiteWeights {
  readonly fisher: Float64Array;
}

/** Sums over sites: Σ nW, Σ nF (packed) and Σ nFW. */
export interface FullSums extends WeightSums {
  readonly fisherSum: Float64Array;
  readonly productSum: Float64Array;
}

/** The sums of some sites; those of one site are what it sends. */
export function fullSums(sites: readonly FullSite[]): FullSums {
  const kept = orderedSites(sites);
  const sums = weightSums(kept);
  const width = sums.weightSum.length;
  const fisherSum = new Float64Array(packedLength(width));
  const productSum = new Float64Array(width);
  for (const { rows, weights, fisher } of kept) {
    addTimes(fisherSum, rows, fisher);
    addTimes(productSum, rows, times(unpacked(fisher, width), weights));
  }
  return { ...sums, fisherSum, productSum };
}

/**
 * (ΣF + D) W = ΣFW + D W̄, where D has λ times the mean of ΣF's diagonal in the layer of each weight. With λ = 0 it is the
 * minimiser of the Laplace approximations itself, where there is only one.
 */
export function dampedFull(
  { blocks }: NetworkPlan,
  sums: FullSums,
  damping: number = USUAL_DAMPING,
): Float64Array {
  const weights = averageNetwork(sums);
  const width = weights.length;
  const { matrix, gradient } = aroundAverage(sums, weights);
  for (const { start, rows, columns } of blocks) {
    const end = start + rows * columns;
    let total = 0;
    for (let k = start; k < end; k++) total += matrix[k * (width + 1)];
    const shift = (damping * total) / (end - start);
    for (let k = start; k < end; k++) matrix[k * (width + 1)] += shift;
  }
  const factored = cholesky(reproducibleKernels(), matrix, width);
  if ('indefiniteAt' in factored) {
    throw new DataError(
      'the Fisher information of all sites together does not determine every weight',
      {},
      'choose a damping above 0, or a smaller network',
    );
  }
  addTimes(weights, 1, factored.factor.solve(gradient));
  return weights;
}

/** Gradient descent from the average, in closed form for any number of steps: W̄ + V diag((1 − (1 − ηλ)ᵀ) / λ) Vᵀ ΣpF(Wᵢ − W̄). */
export function descendFull(sums: FullSums, descent: PlainDescent): Float64Array {
  const weights = averageNetwork(sums);
  const width = weights.length;
  const { matrix, gradient } = aroundAverage(sums, weights);
  const { values, vectors } = symmetricEigen(reproducibleKernels(), matrix, width);
  const rate = descentRate(descent, values[width - 1] / sums.rows);
  const along = new Float64Array(width);
  for (let i = 0; i < width; i++) {
    for (let j = 0; j < width; j++) along[j] += vectors[i * width + j] * gradient[i];
  }
  for (let j = 0; j < width; j++) {
    along[j] *= descentFactor(values[j] / sums.rows, rate, descent.steps) / sums.rows;
  }
  addTimes(weights, 1, times(vectors, along));
  return weights;
}

/** ΣnF in full, and ΣnF(W − W̄). */
function aroundAverage({ fisherSum, productSum }: FullSums, mean: Float64Array) {
  const matrix = unpacked(fisherSum, mean.length);
  const gradient = productSum.slice();
  addTimes(gradient, -1, times(matrix, mean));
  return { matrix, gradient };
}

function times(matrix: Float64Array, v: Float64Array): Float64Array {
  const width = v.length;
  return v.map((_, i) => {
    let sum = 0;
    for (let j = 0; j < width; j++) sum += matrix[i * width + j] * v[j];
    return sum;
  });
}
