import type { GeneratorSetting } from '../data/generator.ts';
import type { MethodName } from './contestants.ts';
import type { TunedPlan } from './tune.ts';

/** Test errors of a method at an ε, one per seed. */
export interface ResultCell {
  readonly method: MethodName;
  readonly epsilon: number;
  readonly mse: readonly number[];
}

/** Results of one setting. */
export interface SettingResult {
  readonly name: string;
  readonly setting: GeneratorSetting;
  readonly seeds: readonly number[];
  /** Test MSE of the exact ridge regression, one per seed. */
  readonly nonPrivate: readonly number[];
  readonly cells: readonly ResultCell[];
  /** Largest relative change in one of our methods from capping predictions to the public range. */
  readonly capEffect: number;
  readonly tunedPlans?: readonly TunedPlan[];
}

/** The whole experiment, as committed. */
export interface Results {
  readonly schema: 'suffice/experiment-privacy@1';
  readonly date: string;
  readonly machine: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly seconds: number;
  /** Processor time: the duration on an otherwise idle machine. */
  readonly cpuSeconds: number;
  readonly delta: number;
  readonly epsilons: readonly number[];
  readonly settings: readonly SettingResult[];
}

/** Distribution over the seeds of errors relative to the non-private error on the same data. */
export interface RepetitionSpread {
  readonly mean: number;
  readonly median: number;
  readonly smallest: number;
  readonly largest: number;
  /** Standard error of the mean. */
  readonly standardError: number;
}

export function spreadOf(values: readonly number[]): RepetitionSpread {
  const sorted = values.toSorted((a, b) => a - b);
  const n = sorted.length;
  const mean = meanOverRepetitions(values);
  const squares = values.reduce((sum, v) => sum + (v - mean) ** 2, 0);
  return {
    mean,
    median: (sorted[(n - 1) >> 1]! + sorted[n >> 1]!) / 2,
    smallest: sorted[0]!,
    largest: sorted[n - 1]!,
    standardError: Math.sqrt(squares / (n - 1) / n),
  };
}

export function meanOverRepetitions(values: readonly number[]): number {
  return values.reduce((sum, v) => sum + v, 0) / values.length;
}

/** Test MSE over the non-private MSE on the same data; undefined if the method did not run. */
export function ratioOf(
  { cells, nonPrivate }: SettingResult,
  method: MethodName,
  epsilon: number,
): RepetitionSpread | undefined {
  const cell = cells.find((c) => c.method === method && c.epsilon === epsilon);
  return cell && spreadOf(cell.mse.map((mse, k) => mse / nonPrivate[k]!));
}
