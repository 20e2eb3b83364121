import type { Codebook } from './codebook.ts';
import { digestJson } from './digest.ts';

/** The public agreement every site works from; its digest is its identity. */
export type Study = TableStudy | (StudyTerms & OtherInputs[keyof OtherInputs]);

/** A study of tables: a formula over columns that a codebook describes. */
export interface TableStudy extends StudyTerms {
  readonly formula: string;
  readonly codebook: Codebook;
  readonly weights?: string;
  /** What is done to the columns of the formula before they are summed; nothing unless given, and one map at most. */
  readonly features?: readonly Feature[];
}

/**
 * What a study may have in place of a formula and a codebook, by a name of its own. A fusion that reads something else, such
 * as images, declares it here, in the file that defines it.
 */
// biome-ignore lint/suspicious/noEmptyInterface: fusions add to it
export interface OtherInputs {}

/** Terms of every study, whatever its sites read. */
export interface StudyTerms {
  readonly schema: 'suffice/study@1';
  readonly name?: string;
  readonly fusion: Fusion;
  readonly arithmetic: 'exact' | 'compact';
  /** Bits a unit of scale is cut into; 44 (thirteen digits) unless the study needs a finer grid. */
  readonly grid?: 44 | 66 | 88;
  /** How statistics are added and who sees them; plainly, by the coordinator, unless given. */
  readonly aggregation?: Aggregations[keyof Aggregations];
  /** Noise added to what is published; none unless given. */
  readonly privacy?: PrivacyTerms | null;
  /** Rules a site's statistic must pass before it leaves, and the total before it is published; `default` unless given. */
  readonly disclosure?: DisclosureTerms;
  readonly quorum?: Quorum;
  /** Whether sites may count how well the model does on rows of theirs; not unless given. */
  readonly evaluation?: EvaluationTerms;
}

/** Whether a study reads tables by a formula. */
export function isTableStudy(study: Study): study is TableStudy {
  return 'formula' in study;
}

/** Terms of the aggregations by the name that a study gives them; each declares its own, as fusions do. */
export interface Aggregations {
  readonly plain: PlainAggregation;
}

/** The coordinator sees each site's statistic. */
export interface PlainAggregation {
  readonly kind: 'plain';
}

/**
 * Differential privacy: whatever is published is (ε, δ)-private for one row or one person. Scales, ranges and bounds
 * are public: none is taken from rows.
 */
export interface PrivacyTerms {
  readonly epsilon: number;
  readonly delta: number;
  /** What is hidden: a row, or all rows of a person. */
  readonly unit: 'row' | 'person';
  /** Rows a person may have at a site; of `person` alone. */
  readonly rowsPerPerson?: number;
  /** The column, of type `id`, that says whose row it is; of `person` alone. */
  readonly person?: string;
  /** Data sets that must not be told apart: with or without a row (the default), or with another in its place. */
  readonly neighbours?: 'add-remove' | 'replace-one';
  /** Who adds the noise: the coordinator, trusted, once (the default); or each site, trusting nobody. */
  readonly placement?: 'central' | 'local';
  /** Whole rows (the default), or the response alone where everything else is public. */
  readonly protects?: 'rows' | 'labels';
  /** Resolutions that share the budget; 1 unless given. */
  readonly releases?: number;
  /** Private gradient steps planned after the first round, at most 5; none unless given. */
  readonly rounds?: number;
  /** Rows expected over all sites, as a public guess: what the forecast is made from. */
  readonly expectedRows?: number;
  /** How a noisy total is solved; `cleaner` unless given. */
  readonly solver?: 'cleaner' | 'ridge' | 'adassp';
  /** Of a further round: where it starts from. */
  readonly refinement?: Refinement;
}

/** One of the gradient steps that follow a private first round. */
export interface Refinement {
  /** From 1. */
  readonly round: number;
  /** Coefficients so far, of columns in their public units: those of z without the response. */
  readonly at: readonly number[];
  /** The noisy total of the first round, which is public: its words in base64. */
  readonly total: string;
  /** Noises in that total; 1 unless given. */
  readonly noises?: number;
}

