import { DataError } from '../data-error.ts';
import type { NetworkPlan } from '../network/network-plan.ts';
import { weightsIn } from '../network/weight-text.ts';

/** Weights to start from; refuses those of another network, and numbers that are not finite. */
export function startWeights(text: string, { weights: count }: NetworkPlan): Float32Array {
  const weights = textWeights(text);
  if (weights.length === count && weights.every(Number.isFinite)) return weights;
  throw new DataError(
    `the weights to start from do not fit the network, which has ${count}`,
    {},
    'give float32 weights of this network in base64, or leave them out',
  );
}

function textWeights(text: string): Float32Array {
  try {
    return weightsIn(text);
  } catch {
    return new Float32Array(0);
  }
}
