import { reproducibleKernels } from '../../src/numeric/kernels.ts';
import { affineRounds, averageOf } from './affine-rounds.ts';
import type { Client } from './client.ts';
import { gradientsOf, meanByRows, meanLossObjective, paperSteps } from './local-steps.ts';

/** The paper's noise on the sums of a client: R rounds, τ/ε, from which a round has τ/ε₀ with ε₀ = ε/√R. */
export interface PrintedNoise {
  readonly ridge: number;
  readonly rounds: number;
  /** τ/ε. */
  readonly deviation: number;
}

/**
 * DP-FedAvg with the paper's own accounting, NOT private: only for comparison. Each client adds normal noise τ/ε₀ to its sum
 * Σ a(a·w − b), as if a row changed that sum by at most 1, although nothing is clipped and rows have length 10. The paper does
 * not say where its noise is added: here once a round, the same noise in all E steps.
 */
export function dpFedAvgPrinted(
  clients: readonly Client[],
  { ridge, rounds, deviation }: PrintedNoise,
  normal: () => number,
): Float64Array {
  const steps = [...affineRounds(reproducibleKernels(), clients, ridge)];
  const all = clients.reduce((sum, { count }) => sum + count, 0);
  // A client's noise on its model is 2ηE/n_k of that on its sums; its weight in the mean is n_k/n.
  const { rate, epochs } = paperSteps;
  const spread = ((2 * rate * epochs) / all) * Math.sqrt(clients.length * rounds) * deviation;
  let weights = new Float64Array(clients[0]!.moments.length);
  for (let round = 0; round < rounds; round++) {
    weights = averageOf(steps, weights);
    for (let i = 0; i < weights.length; i++) weights[i]! += spread * normal();
  }
  return weights;
}

/** The same with new noise τ/ε₀ at each of a round's E steps, and σ on the mean loss: what Table V fits from ε = 0.5 on. NOT private. */
export function dpFedAvgPrintedSteps(
  clients: readonly Client[],
  { ridge, rounds, deviation }: PrintedNoise,
  normal: () => number,
): Float64Array {
  const gradients = gradientsOf(reproducibleKernels(), clients, ridge, meanLossObjective);
  const { rate, epochs } = paperSteps;
  const spread = meanLossObjective.squares * Math.sqrt(rounds) * deviation;
  let weights = new Float64Array(clients[0]!.moments.length);
  for (let round = 0; round < rounds; round++) {
    const local = gradients.map((gradientAt, k) => {
      const own = weights.slice();
      const noise = spread / clients[k]!.count;
      for (let e = 0; e < epochs; e++) {
        const gradient = gradientAt(own);
        for (let i = 0; i < own.length; i++) own[i]! -= rate * (gradient[i]! + noise * normal());
      }
      return own;
    });
    weights = meanByRows(clients, local) as typeof weights;
  }
  return weights;
}
