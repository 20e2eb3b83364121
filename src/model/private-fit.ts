import type { PrivacyTerms, Refinement } from '../study/study.ts';
import type { CoefficientErrors } from './errors.ts';

/** SDs of the noise in what a private model was made of, in units of scaled rows; 0 where it is exact. */
export interface NoiseSizes {
  readonly gram: number;
  readonly moment: number;
  readonly square: number;
  readonly count: number;
}

/** What a noisy total has to say. */
export interface PrivateFit {
  readonly response: string;
  readonly terms: readonly string[];
  /** In the user's units, the intercept first where there is one. */
  readonly estimates: Float64Array;
  /** The same of columns in their public units: those of z without the response; 0 for a constant that is none. */
  readonly scaled: Float64Array;
  /** Noisy; not whole, and maybe below 0. */
  readonly rows: number;
  /** Columns the noise was sized for. */
  readonly columns: number;
  readonly solver: NonNullable<PrivacyTerms['solver']>;
  /** Gradient steps taken after the first round. */
  readonly round: number;
  /** Noises that are in the total. */
  readonly noises: number;
  /** SDs of all the noise in the total, that of every site where each adds its own. */
  readonly sigma: NoiseSizes;
  /** Share of each eigen-direction of the step that the filter lets through: the smallest and the mean. */
  readonly kept: { readonly smallest: number; readonly mean: number };
  /** The share of the responses that were clipped, where it is clearly above a tenth: then all else is biased. */
  readonly clipped?: number;
  /** Residual SD in the user's units, where neither noise nor clipping hides it. */
  readonly residual?: number;
  /** Errors that hold, or why there are none. */
  readonly errors: CoefficientErrors | { readonly none: string };
  /** Where the next round starts, if one is planned. */
  readonly next?: Refinement;
}
