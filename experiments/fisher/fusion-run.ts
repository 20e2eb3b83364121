import { defined } from '../../src/defined.ts';
import type { Distillation } from '../../src/network/distillation.ts';
import { initialWeights } from '../../src/network/initial-weights.ts';
import type { Network } from '../../src/network/network.ts';
import { imageValues, type NetworkPlan, planNetwork } from '../../src/network/network-plan.ts';
import { fullTraining } from '../../src/network/training.ts';
import type { ImageSet } from '../images/image-sets.ts';
import type { ClientModel } from './client-model.ts';
import type { CompressionName } from './compression.ts';
import type { Crew } from './crew.ts';
import type { FusionOutcome } from './fuse-task.ts';
import { IMAGE_CLASSES } from './fusion-cell.ts';
import { type FusionMethodName, fusionMethods } from './methods.ts';
import type { PartStore } from './part-store.ts';
import { clientsByShares, rowsByClient } from './partition.ts';
import type { RepairInput, RepairOutcome } from './repair-task.ts';
import type { TaskData } from './task.ts';
import type { TaskInput, TaskName, TaskOutput } from './tasks.ts';
import type { Workload } from './workload.ts';

/** A data set with its network, and what computes on it. */
export interface FusionRun {
  readonly name: string;
  readonly set: ImageSet;
  readonly network: Network;
  readonly plan: NetworkPlan;
  readonly data: TaskData;
  readonly crew: Crew;
  readonly parts: PartStore;
  readonly load: Workload;
  /** Seconds of one core for one image in one epoch, about: for the progress. */
  readonly imageSeconds: number;
  readonly isAugmented: boolean;
  /** The size of DENSE. */
  readonly distillation?: Distillation;
}

/** How the clients of a cell come to be. */
export interface CellSetting {
  readonly alpha: number;
  readonly clients: number;
  readonly seed: number;
  readonly epochs: number;
  /** 0.01 unless given. */
  readonly rate?: number;
  /** First weights of all clients, with a name; drawn from the seed unless given. */
  readonly start?: { readonly name: string; readonly weights: Float32Array };
  /** Images that are divided among the clients; all unless given. */
  readonly rows?: Uint32Array;
  /** Whether clients compute their Fisher information; they do unless it says no. */
  readonly hasFisher?: boolean;
}

/** What the exact Fisher information of an image costs, in epochs: about. */
const FISHER_EPOCHS = 10;

/** Weights that the seed draws. */
export function firstWeights({ plan }: FusionRun, seed: number): Float32Array {
  return initialWeights(plan, seed);
}

/** The plan of a network for a data set. */
export function planFor(network: Network, { images }: ImageSet): NetworkPlan {
  return planNetwork(network, imageValues(images), IMAGE_CLASSES);
}

/** Every client of a cell, trained. */
export function trainedClients(run: FusionRun, setting: CellSetting): Promise<ClientModel[]> {
  const { data, network, isAugmented } = run;
  const { alpha, clients, seed, epochs, rate, start, hasFisher = true } = setting;
  const among = setting.rows ?? Uint32Array.from({ length: data.train.count }, (_, row) => row);
  const labels = Uint8Array.from(among, (row) => data.train.labels[row]!);
  const training = fullTraining({ epochs, seed, ...(rate !== undefined && { rate }) });
  const weights = start?.weights ?? firstWeights(run, seed);
  return Promise.all(
    rowsByClient(clientsByShares(labels, clients, alpha), clients).map((own, k) => {
      const rows = own.map((row) => among[row]!);
      const what = `α = ${alpha}, seed ${seed}, client ${k + 1} of ${clients}`;
      const passes = epochs + (hasFisher ? FISHER_EPOCHS : 0);
      return computed(
        run,
        `${cellName(setting)}-client${k + 1}${hasFisher ? '' : '-plain'}`,
        [what, run.imageSeconds * rows.length * passes],
        'train',
        { network, rows, start: weights, training, isAugmented, hasFisher },
      );
    }),
  );
}

/** The clients of a cell, fused by a method. */
export async function fusedBy(
  run: FusionRun,
  setting: CellSetting,
  clients: readonly ClientModel[],
  method: FusionMethodName,
  level?: CompressionName,
): Promise<FusionOutcome> {
  const { label, after } = fusionMethods[method];
  const first = after === undefined ? undefined : await fusedBy(run, setting, clients, after);
  const before = first?.weights;
  const what = `α = ${setting.alpha}, seed ${setting.seed}, ${label}`;
  const name = `${cellName(setting)}-${method}${level === undefined ? '' : `-${level}`}`;
  const { network, distillation } = run;
  const input = { network, clients, method, ...defined({ level, before, distillation }) };
  return computed(run, name, [what, fuseSeconds(run, method)], 'fuse', input);
}

/** Exact ridge regression on the features of a fused network, or on fixed ones. */
export function repaired(
  run: FusionRun,
  name: string,
  of: RepairInput['of'],
): Promise<RepairOutcome> {
  const { name: title, images } = run.set;
  const seconds = 2e-4 * run.data.train.count;
  const input = { set: { name: title, images }, of };
  return computed(run, name, [`${name}, ridge`, seconds], 'repair', input);
}

/** The result of a task, from the store of parts or from a thread. */
export async function computed<Name extends TaskName>(
  { name: prefix, data, parts, crew, load }: FusionRun,
  name: string,
  [what, seconds]: readonly [string, number],
  task: Name,
  input: TaskInput<Name>,
): Promise<TaskOutput<Name>> {
  const { report, end } = load.begin(name, what, seconds);
  const { output, seconds: took } = await parts.part(`${prefix}-${data.train.count}-${name}`, () =>
    crew.run(task, input, report),
  );
  end(took);
  return output;
}

/** Seconds of one core for the fusions of LeNet that take long, about. */
const usualSeconds: Partial<Record<FusionMethodName, number>> = {
  kfacPaper: 50,
  kfac: 25,
  kfacSent: 25,
  dense: 60,
};

/** Seconds of one core for a fusion, about. */
export function fuseSeconds(
  { plan, data, imageSeconds }: FusionRun,
  method: FusionMethodName,
): number {
  const testing = 0.4 * imageSeconds * data.test.count;
  const share = plan.weights / 44_190;
  return testing + share * (usualSeconds[method] ?? 2);
}

/** A name for the part of a cell, with everything that it depends on. */
export function cellName({ alpha, clients, seed, epochs, rate, start }: CellSetting): string {
  const from = start === undefined ? '' : `-from-${start.name}`;
  const step = rate === undefined ? '' : `-r${rate}`;
  return `a${alpha}-m${clients}-s${seed}-e${epochs}${step}${from}`;
}
