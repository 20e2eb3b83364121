import type { Forecast } from '../privacy/forecast.ts';
import type { PlacementName } from '../privacy/placement.ts';
import type { PrivacyTerms, Refinement } from '../study/study.ts';
import type { CoefficientErrors } from './fit.ts';

/** SDs of the noise in the sums behind a private model, in units of scaled rows; 0 for exact sums. */
export interface NoiseSizes {
  readonly gram: number;
  readonly moment: number;
  readonly square: number;
  readonly count: number;
}

/** The fit of a noisy total. */
export interface PrivateFit {
  readonly response: string;
  readonly terms: readonly string[];
  /** In the user's units, the intercept first where there is one. */
  readonly estimates: Float64Array;
  /**
   * The same for columns in public units: all of z but the response, with 0 for the constant where there is no
   * intercept.
   */
  readonly scaled: Float64Array;
  /** Noisy; not whole, and maybe below 0. */
  readonly rows: number;
  /** Number of columns that the noise was calibrated for. */
  readonly columns: number;
  readonly solver: NonNullable<PrivacyTerms['solver']>;
  /** Gradient steps taken after the first round. */
  readonly round: number;
  /** Number of noise terms in the total. */
  readonly noises: number;
  /** SDs of all the noise in the total together. */
  readonly sigma: NoiseSizes;
  /** Share of each eigen-direction of the step that the filter lets through: the smallest and the mean. */
  readonly kept: { readonly smallest: number; readonly mean: number };
  /** The share of the responses that were clipped, where it is clearly above a tenth: then all else is biased. */
  readonly clipped?: number;
  /** Residual SD in the user's units, where neither noise nor clipping hides it. */
  readonly residual?: number;
  /** Valid errors, or why there are none. */
  readonly errors: CoefficientErrors | { readonly none: string };
  /** Where the next round starts, if one is planned. */
  readonly next?: Refinement;
}

/** What a private report promises, what it cost, and what its numbers are worth. */
export interface PrivacyFacts {
  readonly epsilon: number;
  readonly delta: number;
  /** μ of the whole promise, for the protected unit. */
  readonly mu: number;
  readonly unit: PrivacyTerms['unit'];
  readonly rowsPerPerson?: number;
  readonly neighbours: NonNullable<PrivacyTerms['neighbours']>;
  readonly placement: PlacementName;
  readonly protects: NonNullable<PrivacyTerms['protects']>;
  /** Spent by this report and the rounds before it; ε at the promised δ. */
  readonly spent: { readonly mu: number; readonly epsilon: number };
  /** Where rounds are planned: gradient steps taken, and planned in all. */
  readonly round?: number;
  readonly rounds?: number;
  /** SDs of all the noise in the total, in units of scaled rows. */
  readonly sigma: NoiseSizes;
  /** Number of noise terms in the total: one per site where each site adds its own, two where both aggregators do. */
  readonly noises: number;
  readonly solver: PrivateFit['solver'];
  /** Share of the step that the solver let through, mean over eigen-directions. */
  readonly kept: number;
  /** The public range of the response: predictions are capped to it. */
  readonly range: readonly [number, number];
  /** The share of the responses that were clipped, where it is clearly above a tenth. */
  readonly clipped?: number;
  /** Present in a study of one round whose responses were not clipped. */
  readonly forecast?: Pick<Forecast, 'expectedExcess' | 'verdict'>;
  /** Why there are no standard errors, where there are none. */
  readonly withoutErrors?: string;
  /** Where the next round starts, if one is planned. */
  readonly next?: Refinement;
}
