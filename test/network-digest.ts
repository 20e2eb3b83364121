import { fullDistillation } from '../src/network/distillation.ts';
import type { Examples } from '../src/network/examples.ts';
import { fuseDense } from '../src/network/fuse-dense.ts';
import { initialWeights } from '../src/network/initial-weights.ts';
import { fisherPass } from '../src/network/kfac.ts';
import type { Network } from '../src/network/network.ts';
import { planNetwork, valueCount } from '../src/network/network-plan.ts';
import { train } from '../src/network/train.ts';
import { fullTraining } from '../src/network/training.ts';
import { digestBytes } from '../src/study/digest.ts';

/** The digest of two trained networks and their Fisher information, in every engine. */
export const TRAINED_DIGEST =
  'sha256:2da869bea77109ddb34234d8c7bc6df7c33e560b781954373be565e8f6a0c9bf';

/** The digest of two networks that were fused by generated inputs, in every engine. */
export const DISTILLED_DIGEST =
  'sha256:9f2f8bee3562b34c1d54aa2e61fccefd3141d1c954da3f87ef3229e023e272b2';

const network: Network = {
  layers: [
    { kind: 'convolution', channels: 6, size: 3, padding: 1 },
    { kind: 'relu' },
    { kind: 'max-pool', size: 2 },
    { kind: 'convolution', channels: 5, size: 2 },
    { kind: 'max-pool', size: 2 },
    { kind: 'dense', units: 9 },
    { kind: 'relu' },
  ],
};

/** Trains a network by either optimiser, with nothing but the library: the same in Node, on a page and in a worker. */
export function networkDigest(): string {
  const plan = planNetwork(network, { channels: 2, height: 11, width: 9 }, 4);
  const values = valueCount(plan.input);
  const examples: Examples = {
    rows: 50,
    answers: { kind: 'classes', classes: Uint8Array.from({ length: 50 }, (_, row) => row % 4) },
    fill(target, at, row) {
      for (let k = 0; k < values; k++)
        target[at + k] = ((row * k * k * 37 + 11 * k) % 256) / 128 - 1;
    },
  };
  const made = (['momentum', 'adam'] as const).flatMap((optimiser) => {
    const terms = fullTraining({ optimiser, epochs: 3, batch: 16 });
    const weights = trained(train(plan, examples, terms, initialWeights(plan, terms.seed)));
    const { diagonal, factors } = fisherPass(plan, weights, examples);
    const drawn = fisherPass(plan, weights, examples, { seed: 2 });
    const matrices = factors.flatMap(({ inputs, outputs }) => [inputs, outputs]);
    return [Float64Array.from(weights), diagonal, drawn.diagonal, ...matrices];
  });
  const all = Float64Array.from(made.flatMap((numbers) => [...numbers]));
  return digestBytes(new Uint8Array(all.buffer));
}

/** Fuses two drawn networks by generated inputs. */
export function distilledDigest(): string {
  const plan = planNetwork(network, { channels: 2, height: 11, width: 9 }, 4);
  const sites = [1, 2].map((seed) => ({
    rows: seed,
    weights: Float64Array.from(initialWeights(plan, seed), (weight) => 3 * weight),
  }));
  const ranges = [
    { low: -1, high: 1 },
    { low: 0, high: 3 },
  ];
  const terms = fullDistillation({ batches: 2, batch: 10, steps: 4, width: 8, passes: 2 });
  const weights = fuseDense(plan, sites, ranges, terms, { seed: 1 });
  return digestBytes(new Uint8Array(weights.buffer));
}

function trained(steps: ReturnType<typeof train>): Float32Array {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
