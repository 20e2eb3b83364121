import type { Codebook } from './codebook.ts';
import { digestJson } from './digest.ts';

/** The public agreement every site works from; its digest is its identity. */
export interface Study {
  readonly schema: 'suffice/study@1';
  readonly name?: string;
  readonly formula: string;
  readonly codebook: Codebook;
  readonly weights?: string;
  readonly fusion: Fusion;
  readonly arithmetic: 'exact' | 'compact';
  /** Bits a unit of scale is cut into; 44 (thirteen digits) unless the study needs a finer grid. */
  readonly grid?: 44 | 66 | 88;
  /** Who sees a site's statistic: with `plain`, the coordinator does. */
  readonly aggregation?: { readonly kind: 'plain' };
  /** Noise added to what is published; none so far. */
  readonly privacy?: null;
  readonly quorum?: Quorum;
  /** Whether sites may count how well the model does on rows of theirs; not unless given. */
  readonly evaluation?: EvaluationTerms;
}

/** Counts a site may report of a model's predictions on held-out rows. */
export interface EvaluationTerms {
  /** Bins of the predicted probability. */
  readonly bins: number;
  /** No count between 1 and this one is told; 5 unless given. */
  readonly smallest?: number;
}

/** When a study may resolve without every site. */
export interface Quorum {
  /** Sites that must have contributed; 1 unless given. */
  readonly sites?: number;
  /** When collecting ends, as an ISO 8601 time in UTC. */
  readonly deadline?: string;
}

/** A way to learn in one round. */
export type Fusion = RidgeFusion | FisherFusion;

/** Rules that choose a ridge from what the sites have sent, with no second contact. */
export type RidgeRule = 'gcv' | 'leave-one-site-out' | 'k-fold' | 'marginal-likelihood';

/** Ridge regression; a penalty of 0 is least squares. The intercept is never penalised. */
export interface RidgeFusion {
  readonly kind: 'ridge';
  readonly ridge: number | RidgeRule;
  /** Penalise coefficients of columns scaled by their population SD instead of raw ones. */
  readonly standardize?: boolean;
  /** Groups of sites that `k-fold` leaves out in turn; 5 unless given. */
  readonly folds?: number;
  /** Of a curve over left-out sites: its minimum, or the largest penalty within one standard error of it. */
  readonly prefer?: 'minimum' | 'one-standard-error';
  /** Lasso or elastic net in place of the ridge, in glmnet's convention. */
  readonly lasso?: LassoPenalty;
  /** Standard errors: from one variance for all rows, or robust to correlation within sites (HC1). */
  readonly errors?: 'classical' | 'clustered';
  /** An intercept for each site: free, or drawn from a normal (REML unless ML is said). */
  readonly siteEffects?: 'fixed' | 'random' | 'random-ml';
}

/** glmnet's penalty λ(½(1 − mix)‖b‖² + mix‖b‖₁) on coefficients of columns of unit population SD. */
export interface LassoPenalty {
  readonly lambda: number | 'leave-one-site-out';
  /** glmnet's alpha: 1, the default, is the lasso; towards 0, ridge. */
  readonly mix?: number;
}

/** Logistic or Poisson regression by Fisher information: each site's (H, Hβ) at its own optimum. */
export interface FisherFusion {
  readonly kind: 'fisher';
  readonly family: 'binomial' | 'poisson';
  /** What keeps a small site finite: Firth's correction, or a ridge on its standardised slopes. */
  readonly prior?: 'firth' | number;
  /** Coefficients by term, from an earlier round: sites take one Newton step from here. */
  readonly at?: Readonly<Record<string, number>>;
}

export function studyDigest(study: Study): string {
  return digestJson(study);
}
