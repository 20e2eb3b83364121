import type { Experiment } from '../paper-result.ts';
import { convergence } from './convergence.ts';
import { crossover } from './crossover.ts';
import { dimension } from './dimension.ts';
import { dropout } from './dropout.ts';
import { gradientStep } from './gradient-step.ts';
import { heterogeneity } from './heterogeneity.ts';
import { leftOutSite } from './left-out-site.ts';
import { mainResults } from './main-results.ts';
import type { RidgePlan } from './plan.ts';
import { privacyUtility } from './privacy-utility.ts';
import { projection } from './projection.ts';
import { scalability } from './scalability.ts';

export interface RidgeExperiment {
  readonly title: string;
  run(plan: RidgePlan): Experiment;
}

/** Every experiment of arXiv 2601.08216, by the number of its section or its own name. */
export const ridgeExperiments: Readonly<Record<string, RidgeExperiment>> = {
  '1': { title: 'Baseline comparison', run: mainResults },
  '2': { title: 'Effect of data heterogeneity', run: heterogeneity },
  '3': { title: 'Communication and computation by dimension', run: dimension },
  '4': { title: 'Convergence', run: convergence },
  '5': { title: 'Privacy and utility', run: privacyUtility },
  '6': { title: 'Scalability with the number of clients', run: scalability },
  '7': { title: 'High dimensions by random projection', run: projection },
  dropout: { title: 'Sites that drop out (Theorem 8)', run: dropout },
  loso: { title: 'σ chosen by leaving out a site (Proposition 5)', run: leftOutSite },
  gradient: { title: 'One gradient step is not enough (Proposition 4)', run: gradientStep },
  crossover: { title: 'Where One-Shot becomes cheaper than rounds (Corollary 2)', run: crossover },
};
