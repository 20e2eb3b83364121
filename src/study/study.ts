import type { Codebook } from './codebook.ts';
import { digestJson } from './digest.ts';
import type { VerticalPartition } from './partition.ts';

/** The public agreement that all sites use; its digest is its identity. */
export type Study = TableStudy | (StudyTerms & OtherInputs[keyof OtherInputs]);

/** A study of tables: a formula over columns that a codebook describes. */
export interface TableStudy extends StudyTerms {
  readonly formula: string;
  readonly codebook: Codebook;
  readonly weights?: string;
  /** Feature maps of the formula's columns, applied before summing; none unless given, at most one. */
  readonly features?: readonly Feature[];
  /** Where parties hold different columns of the same people; every site has all columns unless given. */
  readonly partition?: VerticalPartition;
  /** Where the columns are the pixels of images: their form. Derived from a study of images (`table-study.ts`), never in JSON. */
  readonly image?: ImageShape;
}

/** The form of every image of a study. */
export interface ImageShape {
  /** In pixels, like `width`. */
  readonly height: number;
  readonly width: number;
  /** 1: grey; 3: red, green and blue. */
  readonly channels: 1 | 3;
}

/**
 * Inputs other than a formula and a codebook, by name. A fusion that reads something else, such as images, adds a member to
 * this interface, in the file that defines it.
 */
// biome-ignore lint/suspicious/noEmptyInterface: fusions add to it
export interface OtherInputs {}

/** Terms that every study has, for any kind of input. */
export interface StudyTerms {
  readonly schema: 'suffice/study@1';
  readonly name?: string;
  readonly fusion: Fusion;
  readonly arithmetic: 'exact' | 'compact';
  /** Bits of the grid in a unit of scale; 44 (thirteen digits) unless given, 22 (six digits) in a study of images. */
  readonly grid?: 22 | 44 | 66 | 88;
  /** How statistics are added and who sees them; `plain`, by the coordinator, unless given. */
  readonly aggregation?: Aggregations[keyof Aggregations];
  /** Noise added to what is published; none unless given. */
  readonly privacy?: PrivacyTerms | null;
  /** Rules for a site's statistic before it is sent, and for the total before it is published; `default` unless given. */
  readonly disclosure?: DisclosureTerms;
  readonly quorum?: Quorum;
  /** Whether sites may report counts of the model's predictions on their own rows; not unless given. */
  readonly evaluation?: EvaluationTerms;
  /** In the study of a region: the studies that the sum over its sites goes on to, the nearest first; none unless given. */
  readonly parents?: readonly ParentStudy[];
}

/** A study in which a region takes part as one site, with the sum over its own sites. */
export interface ParentStudy {
  /** Digest of the study. */
  readonly study: string;
  /** Name of the region there. */
  readonly site: string;
  /** Address of its coordinator. */
  readonly coordinator: string;
  readonly coordinatorKey: string;
}

/** Whether a study reads tables by a formula. */
export function isTableStudy(study: Study): study is TableStudy {
  return 'formula' in study;
}

/** Terms of the aggregations, by name. Each aggregation adds a member, as fusions do. */
export interface Aggregations {
  readonly plain: PlainAggregation;
}

/** The coordinator sees each site's statistic. */
export interface PlainAggregation {
  readonly kind: 'plain';
  /** Fewest sites that anything given out is about; without it, the analyst may ask about one site. */
  readonly minimumSites?: number;
}

/**
 * Differential privacy: everything published is (ε, δ)-private for one row or one person. Scales, ranges and bounds are
 * public: none comes from rows.
 */
export interface PrivacyTerms {
  readonly epsilon: number;
  readonly delta: number;
  /** What is protected: one row, or all rows of one person. */
  readonly unit: 'row' | 'person';
  /** Most rows of a person at a site; only with unit `person`. */
  readonly rowsPerPerson?: number;
  /** The column of type `id` with the person of each row; only with unit `person`. */
  readonly person?: string;
  /** Data sets that must look alike: with and without a row (the default), or with another row in its place. */
  readonly neighbours?: 'add-remove' | 'replace-one';
  /**
   * Who adds the noise: a trusted coordinator, once (the default); each site for itself; or both aggregators, where there are two
   * and neither is trusted with the total.
   */
  readonly placement?: 'central' | 'local' | 'aggregators';
  /** Whole rows (the default), or only the response, if everything else is public. */
  readonly protects?: 'rows' | 'labels';
  /** Resolutions that share the budget; 1 unless given. */
  readonly releases?: number;
  /** Private gradient steps planned after the first round, at most 5; none unless given. */
  readonly rounds?: number;
  /** A public guess of the number of rows over all sites, for the forecast. */
  readonly expectedRows?: number;
  /** How a noisy total is solved; `cleaner` unless given. */
  readonly solver?: 'cleaner' | 'ridge' | 'adassp';
  /** In a further round: its starting point. */
  readonly refinement?: Refinement;
}

