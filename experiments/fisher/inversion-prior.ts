import { createEngine } from '../../src/network/engine.ts';
import type { Examples } from '../../src/network/examples.ts';
import { initialWeights } from '../../src/network/initial-weights.ts';
import type { Network } from '../../src/network/network.ts';
import {
  type NetworkPlan,
  plainValues,
  planNetwork,
  type WeightBlock,
} from '../../src/network/network-plan.ts';
import { train } from '../../src/network/train.ts';
import { fullTraining } from '../../src/network/training.ts';
import { type Digits, PIXELS, scaled } from './inversion-data.ts';

/** Numbers that a generated image follows from. */
export const CODE = 24;
export const HIDDEN = 192;

/**
 * A generator of images, from codes that are standard normal: image = C relu(B code + b) + c, in the scale of the network. It is
 * the second half of an autoencoder of the auxiliary data, after the mean and the covariance of its codes.
 */
export interface ImageGenerator {
  /** B with b as its last column, HIDDEN × (CODE + 1). */
  readonly first: Float32Array;
  /** C with c as its last column, PIXELS × (HIDDEN + 1). */
  readonly second: Float32Array;
}

const autoencoder: Network = {
  layers: [
    { kind: 'dense', units: HIDDEN },
    { kind: 'relu' },
    { kind: 'dense', units: CODE },
    { kind: 'dense', units: HIDDEN },
    { kind: 'relu' },
  ],
};

/** Trains the autoencoder on the auxiliary digits with the squared error; yields the share that is done. */
export function* trainGenerator(
  { pixels }: Digits,
  rows: Uint32Array,
  epochs: number,
  seed: number,
): Generator<number, ImageGenerator> {
  const plan = planNetwork(autoencoder, plainValues(PIXELS), PIXELS);
  const numbers = new Float32Array(rows.length * PIXELS);
  rows.forEach((row, k) => {
    const own = pixels.subarray(row * PIXELS, (row + 1) * PIXELS);
    numbers.set(own.map(scaled), k * PIXELS);
  });
  const examples: Examples = {
    rows: rows.length,
    fill(target, at, row) {
      target.set(numbers.subarray(row * PIXELS, (row + 1) * PIXELS), at);
    },
    answers: { kind: 'numbers', numbers },
  };
  const training = fullTraining({ epochs, optimiser: 'adam', batch: 64, seed });
  const steps = train(plan, examples, training, initialWeights(plan, seed));
  let next = steps.next();
  for (; next.done !== true; next = steps.next()) yield next.value.epoch / epochs;
  return generatorOf(plan, next.value, examples);
}

function generatorOf(plan: NetworkPlan, weights: Float32Array, examples: Examples): ImageGenerator {
  const codes = codesOf(plan, weights, examples);
  const { mean, root } = momentsOf(codes, examples.rows);
  const [, , first, second] = plan.blocks as [WeightBlock, WeightBlock, WeightBlock, WeightBlock];
  const folded = new Float32Array(HIDDEN * (CODE + 1));
  for (let i = 0; i < HIDDEN; i++) {
    const row = weights.subarray(first.start + i * first.columns);
    for (let j = 0; j < CODE; j++) {
      let sum = 0;
      for (let k = j; k < CODE; k++) sum += row[k]! * root[k * CODE + j]!;
      folded[i * (CODE + 1) + j] = sum;
    }
    let shift = row[CODE]!;
    for (let k = 0; k < CODE; k++) shift += row[k]! * mean[k]!;
    folded[i * (CODE + 1) + CODE] = shift;
  }
  const length = second.rows * second.columns;
  return { first: folded, second: weights.slice(second.start, second.start + length) };
}

function codesOf(plan: NetworkPlan, weights: Float32Array, { rows, fill }: Examples): Float32Array {
  const engine = createEngine(plan, 100);
  engine.load(weights);
  const codes = new Float32Array(rows * CODE);
  for (let from = 0; from < rows; from += engine.most) {
    const count = Math.min(engine.most, rows - from);
    for (let k = 0; k < count; k++) fill(engine.inputs(), k * PIXELS, from + k);
    engine.forward(count);
    codes.set(engine.activations(2), from * CODE);
  }
  return codes;
}

/** The mean of the codes, and the lower root of their covariance (Cholesky). */
function momentsOf(codes: Float32Array, rows: number) {
  const mean = new Float64Array(CODE);
  codes.forEach((value, k) => {
    mean[k % CODE]! += value / rows;
  });
  const root = new Float64Array(CODE * CODE);
  for (let r = 0; r < rows; r++) {
    for (let i = 0; i < CODE; i++) {
      const a = codes[r * CODE + i]! - mean[i]!;
      for (let j = 0; j <= i; j++) {
        root[i * CODE + j]! += (a * (codes[r * CODE + j]! - mean[j]!)) / rows;
      }
    }
  }
  for (let i = 0; i < CODE; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = root[i * CODE + j]!;
      for (let k = 0; k < j; k++) sum -= root[i * CODE + k]! * root[j * CODE + k]!;
      root[i * CODE + j] = i === j ? Math.sqrt(Math.max(sum, 1e-9)) : sum / root[j * CODE + j]!;
    }
  }
  return { mean, root };
}
