import type * as zod from 'zod';
import { DataError } from '../data-error.ts';
import { type Network, networkSchema } from '../network/network.ts';
import type { NetworkPlan } from '../network/network-plan.ts';
import { weightsIn, weightText } from '../network/weight-text.ts';
import { assertSameJson } from '../study/same-json.ts';
import type { Zod } from '../study/zod.ts';

declare module '../study/study.ts' {
  interface Features {
    readonly network: NetworkFeature;
  }
}

/** The values that the last layer of a network with known weights takes: a fused network without its last layer. */
export interface NetworkFeature {
  readonly kind: 'network';
  readonly network: Network;
  /** Number of these values. */
  readonly dimension: number;
  /** Of all layers but the last: float32, little-endian, in base64. Layer by layer, as in a `WeightBlock`. */
  readonly weights: string;
}

/** Most values that the last layer takes: as many as the units of a layer. */
export const MOST_NETWORK_FEATURES = 8192;

/** Letters of four million weights. */
const LONGEST_WEIGHTS = 4 * Math.ceil((4 * 4_000_000) / 3);

function shape(z: Zod) {
  return z.strictObject({
    kind: z.literal('network'),
    network: networkSchema(z),
    dimension: z.int().min(1).max(MOST_NETWORK_FEATURES),
    weights: z
      .string()
      .max(LONGEST_WEIGHTS)
      .regex(/^[A-Za-z0-9+/]*={0,2}$/, 'must be base64')
      .refine((text) => text.length % 4 === 0, 'must be base64'),
  });
}
assertSameJson<zod.infer<ReturnType<typeof shape>>, NetworkFeature>('same');

/** The JSON of its terms. */
export function networkFeatureSchema(z: Zod): zod.ZodObject {
  return shape(z);
}

/** The terms of a network's features; `weights` may go on with those of the last layer. */
export function networkFeature(
  network: Network,
  { outputs, weights: count }: NetworkPlan,
  weights: Float32Array,
): NetworkFeature {
  const kept = weightText(weights.subarray(0, count));
  return { kind: 'network', network, dimension: outputs, weights: kept };
}

/** The weights of the layers; refuses terms that do not fit the plan. */
export function hiddenWeights(
  { dimension, weights: text }: NetworkFeature,
  { outputs, weights: count }: NetworkPlan,
): Float32Array {
  if (dimension !== outputs || outputs > MOST_NETWORK_FEATURES) {
    throw new DataError(
      `the last layer of the network takes ${outputs} values, and the study says ${dimension}`,
      {},
      `give the number of values, at most ${MOST_NETWORK_FEATURES}`,
    );
  }
  const weights = weightsIn(text);
  if (weights.length === count && weights.every(Number.isFinite)) return weights;
  throw new DataError(
    `the weights of the study do not fit its network, which has ${count} before the last layer`,
    {},
    'take network and weights from the same report',
  );
}
