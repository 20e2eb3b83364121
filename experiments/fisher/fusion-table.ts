import { convolution } from '../images/image-rows.ts';
import type { FusionOutcome } from './fuse-task.ts';
import {
  type CellSetting,
  cellName,
  computed,
  type FusionRun,
  fusedBy,
  fuseSeconds,
  repaired,
  trainedClients,
} from './fusion-run.ts';
import type { FusionMethodName } from './methods.ts';
import type { RepairOutcome } from './repair-task.ts';

/** The accuracies of everything that was done with the clients of one cell. */
export interface CellOutcome {
  readonly alpha: number;
  readonly clients: number;
  readonly seed: number;
  /** Of each client's own network. */
  readonly local: readonly number[];
  readonly fused: Partial<Record<FusionMethodName, number>>;
  /** After one exact contact on the fused network's last inputs. */
  readonly repaired: Partial<Record<FusionMethodName, number>>;
}

/** What is done with the clients of a cell. */
export interface CellWork {
  readonly methods: readonly FusionMethodName[];
  readonly repairs?: readonly FusionMethodName[];
  readonly hasLocal?: boolean;
}

/** Trains the clients of a cell once and fuses them by every method. */
export async function cellOutcome(
  run: FusionRun,
  setting: CellSetting,
  { methods, repairs = [], hasLocal = false }: CellWork,
): Promise<CellOutcome> {
  const clients = await trainedClients(run, setting);
  const fusions = new Map<FusionMethodName, Promise<FusionOutcome>>(
    methods.map((method) => [method, fusedBy(run, setting, clients, method)]),
  );
  const name = cellName(setting);
  const local = hasLocal
    ? clients.map(({ weights }, k) =>
        computed(
          run,
          `${name}-local${k + 1}`,
          [`client ${k + 1}, test images`, fuseSeconds(run, 'average')],
          'accuracy',
          { network: run.network, weights },
        ),
      )
    : [];
  const repairing = repairs.map(async (method) => {
    const { network, weights } = await fusions.get(method)!;
    const { accuracy } = await repaired(run, `${name}-${method}-repair`, { network, weights });
    return [method, accuracy] as const;
  });
  const fusing = [...fusions].map(
    async ([method, outcome]) => [method, (await outcome).accuracy] as const,
  );
  const [own, fused, after] = await Promise.all([
    Promise.all(local),
    Promise.all(fusing),
    Promise.all(repairing),
  ]);
  const { alpha, clients: count, seed } = setting;
  return {
    ...{ alpha, clients: count, seed, local: own },
    fused: Object.fromEntries(fused),
    repaired: Object.fromEntries(after),
  };
}

/** Exact ridge regression on fixed random features: one accuracy, however the images are divided. */
export function fixedFeatures(
  run: FusionRun,
  dimension: number,
  size: number,
): Promise<RepairOutcome> {
  return repaired(run, `convolution${dimension}`, { row: convolution(dimension, size) });
}
