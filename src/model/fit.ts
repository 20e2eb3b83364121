import type { ChosenPenalty } from '../solve/choose-curve.ts';
import type { NormalEquations } from '../solve/normal-equations.ts';
import type { Solution } from '../solve/solution.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import type { LinearModel } from './linear-model.ts';

/** A fitted regression: one linear model per response, and what its errors are computed from. */
export interface Fit {
  /** The statistic that was solved; with site effects, it has a column per site. */
  readonly total: LinearStatistic;
  readonly equations: NormalEquations;
  readonly solution: Solution;
  readonly models: readonly LinearModel[];
  /** Names of columns that are combinations of the ones before them. */
  readonly aliased: readonly string[];
  readonly ridge: number;
  /** Set where the penalty is on the slopes of standardized columns. */
  readonly penaltyScale?: 'standardized';
  /** The ridge penalty on each equilibrated predictor; all zero for least squares. */
  readonly penalty: Float64Array;
  readonly chosen?: ChosenPenalty;
  /** Where a feature map has several settings: the term that was kept, and the score of each. */
  readonly alternative?: ChosenAlternative;
  /** One entry per response, where the errors are not classical. */
  readonly errors?: readonly CoefficientErrors[];
  readonly siteEffects?: SiteEffects;
  /** In a lasso or elastic net: glmnet's lambda and alpha. */
  readonly lasso?: { readonly lambda: number; readonly mix: number };
  /** In a logistic or Poisson regression. */
  readonly glm?: GeneralizedFit;
  /** Significant digits that are certain; absent without a factor. */
  readonly digits?: number;
}

/** A choice among terms of a feature map, by the rule that chose the penalty. */
export interface ChosenAlternative {
  readonly kept: string;
  readonly scores: readonly { readonly term: string; readonly score: number }[];
}

/** What a logistic or Poisson fit has besides its coefficients. */
export interface GeneralizedFit {
  readonly family: 'binomial' | 'poisson';
  /** Newton steps from common coefficients; 0 where each site started from its own optimum. */
  readonly steps: number;
  /** Largest distance from the pooled regression, in standard errors, in 99 of 100 studies. */
  readonly deviation: number;
  /** Errors that the study asks for, and that the sums of the next round have. */
  readonly awaited?: 'HC0' | 'HC1';
  /** Terms along which the rows may be separated: their coefficients may have no finite estimate. Absent where unknown. */
  readonly separated?: readonly string[];
  /** Of a Newton step: the log-likelihood of the coefficients that it started from, less their penalty. */
  readonly start?: { readonly logLik: number };
  /** Log-likelihood; absent where the coefficients are not those of the pooled regression. */
  readonly logLik?: number;
  /** Where rows are weighted: the log-likelihood that R's AIC counts, in which weights are whole numbers of trials. */
  readonly counted?: number;
  /** Σ w where rows are weighted. */
  readonly weightSum?: number;
  /** With an offset: the log-likelihood of the offset alone. */
  readonly alone?: number;
  /** Log-likelihood of a model with a parameter for each row; absent where sites did not send it. */
  readonly saturated?: number;
  /** The part of the log-likelihood that depends on the responses alone. */
  readonly base?: number;
  /** Sum of the response, times the weights: cases, or events. */
  readonly responseSum: number;
}

/** Covariance of the coefficients of one response, and what it assumes. */
export interface CoefficientErrors {
  readonly kind:
    | 'classical'
    | 'widened'
    | 'clustered'
    | 'HC0'
    | 'HC1'
    | 'ignoring-bias'
    | 'noise-aware'
    | 'between-sites'
    | 'within-sites';
  /** Var(b) in the user's units, row-major over the model's terms. */
  readonly covariance: Float64Array;
  /** Degrees of freedom of t; infinite for the normal distribution. */
  readonly freedom: number;
}

/** Intercepts of the sites. */
export interface SiteEffects {
  readonly kind: 'fixed' | 'random' | 'random-ml';
  /** F of the fixed effects, or the likelihood ratio against no random intercept. */
  readonly statistic: number;
  readonly df: number;
  readonly 'df.residual'?: number;
  readonly 'p.value': number;
  /** Variance between sites; present with a random intercept. */
  readonly variance?: number;
  /** Share of the variance that lies between sites. */
  readonly icc?: number;
  readonly logLik?: number;
  /** Each site's departure: from the mean site (fixed), or its best predictor (random). */
  readonly sites: readonly {
    readonly site: string;
    readonly estimate: number;
    readonly 'std.error'?: number;
  }[];
}
