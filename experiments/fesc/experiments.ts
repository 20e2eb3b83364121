import type { Experiment } from '../paper-result.ts';
import { lawsExperiment } from './laws-experiment.ts';
import { fescExperiment } from './simulation.ts';
import type { FescPlan } from './trial.ts';

/** What `suffice paper fesc` runs, in order. */
export const fescExperiments: Readonly<
  Record<string, { readonly title: string; run(plan: FescPlan): Experiment }>
> = {
  mse: { title: 'Error by γ: plain average, FESC and the exact fusion', run: fescExperiment },
  laws: { title: 'All 13 laws of sizes', run: lawsExperiment },
};