/** Rules of disclosure control: a profile, with thresholds of its own where given. */
export interface DisclosureTerms {
  /** `none` switches the rules off: for rows that are public anyway. */
  readonly profile?: 'default' | 'datashield' | 'agency' | 'none';
  readonly thresholds?: Partial<DisclosureThresholds>;
}

/** Where the rules R0–R11 of the audit draw their lines. */
export interface DisclosureThresholds {
  /** R0: rows a site must have at least; never below 3. */
  readonly rows: number;
  /** R1, R10: columns over rows, at most. */
  readonly columnShare: number;
  /** R2: rows beyond the rank, at least. */
  readonly freedom: number;
  /** R3–R5: rows in a cell that is not empty, at least. */
  readonly cell: number;
  /** R5: share of one row, and of two, in a group's sum. */
  readonly dominance: readonly [number, number];
  /** R6: share of one row in a column's squares, and its leverage, at most. */
  readonly influence: number;
  /** R6: leverage from which the site must acknowledge it. */
  readonly noticeableLeverage: number;
  /** R7: share of the rows in one level from which the site must acknowledge it. */
  readonly oneLevel: number;
  /** R8: rows that a table of whole numbers must exceed. */
  readonly wholeRows: number;
  /** R9: rows by which two releases must differ, unless they do not. */
  readonly difference: number;
  /** R11: ε that all private releases of a row may add up to, at δ = 1e-5. */
  readonly epsilon: number;
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

/** A feature map as a study asks for it; `features/feature-maps.ts` has a map for each. */
export type Feature = ProjectionFeature;

/**
 * A random projection of all predictors: `dimension` columns, each a sum of theirs in public units with weights
 * N(0, 1/dimension) that everyone draws from the seed. Fewer numbers to send; what lies outside the projection is lost.
 */
export interface ProjectionFeature {
  readonly kind: 'projection';
  /** From 1, and below the number of columns. */
  readonly dimension: number;
  /** A whole number of 32 bits. */
  readonly seed: number;
}

/**
 * Terms of the fusions by the name that a study gives them. A fusion adds its own by declaring a member of this interface,
 * in the file that defines it.
 */
export interface Fusions {
  readonly ridge: RidgeFusion;
  readonly glm: GlmFusion;
  /** `glm` in studies written before 0.2. */
  readonly fisher: GlmFusion;
  readonly average: EstimateFusion;
  readonly fesc: EstimateFusion;
}

/** A way to learn in one round. */
export type Fusion = Fusions[keyof Fusions];

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
export interface GlmFusion {
  /** `fisher` is its name in studies written before 0.2. */
  readonly kind: 'glm' | 'fisher';
  readonly family: 'binomial' | 'poisson';
  /** What keeps a small site finite: Firth's correction, or a ridge on its standardised slopes. */
  readonly prior?: 'firth' | number;
  /** Coefficients by term, from an earlier round: sites take one Newton step from here. */
  readonly at?: Readonly<Record<string, number>>;
}

/**
 * A (ridge) regression of each site's own, of which it sends its rows' number and the coefficients alone; weighted by
 * rows, or by FESC. Far fewer numbers than the exact statistic, and not the pooled fit.
 */
export interface EstimateFusion {
  readonly kind: 'average' | 'fesc';
  /** Penalty on the slopes of each site's regression, in the user's units; 0 unless given. */
  readonly ridge?: number;
  /** Whether sites add the covariance of their coefficients; not unless given. */
  readonly covariance?: boolean;
}

/** Whether a fusion is one of these names, and so has their terms. */
export function isFusion<Terms extends Fusion>(
  fusion: Fusion,
  kinds: readonly Terms['kind'][],
): fusion is Terms {
  return kinds.some((kind) => kind === fusion.kind);
}

export function studyDigest(study: Study): string {
  return digestJson(study);
}
