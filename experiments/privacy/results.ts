import type { Setting } from '../ridge/generator.ts';
import type { MethodName } from './contestants.ts';
import type { TunedPlan } from './tune.ts';

/** Test errors of a method at an ε, one a seed. */
export interface Cell {
  readonly method: MethodName;
  readonly epsilon: number;
  readonly mse: readonly number[];
}

/** What came out in one setting. */
export interface SettingResult {
  readonly name: string;
  readonly setting: Setting;
  readonly seeds: readonly number[];
  /** Test MSE of the exact ridge regression, one a seed. */
  readonly nonPrivate: readonly number[];
  readonly cells: readonly Cell[];
  /** Largest relative change that cutting predictions to the public range made in one of our methods. */
  readonly capEffect: number;
  readonly tunedPlans?: readonly TunedPlan[];
}

/** The whole experiment, as it is committed. */
export interface Results {
  readonly schema: 'suffice/experiment-privacy@1';
  readonly date: string;
  readonly machine: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly seconds: number;
  /** Of the processor: what the run would have taken with the machine to itself. */
  readonly cpuSeconds: number;
  readonly delta: number;
  readonly epsilons: readonly number[];
  readonly settings: readonly SettingResult[];
}

/** How errors over the non-private error of the same data are spread over the seeds. */
export interface Spread {
  readonly mean: number;
  readonly median: number;
  readonly smallest: number;
  readonly largest: number;
  /** Of the mean. */
  readonly standardError: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const n = sorted.length;
  const mean = meanOf(values);
  const squares = values.reduce((sum, v) => sum + (v - mean) ** 2, 0);
  return {
    mean,
    median: (sorted[(n - 1) >> 1]! + sorted[n >> 1]!) / 2,
    smallest: sorted[0]!,
    largest: sorted[n - 1]!,
    standardError: Math.sqrt(squares / (n - 1) / n),
  };
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, v) => sum + v, 0) / values.length;
}

/** Test MSE over the non-private MSE on the same data; undefined where the method did not run. */
export function ratioOf(
  { cells, nonPrivate }: SettingResult,
  method: MethodName,
  epsilon: number,
): Spread | undefined {
  const cell = cells.find((c) => c.method === method && c.epsilon === epsilon);
  return cell && spreadOf(cell.mse.map((mse, k) => mse / nonPrivate[k]!));
}