/** One of the gradient steps that follow a private first round. */
export interface Refinement {
  /** Counts from 1. */
  readonly round: number;
  /** Coefficients so far, for the columns of z without the response, in their public units. */
  readonly at: readonly number[];
  /** The noisy total of the first round, which is public: its 32-bit words in base64. */
  readonly total: string;
  /** Number of noises in that total; 1 unless given. */
  readonly noises?: number;
}

/** Rules of disclosure control: a profile, and thresholds that differ from it. */
export interface DisclosureTerms {
  /** `none` switches the rules off, for rows that are already public. */
  readonly profile?: 'default' | 'datashield' | 'agency' | 'none';
  readonly thresholds?: Partial<DisclosureThresholds>;
}

/** The thresholds of the rules R0–R11. */
export interface DisclosureThresholds {
  /** R0: fewest rows of a site; never below 3. */
  readonly rows: number;
  /** R1, R10: largest ratio of columns to rows. */
  readonly columnShare: number;
  /** R2: fewest rows beyond the rank. */
  readonly freedom: number;
  /** R3–R5: fewest rows in a cell that is not empty. */
  readonly cell: number;
  /** R5: largest share of one row, and of two, in a group's sum. */
  readonly dominance: readonly [number, number];
  /** R6: largest share of one row in a column's squares, and largest leverage. */
  readonly influence: number;
  /** R6: leverage from which the site must acknowledge it. */
  readonly noticeableLeverage: number;
  /** R7: share of the rows in one level from which the site must acknowledge it. */
  readonly oneLevel: number;
  /** R8: a table of whole numbers must have more rows than this. */
  readonly wholeRows: number;
  /** R9: fewest rows by which two releases differ, unless they have the same rows. */
  readonly difference: number;
  /** R11: largest ε of all private releases of a row together, at δ = 1e-5. */
  readonly epsilon: number;
}

/** Counts of a model's predictions on held-out rows that a site may report. */
export interface EvaluationTerms {
  /** Bins of the predicted probability. */
  readonly bins: number;
  /** Smallest nonzero count that is reported; 5 unless given. */
  readonly smallest?: number;
}

/** When a study may resolve without all sites. */
export interface Quorum {
  /** Sites that must have contributed; 1 unless given. */
  readonly sites?: number;
  /** When collecting ends, as an ISO 8601 time in UTC. */
  readonly deadline?: string;
}

/** Terms of the feature maps, by name. A map adds a member to this interface, in the file that defines it. */
export interface Features {
  readonly projection: ProjectionFeature;
}

/** The terms of a feature map; `features/feature-maps.ts` has a map for each. */
export type Feature = Features[keyof Features];

/** Matrices of a projection other than the Gaussian one. */
export type ProjectionMatrixName = 'sparse' | 'hadamard';

/**
 * A random projection of all predictors: `dimension` columns, each a sum of the predictors in public units with weights of
 * variance 1/dimension drawn from the seed. It sends fewer numbers; information outside the projection is lost.
 */
export interface ProjectionFeature {
  readonly kind: 'projection';
  /** How the weights are drawn: normal unless given. The others lose about as much. */
  readonly matrix?: ProjectionMatrixName;
  /** At least 1, and below the number of columns. */
  readonly dimension: number;
  /** A 32-bit whole number. */
  readonly seed: number;
}

/**
 * Terms of the fusions, by name. A fusion adds a member to this interface, in the file that defines it.
 */
export interface Fusions {
  readonly ridge: RidgeFusion;
  readonly discriminant: DiscriminantFusion;
  readonly 'naive-bayes': NaiveBayesFusion;
  readonly glm: GlmFusion;
  /** `glm` in studies written before 0.2. */
  readonly fisher: GlmFusion;
  readonly average: EstimateFusion;
  readonly fesc: EstimateFusion;
}

/** A way to learn in one round. */
export type Fusion = Fusions[keyof Fusions];

/** Rules that choose a ridge from the sites' statistics, without a second round. */
export type RidgeRule = 'gcv' | 'leave-one-site-out' | 'k-fold' | 'marginal-likelihood';

