import { packedTriangle } from '../../src/fusion/packed-triangle.ts';
import type { KfacFactors } from '../../src/network/fuse-kfac.ts';
import { type BlockFactors, fisherSteps } from '../../src/network/kfac.ts';
import type { Network } from '../../src/network/network.ts';
import { imageValues, type NetworkPlan, planNetwork } from '../../src/network/network-plan.ts';
import { train } from '../../src/network/train.ts';
import type { FullTraining } from '../../src/network/training.ts';
import { augmentedExamples } from './augmented-examples.ts';
import type { ClientModel } from './client-model.ts';
import { IMAGE_CLASSES } from './fusion-cell.ts';
import { imageExamples } from './shared-images.ts';
import type { Task } from './task.ts';

/** A client's images and how it trains on them. */
export interface TrainInput {
  readonly network: Network;
  readonly rows: Uint32Array;
  readonly start: Float32Array;
  readonly training: FullTraining;
  /** Whether images are moved and mirrored at random, as FedFisher's code does with colour images. */
  readonly isAugmented: boolean;
  readonly hasFisher: boolean;
}

/** The share of the work that training is, beside the Fisher information: about. */
const TRAINING = 0.8;

export const trainTask: Task<TrainInput, ClientModel> = (input, { train: images }, report) => {
  const { network, rows, start, training, hasFisher } = input;
  const plan = planNetwork(network, imageValues(images.shape), IMAGE_CLASSES);
  const examples = imageExamples(images, rows, network.pixels!);
  const seen = input.isAugmented
    ? augmentedExamples(images, rows, network.pixels!, training.seed)
    : examples;
  const steps = train(plan, seen, training, start);
  let next = steps.next();
  let loss = Number.NaN;
  for (; next.done !== true; next = steps.next()) {
    const { epoch, epochs } = next.value;
    loss = next.value.loss;
    report(
      ((hasFisher ? TRAINING : 1) * epoch) / epochs,
      `epoch ${Math.ceil(epoch)} of ${epochs}, loss ${loss.toFixed(3)}`,
    );
  }
  const weights = next.value;
  const classCounts = new Float64Array(IMAGE_CLASSES);
  for (const row of rows) classCounts[images.labels[row]!]!++;
  const model = { rows: rows.length, weights, classCounts, loss };
  if (!hasFisher) return model;
  const passes = fisherSteps(plan, weights, examples);
  let pass = passes.next();
  for (; pass.done !== true; pass = passes.next()) {
    report(TRAINING + (1 - TRAINING) * (pass.value.row / pass.value.rows), 'Fisher information');
  }
  const { diagonal, factors } = pass.value;
  const fisher = { diagonal, factors: packedFactors(plan, factors) };
  return { ...model, fisher };
};

/** Factors as upper triangles, which is what a client sends. */
function packedFactors({ blocks }: NetworkPlan, factors: readonly BlockFactors[]): KfacFactors[] {
  return factors.map(({ inputs, outputs }, k) => {
    const { columns, rows } = blocks[k]!;
    return { inputs: packedTriangle(inputs, columns), outputs: packedTriangle(outputs, rows) };
  });
}
