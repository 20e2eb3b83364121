import { DataError } from '../data-error.ts';
import { loadWeights, outputsOfPass, putOutputGradient } from './engine.ts';
import { epochOrder } from './epoch-order.ts';
import type { Examples } from './examples.ts';
import { fillInputs } from './fill-inputs.ts';
import { forwardPass } from './forward-pass.ts';
import { createGradientSum } from './gradient-sum.ts';
import { lossOf } from './loss.ts';
import type { NetworkPlan } from './network-plan.ts';
import { createOptimiser, type Optimiser } from './optimiser.ts';
import type { FullTraining } from './training.ts';
import { pack, unpack } from './weight-layout.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

/** Everything by which a training goes on bit for bit: plain data, which can be stored. */
export interface TrainingState {
  /** Whole epochs behind it. */
  readonly epoch: number;
  /** Rows of the next epoch behind it, and the sum of their losses. */
  readonly row: number;
  readonly loss: number;
  /** Steps of the optimiser so far. */
  readonly steps: number;
  readonly weights: Float32Array;
  /** What the optimiser remembers: arrays in the order of the weights. */
  readonly memory: readonly Float32Array[];
}

/** How far a training is. */
export interface EpochProgress {
  /** Epochs behind it; not a whole number inside a long epoch. */
  readonly epoch: number;
  readonly epochs: number;
  /** Mean loss of the rows of this epoch so far, each before its step. */
  readonly loss: number;
  /** The state at this moment: ask before the training goes on. */
  state(): TrainingState;
}

/** Multiplications between two reports: about half a second. */
const REPORTED = 2.5e9;

/**
 * Trains the network from the weights `start` and returns the new ones. Reports after every epoch, and inside long ones. The same
 * bits on every platform, in one go or resumed.
 */
export function* train(
  plan: NetworkPlan,
  examples: Examples,
  training: FullTraining,
  start: Float32Array,
  kept?: TrainingState,
): Generator<EpochProgress, Float32Array> {
  const { epochs, batch, seed } = training;
  const workspace = createWorkspace(plan, Math.min(batch, Math.max(1, examples.rows)));
  const optimiser = createOptimiser(workspace, training);
  const take = stepTaker(workspace, examples, optimiser);
  const resume = kept && isWhole(kept, plan, optimiser, examples, epochs) ? kept : undefined;
  loadWeights(workspace, resume?.weights ?? start);
  for (const [k, values] of (resume?.memory ?? []).entries()) {
    pack(workspace.layouts, values, workspace.kernels.f32(optimiser.memory[k], workspace.length));
  }
  let { row, loss, steps } = resume ?? { row: 0, loss: 0, steps: 0 };
  const often = Math.ceil(REPORTED / multiplications(plan));
  for (let epoch = resume?.epoch ?? 0; epoch < epochs; epoch++) {
    const order = epochOrder(examples.rows, seed, epoch);
    let reported = row;
    while (row < examples.rows) {
      const rows = order.subarray(row, row + batch);
      loss += take(rows, ++steps);
      if (!Number.isFinite(loss)) throw diverged(epoch);
      row += rows.length;
      if (row - reported >= often && row < examples.rows) {
        reported = row;
        const part = { epoch, row, loss, steps };
        const done = epoch + row / examples.rows;
        yield {
          epoch: done,
          epochs,
          loss: loss / row,
          state: () => stateOf(workspace, optimiser, part),
        };
      }
    }
    const whole = { epoch: epoch + 1, row: 0, loss: 0, steps };
    const state = () => stateOf(workspace, optimiser, whole);
    yield { epoch: epoch + 1, epochs, loss: loss / Math.max(1, row), state };
    [row, loss] = [0, 0];
  }
  const weights = weightsOf(workspace, workspace.weights);
  if (!weights.every(Number.isFinite)) throw diverged(epochs - 1);
  return weights;
}

/** Whether a state is one of this training: a damaged one is not gone on from. */
function isWhole(
  { epoch, row, steps, loss, weights, memory }: TrainingState,
  { weights: count }: NetworkPlan,
  optimiser: Optimiser,
  { rows }: Examples,
  epochs: number,
): boolean {
  const isCount = (value: number) => Number.isInteger(value) && value >= 0;
  return (
    [epoch, row, steps].every(isCount) &&
    epoch <= epochs &&
    row < Math.max(1, rows) &&
    Number.isFinite(loss) &&
    memory.length === optimiser.memory.length &&
    [weights, ...memory].every((one) => one.length === count && one.every(Number.isFinite))
  );
}

/** One step on some rows; returns the sum of their losses. */
function stepTaker(
  workspace: Workspace,
  examples: Examples,
  optimiser: Optimiser,
): (rows: Uint32Array, step: number) => number {
  const { plan, most } = workspace;
  const lossAt = lossOf(examples.answers, plan.outputs);
  const sum = createGradientSum(workspace);
  const slopes = new Float32Array(most * plan.outputs);
  return (rows, step) => {
    fillInputs(workspace, examples, rows);
    forwardPass(workspace, rows.length);
    const outputs = outputsOfPass(workspace, rows.length);
    let loss = 0;
    rows.forEach((row, k) => {
      loss += lossAt(outputs, k * plan.outputs, row, slopes, 1 / rows.length);
    });
    putOutputGradient(workspace, rows.length, slopes);
    optimiser.step(sum.run(rows.length), step);
    return loss;
  };
}

function stateOf(
  workspace: Workspace,
  { memory }: Optimiser,
  done: Pick<TrainingState, 'epoch' | 'row' | 'loss' | 'steps'>,
): TrainingState {
  return {
    ...done,
    weights: weightsOf(workspace, workspace.weights),
    memory: memory.map((pointer) => weightsOf(workspace, pointer)),
  };
}

function weightsOf({ plan, kernels, layouts, length }: Workspace, pointer: number): Float32Array {
  return unpack(layouts, kernels.f32(pointer, length), new Float32Array(plan.weights));
}

/** Multiplications of one row in an epoch: forward, and twice backward. */
export function multiplications({ blocks }: NetworkPlan): number {
  return blocks.reduce(
    (sum, { rows, columns, positions }) => sum + 3 * rows * columns * positions,
    0,
  );
}

function diverged(epoch: number): DataError {
  return new DataError(
    `the training diverged in epoch ${epoch + 1}: its loss or weights are no finite numbers`,
    {},
    'choose a smaller rate; 0.01 suits most networks with momentum, 0.001 with Adam',
  );
}