/** Ridge regression; a penalty of 0 is least squares. The intercept is never penalised. */
export interface RidgeFusion {
  readonly kind: 'ridge';
  readonly ridge: number | RidgeRule;
  /** Whether to penalise coefficients of columns scaled by their population SD instead of raw columns. */
  readonly standardize?: boolean;
  /** Groups of sites that `k-fold` leaves out in turn; 5 unless given. */
  readonly folds?: number;
  /** Which point of a curve over left-out sites: its minimum, or the largest penalty within one standard error of it. */
  readonly prefer?: 'minimum' | 'one-standard-error';
  /** Lasso or elastic net in place of the ridge, in glmnet's convention. */
  readonly lasso?: LassoPenalty;
  /** Standard errors: from one variance for all rows, or robust to correlation within sites (HC1). */
  readonly errors?: 'classical' | 'clustered';
  /** An intercept for each site: free, or drawn from a normal distribution (by REML, or by ML). */
  readonly siteEffects?: 'fixed' | 'random' | 'random-ml';
}

/** glmnet's penalty λ(½(1 − mix)‖b‖² + mix‖b‖₁) on coefficients of columns of unit population SD. */
export interface LassoPenalty {
  readonly lambda: number | 'leave-one-site-out';
  /** glmnet's alpha: 1 (the default) is the lasso, values towards 0 are ridge. */
  readonly mix?: number;
}

/**
 * Linear discriminant analysis of a category: a normal distribution for each class, with one covariance Σ for all. Sites send
 * what they send for a ridge.
 */
export interface DiscriminantFusion {
  readonly kind: 'discriminant';
  /**
   * From 0 (the default, Σ as it is) to 1 (no correlations): (1 − s)Σ + s·diag(Σ). A rule chooses the s whose ridge on the
   * indicators of the classes predicts best.
   */
  readonly shrinkage?: number | ShrinkageRule;
}

/** Rules that choose a shrinkage from the sites' statistics. */
export type ShrinkageRule = 'gcv' | 'leave-one-site-out';

/** Gaussian naive Bayes of a category, with one variance of each column for all classes. */
export interface NaiveBayesFusion {
  readonly kind: 'naive-bayes';
}

/** A model that the sums of a ridge give, without another contact with the sites. */
export type SumsFusion = RidgeFusion | DiscriminantFusion | NaiveBayesFusion;

/** Logistic or Poisson regression by Fisher information: each site's (H, Hβ) at its own optimum. */
export interface GlmFusion {
  /** `fisher` is its name in studies written before 0.2. */
  readonly kind: 'glm' | 'fisher';
  readonly family: 'binomial' | 'poisson';
  /** Keeps the estimates of a small site finite: Firth's correction, or a ridge on its standardised slopes. */
  readonly prior?: 'firth' | number;
  /** Sites also send what their expansions are expected to leave out; absent in studies written before 0.2. */
  readonly remainder?: 'expected';
  /** Penalty ½λ‖b‖² on the slopes of raw columns, taken from the log-likelihood; 0 unless given. The intercept is free. */
  readonly ridge?: number;
  /**
   * Standard errors: from the likelihood, robust to correlation within sites (HC1), or to a wrong variance of each row (HC0, HC1).
   * The last two are known from the second round on.
   */
  readonly errors?: 'classical' | 'clustered' | 'HC0' | 'HC1';
  /** Columns whose coefficients are held at 0: the model without them, over the same rows. */
  readonly without?: readonly string[];
  /** Coefficients by term from an earlier round; sites take one Newton step from them. */
  readonly at?: Readonly<Record<string, number>>;
  /** The resolution that `at` is from; a coordinator that has it compares the two. Without it `at` may be made up. */
  readonly from?: ResolutionName;
}

/** A published model by its study's digest and the digest of its total. */
export interface ResolutionName {
  readonly study: string;
  readonly total: string;
}

/**
 * Each site fits its own (ridge) regression and sends only its coefficients and its number of rows; they are weighted by
 * rows, or by FESC. Far fewer numbers than the exact statistic, but not the pooled fit.
 */
export interface EstimateFusion {
  readonly kind: 'average' | 'fesc';
  /** Penalty on the slopes of each site's regression, in the user's units; 0 unless given. */
  readonly ridge?: number;
  /** Whether sites also send the covariance of their coefficients; not unless given. */
  readonly covariance?: boolean;
}

/** Whether a fusion has one of these names, and so their terms. */
export function isFusion<Terms extends Fusion>(
  fusion: Fusion,
  kinds: readonly Terms['kind'][],
): fusion is Terms {
  return kinds.some((kind) => kind === fusion.kind);
}

/** The identity of a study: the SHA-256 of its canonical JSON. */
export function studyDigest(study: Study): string {
  return digestJson(study);
}
