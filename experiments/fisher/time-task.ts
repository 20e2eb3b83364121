import { diagonalFisher } from '../../src/network/fisher-diagonal.ts';
import { initialWeights } from '../../src/network/initial-weights.ts';
import { fisherPass, kfacFactors } from '../../src/network/kfac.ts';
import type { Network } from '../../src/network/network.ts';
import { imageValues, planNetwork } from '../../src/network/network-plan.ts';
import { train } from '../../src/network/train.ts';
import { fullTraining } from '../../src/network/training.ts';
import { IMAGE_CLASSES } from './fusion-cell.ts';
import { imageExamples } from './shared-images.ts';
import type { Task } from './task.ts';

export interface TimeInput {
  readonly network: Network;
  readonly rows: Uint32Array;
}

/** Processor seconds of one client: of an epoch, and of each way to its Fisher information. */
export interface ClientSeconds {
  readonly epoch: number;
  readonly kfac: number;
  readonly diagonal: number;
  readonly both: number;
  /** With one label drawn for each image instead of the expectation over all. */
  readonly drawnKfac: number;
  readonly drawnDiagonal: number;
}

/** Epochs that are timed; an epoch takes as long as any other. */
const TIMED = 2;
const SEED = 1;

/** Counts the processor time of all threads, so it must run alone. */
export const timeTask: Task<TimeInput, ClientSeconds> = ({ network, rows }, { train: images }) => {
  const plan = planNetwork(network, imageValues(images.shape), IMAGE_CLASSES);
  const examples = imageExamples(images, rows, network.pixels!);
  let weights = initialWeights(plan, SEED);
  const labels = { seed: SEED };
  return {
    epoch:
      processorSeconds(() => {
        const training = fullTraining({ epochs: TIMED, seed: SEED });
        const steps = train(plan, examples, training, weights);
        let next = steps.next();
        while (next.done !== true) next = steps.next();
        weights = next.value;
      }) / TIMED,
    kfac: processorSeconds(() => kfacFactors(plan, weights, examples)),
    diagonal: processorSeconds(() => diagonalFisher(plan, weights, examples)),
    both: processorSeconds(() => fisherPass(plan, weights, examples)),
    drawnKfac: processorSeconds(() => kfacFactors(plan, weights, examples, labels)),
    drawnDiagonal: processorSeconds(() => diagonalFisher(plan, weights, examples, labels)),
  };
};

function processorSeconds(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
