import type { ChosenPenalty } from '../solve/choose-curve.ts';
import type { NormalEquations } from '../solve/normal-equations.ts';
import type { Solution } from '../solve/solution.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import type { CoefficientErrors } from './errors.ts';
import type { LinearModel } from './linear-model.ts';
import type { SiteEffects } from './report.ts';

/** Everything a total has to say: one model a response, and how far to trust it. */
export interface Fit {
  /** The statistic the model was resolved from: with the sites' own columns, where they have effects. */
  readonly total: LinearStatistic;
  readonly equations: NormalEquations;
  readonly solution: Solution;
  readonly models: readonly LinearModel[];
  /** Names of columns that are combinations of the ones before them. */
  readonly aliased: readonly string[];
  readonly ridge: number;
  /** The slopes that the penalty is put on, where it is on those of scaled columns. */
  readonly penaltyScale?: 'standardized';
  /** What the ridge puts on each equilibrated predictor; all zero for least squares. */
  readonly penalty: Float64Array;
  readonly chosen?: ChosenPenalty;
  /** One a response, where they are not those of one variance for all rows. */
  readonly errors?: readonly CoefficientErrors[];
  readonly siteEffects?: SiteEffects;
  /** Of a lasso or elastic net: glmnet's lambda and alpha. */
  readonly lasso?: { readonly lambda: number; readonly mix: number };
  /** Of a logistic or Poisson regression. */
  readonly glm?: GeneralizedFit;
  /** Significant digits vouched for; unknown where nothing was factored. */
  readonly digits?: number;
}

/** What a regression by Fisher information knows beside its coefficients. */
export interface GeneralizedFit {
  readonly family: 'binomial' | 'poisson';
  /** Newton steps from a common start: 0 where each site was at its own optimum. */
  readonly steps: number;
  /** Largest expected distance from the pooled regression, in standard errors. */
  readonly deviation: number;
  /** Log-likelihood, second order about where the sites were. */
  readonly logLik: number;
  /** Sum of the response: cases, or events. */
  readonly responseSum: number;
}
