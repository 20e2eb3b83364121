import type { Forecast } from '../privacy/forecast.ts';
import type { PrivacyTerms, Refinement } from '../study/study.ts';
import type { NoiseSizes, PrivateFit } from './private-fit.ts';

/** What a private report promises, what it cost, and what its numbers are worth. */
export interface PrivacyFacts {
  readonly epsilon: number;
  readonly delta: number;
  /** Of the whole promise, for the unit. */
  readonly mu: number;
  readonly unit: PrivacyTerms['unit'];
  readonly rowsPerPerson?: number;
  readonly neighbours: NonNullable<PrivacyTerms['neighbours']>;
  readonly placement: NonNullable<PrivacyTerms['placement']>;
  readonly protects: NonNullable<PrivacyTerms['protects']>;
  /** By this report and the rounds it rests on; ε at the promised δ. */
  readonly spent: { readonly mu: number; readonly epsilon: number };
  /** Where rounds are planned: gradient steps taken, and in all. */
  readonly round?: number;
  readonly rounds?: number;
  /** SDs of all the noise in the total, in units of scaled rows. */
  readonly sigma: NoiseSizes;
  /** Noises that are in the total: one a site where each adds its own. */
  readonly noises: number;
  readonly solver: PrivateFit['solver'];
  /** Share of the step that the solver let through, mean over eigen-directions. */
  readonly kept: number;
  /** What predictions are capped to: the public range of the response. */
  readonly range: readonly [number, number];
  /** The share of the responses that were clipped, where it is clearly above a tenth. */
  readonly clipped?: number;
  /** Of a study of one round whose responses were not clipped. */
  readonly forecast?: Pick<Forecast, 'expectedExcess' | 'verdict'>;
  /** Why there are no standard errors, where there are none. */
  readonly withoutErrors?: string;
  /** Where the next round starts, if one is planned. */
  readonly next?: Refinement;
}
