import { reproducibleKernels } from '../../src/numeric/kernels.ts';
import { affineRounds, averageOf } from './affine-rounds.ts';
import type { Client } from './client.ts';
import { paperSteps } from './local-steps.ts';

/**
 * DP-FedAvg with the paper's own accounting, NOT private: only for comparison. R rounds of FedAvg at ε₀ = ε/√R; each
 * client adds normal noise τ/ε₀ to its sum Σ a(a·w − b), once a round for all E steps (new noise at each step, at ε₀/√E, gives
 * the same), as if a row changed that sum by at most 1, although nothing is clipped and rows have length 10. The paper does
 * not say where its noise is added.
 */
export function dpFedAvgPrinted(
  clients: readonly Client[],
  { ridge, rounds, deviation }: { ridge: number; rounds: number; deviation: number },
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
