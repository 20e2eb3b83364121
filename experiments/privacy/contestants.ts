import { agreement, regressionOf } from '../../src/federate.ts';
import { reproducibleKernels } from '../../src/numeric/kernels.ts';
import { muOf } from '../../src/privacy/calibration.ts';
import { type PlacementName, placementOf } from '../../src/privacy/placement.ts';
import { normals } from '../../src/random/normals.ts';
import type { WordSource } from '../../src/random/words.ts';
import type { PrivacyTerms } from '../../src/study/study.ts';
import {
  type DpFedAvgPlan,
  dpFedAvg,
  type ScaledRows,
  scaledRows,
  untuned,
} from '../baselines/dp-fed-avg.ts';
import { asPrinted, printedDeviation, rawProducts } from './as-printed.ts';
import { hybrid, publishTotal, ridgeOneShot, solved, studyOf, termsOf } from './one-shot.ts';
import { delta } from './paper.ts';
import { type PrivacyTrial, pooled } from './trial.ts';

/** All methods that are compared. */
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
export type ContestantModels = Readonly<Partial<Record<MethodName, Float64Array>>>;

/** Methods that share their work on a trial; the returned function solves for an ε, with noise from `random`. */
export type Contestant = (
  trial: PrivacyTrial,
) => (epsilon: number, random: WordSource) => ContestantModels;

/** One noisy total, solved in three ways: only the post-processing differs. */
export const oneShotContestant: Contestant =
  ({ statistics }) =>
  (epsilon, random) => {
    const terms = termsOf(epsilon);
    const published = publishTotal(statistics, terms, random);
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
  return (epsilon, random) => {
    const terms = termsOf(epsilon, { placement: 'local' });
    return { local: solved(publishTotal(own, terms, random), terms).estimates };
  };
};

/** Features are public, responses are not. */
export const labels: Contestant =
  ({ statistics }) =>
  (epsilon, random) => {
    const terms = termsOf(epsilon, { protects: 'labels' });
    return { labels: solved(publishTotal(statistics, terms, random), terms).estimates };
  };

/** Gradient steps after a first round that spends less on G. */
export function hybrids(rounds: readonly (1 | 4)[]): Contestant {
  return (trial) => {
    // The noise is added once, to integer sums: the division into sites makes no difference.
    const all = [pooled(trial.train())];
    return (epsilon, random) =>
      Object.fromEntries(
        rounds.map((count) => {
          const terms = termsOf(epsilon, { rounds: count });
          return [`hybrid-${count}`, hybrid(all, trial.statistics, terms, random)];
        }),
      );
  };
}

/** Algorithm 2 as apparently used for the paper's table. NOT private. */
export const printed: Contestant = (trial) => {
  const kernels = reproducibleKernels();
  const products = rawProducts(kernels, trial.train());
  const clients = trial.setting.sites;
  return (epsilon, random) => {
    const deviation = printedDeviation(delta) / epsilon;
    const noise = { clients, deviation, ridge: ridgeOneShot };
    return { 'as-printed': asPrinted(kernels, products, noise, normals(random)) };
  };
};

/** Where DP-FedAvg adds its noise. */
export type FedAvgPlacement = PlacementName;

/** DP-FedAvg with the plan of each placement. */
export function fedAverages(suffix: '' | '-tuned', planOf: PlanOf): Contestant {
  return (trial) => {
    const rows = scaledRows(trial.train());
    return (epsilon, random) =>
      Object.fromEntries(
        (['central', 'local'] as const).map((placement) => {
          const plan = planOf(epsilon, placement);
          const weights = averageModels(trial, rows, plan, { epsilon, placement, random });
          return [`fedavg-${placement}${suffix}`, weights];
        }),
      );
  };
}

export type PlanOf = (epsilon: number, placement: FedAvgPlacement) => DpFedAvgPlan;

export const untunedPlan: PlanOf = () => untuned;

/** One run of DP-FedAvg on a trial. */
export function averageModels(
  { setting }: PrivacyTrial,
  rows: ScaledRows,
  plan: DpFedAvgPlan,
  on: {
    readonly epsilon: number;
    readonly placement: FedAvgPlacement;
    readonly random: WordSource;
  },
): Float64Array {
  const noises = placementOf(on).noises(setting.sites);
  const mu = muOf({ epsilon: on.epsilon, delta });
  return dpFedAvg(rows, plan, { mu, noises }, normals(on.random));
}
