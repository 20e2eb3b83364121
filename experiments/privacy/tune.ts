import { type DpFedAvgPlan, scaledRows, tuningGrid } from '../baselines/dp-fed-avg.ts';
import { averageModels, type FedAvgPlacement, type PlanOf } from './contestants.ts';
import { type NoiseStream, noiseWords } from './noise-words.ts';
import { type PrivacyTrial, testError } from './trial.ts';

/** A plan chosen by test rows, which is not possible within a privacy budget. */
export interface TunedPlan extends DpFedAvgPlan {
  readonly epsilon: number;
  readonly placement: FedAvgPlacement;
}

/** The plan with the least mean test error over these trials, for every ε and placement. */
export function tuneOnTest(
  trials: readonly PrivacyTrial[],
  epsilons: readonly number[],
  progress: (text: string) => void,
): readonly TunedPlan[] {
  const prepared = trials.map((trial) => ({ trial, rows: scaledRows(trial.train()) }));
  return epsilons.flatMap((epsilon, e) =>
    (['central', 'local'] as const).map((placement, p) => {
      progress(`tuning DP-FedAvg on test rows: ε = ${epsilon}, ${placement}`);
      const errorOf = (plan: DpFedAvgPlan, g: number) =>
        prepared.reduce((sum, { trial, rows }) => {
          const stream: NoiseStream = [trial.seed, e, TUNING + 2 * g + p];
          const on = { epsilon, placement, random: noiseWords(stream) };
          return sum + testError(trial.test, averageModels(trial, rows, plan, on)).mse;
        }, 0);
      const errors = tuningGrid.map(errorOf);
      return { epsilon, placement, ...tuningGrid[errors.indexOf(Math.min(...errors))]! };
    }),
  );
}

/** First noise stream for tuning. */
const TUNING = 100;

export function planFrom(tuned: readonly TunedPlan[]): PlanOf {
  return (epsilon, placement) => {
    const plan = tuned.find((t) => t.epsilon === epsilon && t.placement === placement);
    if (plan === undefined) throw new RangeError(`no plan was tuned for ε = ${epsilon}`);
    return plan;
  };
}
