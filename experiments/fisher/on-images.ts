import { defined } from '../../src/defined.ts';
import type { Distillation } from '../../src/network/distillation.ts';
import { fedNet, leNet } from '../../src/network/known-networks.ts';
import type { Network } from '../../src/network/network.ts';
import { type ImageSet, imageSets } from '../images/image-sets.ts';
import type { ExperimentStep } from '../paper-result.ts';
import { createCrew } from './crew.ts';
import { fisherImages } from './fisher-images.ts';
import { type FusionRun, planFor } from './fusion-run.ts';
import { type FusionMethodName, tableMethods } from './methods.ts';
import type { PartStore } from './part-store.ts';
import type { FisherPlan } from './plan.ts';
import { createWorkload, stepsOf } from './workload.ts';

/** Threads of every experiment: one client at a time in each. */
export const THREADS = 2;

/** A data set with the network that FedFisher trains on it. */
export interface FisherSet {
  readonly name: string;
  readonly set: ImageSet;
  readonly network: Network;
  readonly networkName: string;
  readonly isAugmented: boolean;
  /** Seconds of one core for one image in one epoch, about. */
  readonly imageSeconds: number;
  /** Methods that are run; the others would take hours on a processor. */
  readonly methods: readonly FusionMethodName[];
  /** The size of DENSE; that of FedFisher's code takes half an hour a cell. */
  readonly distillation?: Distillation;
  /** Columns and side of the filters of the fixed features beside it. */
  readonly fixed: { readonly dimension: number; readonly size: number };
}

export const fisherSets = {
  fashion: {
    name: 'fashion',
    set: imageSets.fashion,
    network: leNet,
    networkName: 'LeNet without biases (44,190 weights)',
    isAugmented: false,
    imageSeconds: 1.1e-4,
    methods: tableMethods,
    distillation: { batches: 20, batch: 64, steps: 30, width: 16, passes: 1 },
    fixed: { dimension: 253, size: 7 },
  },
  cifar: {
    name: 'cifar',
    set: imageSets.cifar,
    network: fedNet,
    networkName: 'the CNN of FedFisher’s code without biases',
    isAugmented: true,
    imageSeconds: 2.5e-3,
    methods: tableMethods.filter((name) => name !== 'kfacPaper' && name !== 'dense'),
    fixed: { dimension: 991, size: 6 },
  },
} satisfies Record<string, FisherSet>;

/** What an experiment needs besides its plan. */
export interface FisherContext {
  readonly plan: FisherPlan;
  readonly parts: PartStore;
}

/** Reads the images, starts the threads and does the work; yields how far it is. Ends the threads in any case. */
export async function* onImages<T>(
  { name, set, network, isAugmented, imageSeconds, distillation }: FisherSet,
  { plan, parts }: FisherContext,
  seconds: (run: FusionRun) => number,
  work: (run: FusionRun) => Promise<T>,
): AsyncGenerator<ExperimentStep, T, void> {
  yield { done: 0, what: 'reading' };
  const data = await fisherImages(set, plan);
  const crew = createCrew(THREADS, data);
  const without = {
    ...{ name, set, network, data, crew, parts, isAugmented, imageSeconds },
    ...defined({ distillation }),
    plan: planFor(network, set),
  };
  const load = createWorkload(seconds({ ...without, load: createWorkload(1) }));
  try {
    return yield* stepsOf(work({ ...without, load }), load);
  } finally {
    await crew.close();
  }
}
