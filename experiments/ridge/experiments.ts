import type { Experiment } from '../paper-result.ts';
import { convergence } from './convergence.ts';
import { crossover } from './crossover.ts';
import { dimension } from './dimension.ts';
import { dropout } from './dropout.ts';
import { gradientStep } from './gradient-step.ts';
import { heterogeneityExperiment } from './heterogeneity.ts';
import { leftOutSite } from './left-out-site.ts';
import { mainResults } from './main-results.ts';
import { noiseInside } from './noise-inside.ts';
import { planRun, type RidgePlan } from './plan.ts';
import { privacyUtility } from './privacy-utility.ts';
import { projection } from './projection.ts';
import { scalability } from './scalability.ts';

export interface RidgeExperiment {
  readonly title: string;
  run(plan: RidgePlan): Experiment;
}

function experiment(title: string, run: (plan: RidgePlan) => Experiment): RidgeExperiment {
  return { title, run: (plan) => run(planRun(plan)) };
}

/** Every experiment of arXiv 2601.08216, by the number of its section or its own name. */
export const ridgeExperiments: Readonly<Record<string, RidgeExperiment>> = {
  '1': experiment('Baseline comparison', mainResults),
  '2': experiment('Effect of data heterogeneity', heterogeneityExperiment),
  '3': experiment('Communication and computation by dimension', dimension),
  '4': experiment('Convergence', convergence),
  '5': experiment('Privacy and utility', privacyUtility),
  '6': experiment('Scalability with the number of clients', scalability),
  '7': experiment('High dimensions by random projection', projection),
  dropout: experiment('Sites that drop out (Theorem 8)', dropout),
  loso: experiment('σ chosen by leaving out a site (Proposition 5)', leftOutSite),
  gradient: experiment('One gradient step is not enough (Proposition 4)', gradientStep),
  crossover: experiment('Where One-Shot becomes cheaper than rounds (Corollary 2)', crossover),
  inside: experiment('Noise inside the sum, at ε below 0.5 (§VI-D)', noiseInside),
};
