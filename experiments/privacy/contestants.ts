import { agreement, regressionOf } from '../../src/federate.ts';
import { reproducibleKernels } from '../../src/numeric/kernels.ts';
import { muOf } from '../../src/privacy/calibration.ts';
import { normals } from '../../src/random/normals.ts';
import type { WordSource } from '../../src/random/words.ts';
import type { PrivacyTerms } from '../../src/study/study.ts';
import {
  dpFedAvg,
  type Plan,
  type ScaledRows,
  scaledRows,
  untuned,
} from '../baselines/dp-fed-avg.ts';
import { asPrinted, printedDeviation, rawProducts } from './as-printed.ts';
import { hybrid, publish, ridge, solved, studyOf, termsOf } from './one-shot.ts';
import { delta } from './paper.ts';
import { pooled, type Trial } from './trial.ts';

/** Everything that is compared. */
export type MethodName =
  | 'as-printed'
  | 'cleaner'
  | 'ridge'
  | 'adassp'
  | 'local'
  | 'labels'
  | 'hybrid-1'
  | 'hybrid-4'
  | 'fedavg-central'
  | 'fedavg-local'
  | 'fedavg-central-tuned'
  | 'fedavg-local-tuned';

/** Coefficients of one trial, by method. */
export type Answers = Readonly<Partial<Record<MethodName, Float64Array>>>;

/** Methods that share their work on a trial; what it returns answers for an ε, with noise from the words. */
export type Contestant = (trial: Trial) => (epsilon: number, words: WordSource) => Answers;

/** One noisy total, added to once, solved in the three ways: only the post-processing differs. */
export const oneShot: Contestant =
  ({ statistics }) =>
  (epsilon, words) => {
    const terms = termsOf(epsilon);
    const published = publish(statistics, terms, words);
    const by = (solver: PrivacyTerms['solver']) =>
      solved(published, termsOf(epsilon, { ...(solver && { solver }) })).estimates;
    return { cleaner: by(undefined), ridge: by('ridge'), adassp: by('adassp') };
  };

/** Every site adds the noise of the whole promise to its own statistic. */
export const local: Contestant = ({ statistics, setting }) => {
  const { layout } = regressionOf(
    agreement(studyOf(setting.features, termsOf(1, { placement: 'local' }))),
  );
  const own = statistics.map(({ values }) => ({ layout, values }));
  return (epsilon, words) => {
    const terms = termsOf(epsilon, { placement: 'local' });
    return { local: solved(publish(own, terms, words), terms).estimates };
  };
};

/** Features are public, responses are not. */
export const labels: Contestant =
  ({ statistics }) =>
  (epsilon, words) => {
    const terms = termsOf(epsilon, { protects: 'labels' });
    return { labels: solved(publish(statistics, terms, words), terms).estimates };
  };

/** Gradient steps after a first round that spends less on G. */
export function hybrids(rounds: readonly (1 | 4)[]): Contestant {
  return (trial) => {
    // The noise is added once, to sums of integers: whose rows they are makes no difference.
    const all = [pooled(trial.train())];
    return (epsilon, words) =>
      Object.fromEntries(
        rounds.map((count) => {
          const terms = termsOf(epsilon, { rounds: count });
          return [`hybrid-${count}`, hybrid(all, trial.statistics, terms, words)];
        }),
      );
  };
}

/** Algorithm 2 as the paper's table was evidently made. NOT private. */
export const printed: Contestant = (trial) => {
  const kernels = reproducibleKernels();
  const products = rawProducts(kernels, trial.train());
  const clients = trial.setting.sites;
  return (epsilon, words) => {
    const deviation = printedDeviation(delta) / epsilon;
    const noise = { clients, deviation, ridge };
    return { 'as-printed': asPrinted(kernels, products, noise, normals(words)) };
  };
};

/** Where DP-FedAvg has its noise added. */
export type FedAvgPlacement = 'central' | 'local';

/** DP-FedAvg by the plan of each placement. */
export function fedAverages(suffix: '' | '-tuned', planOf: PlanOf): Contestant {
  return (trial) => {
    const rows = scaledRows(trial.train());
    return (epsilon, words) =>
      Object.fromEntries(
        (['central', 'local'] as const).map((placement) => {
          const plan = planOf(epsilon, placement);
          const weights = average(trial, rows, plan, { epsilon, placement, words });
          return [`fedavg-${placement}${suffix}`, weights];
        }),
      );
  };
}

export type PlanOf = (epsilon: number, placement: FedAvgPlacement) => Plan;

export const untunedPlan: PlanOf = () => untuned;

/** One run of DP-FedAvg on a trial. */
export function average(
  { setting }: Trial,
  rows: ScaledRows,
  plan: Plan,
  on: {
    readonly epsilon: number;
    readonly placement: FedAvgPlacement;
    readonly words: WordSource;
  },
): Float64Array {
  const noises = on.placement === 'local' ? setting.sites : 1;
  const mu = muOf({ epsilon: on.epsilon, delta });
  return dpFedAvg(rows, plan, { mu, noises }, normals(on.words));
}
