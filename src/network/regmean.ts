import { cholesky } from '../numeric/cholesky.ts';
import { packedLength, unpacked } from '../numeric/gram.ts';
import { type Kernels, reproducibleKernels } from '../numeric/kernels.ts';
import { transposedProduct } from '../numeric/transposed-product.ts';
import { averageNetwork, type WeightSums, weightSums } from './fuse-average.ts';
import type { NetworkPlan } from './network-plan.ts';
import { addTimes, orderedSites, type SiteWeights } from './site-weights.ts';

/** A site's weights with the second moments A of every layer's inputs (of windows, for a convolution), as packed triangles. */
export interface RegMeanSite extends SiteWeights {
  readonly inputs: readonly Float64Array[];
}

/** Sums over sites: Σ nW, and for every layer Σ nÃ (packed) and Σ nWÃ, the latter in the order of the weights. */
export interface RegMeanSums extends WeightSums {
  readonly inputSums: readonly Float64Array[];
  readonly productSum: Float64Array;
}

/** Factor of the entries of A off its diagonal, as a study agrees it; 0.9 in the paper of Jin et al. (2023). */
export const USUAL_SHRINKAGE = 0.9;

/** With a unit diagonal, the smallest eigenvalue that counts as positive. */
const LEAST_EIGENVALUE = 2 ** -30;

/** The sums of some sites; those of one site are what it sends. Ã is A with the entries off its diagonal times `shrinkage`. */
export function regMeanSums(
  { blocks, weights: count }: NetworkPlan,
  sites: readonly RegMeanSite[],
  shrinkage: number = USUAL_SHRINKAGE,
): RegMeanSums {
  const kept = orderedSites(sites);
  const productSum = new Float64Array(count);
  const inputSums = blocks.map(({ columns }) => new Float64Array(packedLength(columns)));
  const kernels = reproducibleKernels();
  for (const { rows, weights, inputs } of kept) {
    for (const { index, start, rows: outputs, columns } of blocks) {
      const own = shrunk(inputs[index], columns, shrinkage);
      addTimes(inputSums[index], rows, own);
      const block = weights.subarray(start, start + outputs * columns);
      const product = timesSymmetric(kernels, block, unpacked(own, columns), outputs);
      addTimes(productSum.subarray(start, start + product.length), rows, product);
    }
  }
  return { ...weightSums(kept), inputSums, productSum };
}

/**
 * RegMean (Jin et al. 2023): for each layer the weights whose outputs are nearest to those of the sites, W ΣnÃ = ΣnWÃ. An input
 * that is 0 in every row of every site keeps the average weight. So does every direction that the inputs never take: where ΣnÃ
 * is singular, a small ridge draws the weights to the average.
 */
export function regMean({ blocks }: NetworkPlan, sums: RegMeanSums): Float64Array {
  const weights = averageNetwork(sums);
  const kernels = reproducibleKernels();
  for (const { index, start, rows, columns } of blocks) {
    const full = unpacked(sums.inputSums[index], columns);
    const alive = Array.from({ length: columns }, (_, i) => i).filter(
      (i) => full[i * (columns + 1)] > 0,
    );
    const scale = Float64Array.from(alive, (i) => 1 / Math.sqrt(full[i * (columns + 1)]));
    const scaled = new Float64Array(alive.length ** 2);
    alive.forEach((i, k) => {
      alive.forEach((j, l) => {
        scaled[k * alive.length + l] = full[i * columns + j] * scale[k] * scale[l];
      });
    });
    const solve = solverOf(kernels, scaled, alive.length);
    const mean = weights.subarray(start, start + rows * columns);
    const known = timesSymmetric(kernels, mean, full, rows);
    for (let o = 0; o < rows; o++) {
      const at = (i: number) => o * columns + i;
      const missing = (i: number) => sums.productSum[start + at(i)] - known[at(i)];
      const change = solve(Float64Array.from(alive, (i, k) => missing(i) * scale[k]));
      alive.forEach((i, k) => {
        mean[at(i)] += change[k] * scale[k];
      });
    }
  }
  return weights;
}

/** V M for a row-major V and a symmetric M. */
function timesSymmetric(
  kernels: Kernels,
  v: Float64Array,
  m: Float64Array,
  rows: number,
): Float64Array {
  const columns = v.length / rows;
  const turned = v.map((_, at) => v[(at % rows) * columns + Math.floor(at / rows)]);
  return transposedProduct(kernels, turned, m, columns);
}

/** The triangle with the entries off its diagonal times a factor. */
function shrunk(packed: Float64Array, d: number, factor: number): Float64Array {
  const result = packed.map((entry) => factor * entry);
  for (let i = 0, at = 0; i < d; at += d - i, i++) result[at] = packed[at];
  return result;
}

/** Solves with a matrix of unit diagonal, or with a little more on its diagonal if it is nearly singular. */
function solverOf(
  kernels: Kernels,
  matrix: Float64Array,
  d: number,
): (b: Float64Array) => Float64Array {
  const shifted = (by: number) => {
    const copy = matrix.slice();
    for (let i = 0; i < d; i++) copy[i * (d + 1)] += by;
    return copy;
  };
  const isSafe = 'factor' in cholesky(kernels, shifted(-LEAST_EIGENVALUE), d);
  // Noise can leave the sums far from positive definite; a diagonal of d + 1 is enough for any.
  for (let by = isSafe ? 0 : LEAST_EIGENVALUE; by <= 16 * d; by *= 16) {
    const factored = cholesky(kernels, shifted(by), d);
    if ('factor' in factored) return (b) => factored.factor.solve(b);
  }
  throw new RangeError(
    'the second moments of a layer must be finite, and products at most squares',
  );
}
