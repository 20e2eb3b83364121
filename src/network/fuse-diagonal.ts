import { averageNetwork, type WeightSums, weightSums } from './fuse-average.ts';
import type { NetworkPlan } from './network-plan.ts';
import {
  descentRate,
  type PaperLoop,
  type PlainDescent,
  paperDescent,
  plainDescent,
  type ServerObjective,
} from './server-descent.ts';
import { orderedSites, type SiteWeights } from './site-weights.ts';

/** A site's weights with the diagonal of its Fisher information, the mean over its rows, in the same order. */
export interface DiagonalSite extends SiteWeights {
  readonly fisher: Float64Array;
}

/** Sums over sites: Σ nW, Σ nF and Σ nF∘W. */
export interface DiagonalSums extends WeightSums {
  readonly fisherSum: Float64Array;
  readonly productSum: Float64Array;
}

/**
 * Damping unless given, less than that of K-FAC: 0.3, 0.03 and 0.01 gave a mean accuracy of 48.7, 50.4 and 50.5 % on three
 * partitions of 10,000 Fashion-MNIST images, the paper's loop 50.4 %.
 */
export const DIAGONAL_DAMPING = 0.01;

/** Below this mean information a weight is averaged (FedFisher's code for Fisher merging). */
const LEAST_INFORMATION = 1e-6;

/** The sums of some sites; those of one site are what it sends. */
export function diagonalSums(sites: readonly DiagonalSite[]): DiagonalSums {
  const kept = orderedSites(sites);
  const sums = weightSums(kept);
  const fisherSum = new Float64Array(sums.weightSum.length);
  const productSum = new Float64Array(sums.weightSum.length);
  for (const { rows, weights, fisher } of kept) {
    for (let k = 0; k < weights.length; k++) {
      const information = rows * fisher[k];
      fisherSum[k] += information;
      productSum[k] += information * weights[k];
    }
  }
  return { ...sums, fisherSum, productSum };
}

/**
 * (ΣF + λτ) W = ΣF∘W + λτ W̄ for every weight, τ being the mean of ΣF in its layer: the minimiser of the Laplace approximations,
 * drawn to the average where the sites know little.
 */
export function dampedDiagonal(
  { blocks }: NetworkPlan,
  sums: DiagonalSums,
  damping: number = DIAGONAL_DAMPING,
): Float64Array {
  const weights = averageNetwork(sums);
  const { fisherSum, productSum } = sums;
  for (const { start, rows, columns } of blocks) {
    const end = start + rows * columns;
    let total = 0;
    for (let k = start; k < end; k++) total += Math.max(0, fisherSum[k]);
    const shift = (damping * total) / (end - start);
    for (let k = start; k < end; k++) {
      const information = fisherSum[k];
      // Noise can leave a sum below 0, which says nothing about its weight.
      if (!(information > 0)) continue;
      weights[k] = (productSum[k] + shift * weights[k]) / (information + shift);
    }
  }
  return weights;
}

/** FedFisher (Diag) by its authors' loop: w −= 0.01 m / (√v + 0.01). */
export function paperDiagonal(sums: DiagonalSums, loop: PaperLoop = {}): Float64Array {
  return paperDescent(objective(sums), (m, v) => m / (Math.sqrt(v) + 0.01), loop);
}

/** FedFisher (Diag) by gradient descent from the average. */
export function descendDiagonal(sums: DiagonalSums, descent: PlainDescent): Float64Array {
  let largest = 0;
  for (const information of sums.fisherSum) largest = Math.max(largest, information);
  const rate = descentRate(descent, largest / sums.rows);
  return plainDescent(objective(sums), descent.steps, rate);
}

/** Fisher merging (Matena & Raffel 2022): ΣF∘W / ΣF; the average where the mean information is below 1e-6. */
export function fisherMerge(sums: DiagonalSums): Float64Array {
  const { rows, fisherSum, productSum } = sums;
  return averageNetwork(sums).map((mean, k) =>
    fisherSum[k] / rows < LEAST_INFORMATION ? mean : productSum[k] / fisherSum[k],
  );
}

function objective(sums: DiagonalSums): ServerObjective {
  const fisher = sums.fisherSum.map((sum) => sum / sums.rows);
  const target = sums.productSum.map((sum) => sum / sums.rows);
  return {
    start: averageNetwork(sums),
    gradient(weights, out) {
      for (let k = 0; k < out.length; k++) out[k] = fisher[k] * weights[k] - target[k];
    },
  };
}
