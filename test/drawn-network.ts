import { type NetworkFeature, networkFeature } from '../src/features/network-terms.ts';
import { hiddenPlan } from '../src/network/hidden-plan.ts';
import type { Network } from '../src/network/network.ts';
import { type NetworkPlan, planNetwork, type ValueShape } from '../src/network/network-plan.ts';
import { seededWords } from '../src/random/seeded-words.ts';

/** Weights of all layers, drawn as training starts with them: within ±√3 / √inputs. */
export function drawnWeights({ blocks, weights }: NetworkPlan, seed: number): Float32Array {
  const words = seededWords(seed);
  const drawn = new Float32Array(weights);
  for (const { start, rows, columns } of blocks) {
    const most = Math.sqrt(3 / columns);
    for (let k = 0; k < rows * columns; k++) {
      drawn[start + k] = most * (words() / 2 ** 31 - 1);
    }
  }
  return drawn;
}

/** The features of a network with random weights. */
export function drawnNetwork(network: Network, input: ValueShape, seed: number): NetworkFeature {
  const plan = hiddenPlan(network, input);
  return networkFeature(network, plan, drawnWeights(planNetwork(network, input, 1), seed));
}
