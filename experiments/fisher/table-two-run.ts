import type { CellOutcome } from './fusion-table.ts';
import type { FusionMethodName } from './methods.ts';
import type { FisherSet } from './on-images.ts';
import type { FisherPlan } from './plan.ts';
import type { RepairOutcome } from './repair-task.ts';

/** Heterogeneity of Table 2, and its number of clients. */
export const tableAlphas = [0.2, 0.1, 0.05] as const;
export const CLIENTS = 5;

/** Methods whose fused network gets one more exact contact. */
export const repairedMethods: readonly FusionMethodName[] = ['average', 'kfac'];

/** Table 2 of one data set, measured. */
export interface TableTwoRun {
  readonly id: string;
  readonly of: FisherSet;
  readonly plan: FisherPlan;
  readonly images: { readonly train: number; readonly test: number };
  readonly cells: readonly CellOutcome[];
  readonly fixed: RepairOutcome;
  /** Accuracy of the network trained on all images by the first seed. */
  readonly central: number;
  /** Seconds of all tasks over the threads: the time of a run in one go, without the reading. */
  readonly seconds: number;
}

/** Accuracies in %, over the seeds. */
export function accuracies(
  cells: readonly CellOutcome[],
  alpha: number,
  of: (cell: CellOutcome) => number | undefined,
): number[] {
  return cells
    .filter((cell) => cell.alpha === alpha)
    .flatMap((cell) => of(cell) ?? [])
    .map((share) => 100 * share);
}

/** The mean accuracy of a method in %. */
export function meanAccuracy(
  cells: readonly CellOutcome[],
  alpha: number,
  name: FusionMethodName,
): number {
  const values = accuracies(cells, alpha, ({ fused }) => fused[name]);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
