import type { MethodName } from './contestants.ts';
import { epsilons } from './paper.ts';
import { type Results, ratioOf } from './results.ts';

/** Largest test MSE over the non-private MSE, as fixed before any run. */
export interface Goal {
  readonly setting: string;
  readonly method: MethodName;
  readonly epsilon: number;
  readonly atMost: number;
}

const row = (method: MethodName, bounds: readonly number[]): Goal[] =>
  bounds.map((atMost, k) => ({ setting: 'paper', method, epsilon: epsilons[k]!, atMost }));

export const goals: readonly Goal[] = [
  ...row('cleaner', [76, 12.2, 5.8, 3.4, 2.2, 1.75]),
  ...row('hybrid-4', [53, 1.37, 1.12, 1.05, 1.03, 1.02]),
  { setting: 'n=800,000 d=100', method: 'cleaner', epsilon: 1, atMost: 1.03 },
];

/** The goal of a method at an ε of the paper's setting. */
export function paperGoal(method: MethodName, epsilon: number): number | undefined {
  return goals.find((g) => g.setting === 'paper' && g.method === method && g.epsilon === epsilon)
    ?.atMost;
}

/** The goals that these results miss, with the measured values; a goal also counts as missed if its setting did not run. */
export function missedGoals({ settings }: Results): readonly (Goal & { readonly got: number })[] {
  return goals
    .map((goal) => {
      const result = settings.find(({ name }) => name === goal.setting);
      const mean = result && ratioOf(result, goal.method, goal.epsilon)?.mean;
      return { ...goal, got: mean ?? Number.NaN };
    })
    .filter(({ got, atMost }) => !(got <= atMost));
}
