import type { GeneratorSetting } from '../data/generator.ts';
import type { Contestant, MethodName } from './contestants.ts';
import { noiseWords } from './noise-words.ts';
import type { ResultCell, SettingResult } from './results.ts';
import { prepare, testError } from './trial.ts';

/** A setting and the methods that are compared in it. */
export interface Contest {
  readonly name: string;
  readonly setting: GeneratorSetting;
  readonly seeds: readonly number[];
  /** Each draws noise from its own stream, identified by its index. */
  readonly contestants: readonly Contestant[];
}

/** Runs the contestants on every seed and ε. */
export function runContest(
  { name, setting, seeds, contestants }: Contest,
  epsilons: readonly number[],
  progress: (text: string) => void,
): SettingResult {
  const cells = new Map<string, ResultCell & { mse: number[] }>();
  const cellOf = (method: MethodName, epsilon: number) => {
    const key = `${method} ${epsilon}`;
    const cell = cells.get(key) ?? { method, epsilon, mse: [] };
    cells.set(key, cell);
    return cell;
  };
  const nonPrivate: number[] = [];
  let capEffect = 0;
  for (const seed of seeds) {
    progress(`${name}: seed ${seed} of ${seeds.at(-1)}`);
    const trial = prepare(setting, seed);
    nonPrivate.push(significant(trial.nonPrivate));
    contestants.forEach((contestant, c) => {
      const answer = contestant(trial);
      epsilons.forEach((epsilon, e) => {
        const answers = Object.entries(answer(epsilon, noiseWords([seed, e, c])));
        for (const [method, weights] of answers as [MethodName, Float64Array][]) {
          const { mse, capped } = testError(trial.test, weights);
          cellOf(method, epsilon).mse.push(significant(mse));
          if (isOurs(method)) capEffect = Math.max(capEffect, Math.abs(capped / mse - 1));
        }
      });
    });
  }
  return { name, setting, seeds, nonPrivate, cells: [...cells.values()], capEffect };
}

function isOurs(method: MethodName): boolean {
  return method !== 'as-printed' && !method.startsWith('fedavg');
}

/** Six digits, as committed and used in all results. */
function significant(value: number): number {
  return Number(value.toPrecision(6));
}
