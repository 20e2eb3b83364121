import { namedWords } from '../random/named-words.ts';
import type { NetworkPlan } from './network-plan.ts';

/**
 * First weights as PyTorch draws them: uniform on ±1/√inputs, biases too. Those of a layer come from (seed, its place) alone; the
 * same bits on every platform.
 */
export function initialWeights(plan: NetworkPlan, seed: number): Float32Array {
  const weights = new Float32Array(plan.weights);
  for (const { index, start, rows, columns, bias } of plan.blocks) {
    const words = namedWords(`suffice network weights ${seed} ${index}`);
    const bound = 1 / Math.sqrt(columns - (bias ? 1 : 0));
    for (let k = 0; k < rows * columns; k++) {
      weights[start + k] = bound * (words() / 2 ** 31 - 1);
    }
  }
  return weights;
}
