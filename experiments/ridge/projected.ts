import type { Conclusion } from '../paper-result.ts';
import type { RidgePlan } from './plan.ts';
import type { RivalsFound } from './projection-rivals.ts';

/** Table VII as printed, d = 1000: MSE, ΔMSE, Comm., vs FedAvg. */
export const printedProjections: Readonly<
  Record<number, readonly [string, string, string, string]>
> = {
  50: ['0.0185', '+85 %', '0.02 MB', '200×'],
  100: ['0.0142', '+42 %', '0.08 MB', '50×'],
  200: ['0.0118', '+18 %', '0.32 MB', '12.5×'],
  400: ['0.0105', '+5 %', '1.28 MB', '3.1×'],
  600: ['0.0101', '+1 %', '2.88 MB', '1.4×'],
  800: ['0.0100', '<1 %', '5.12 MB', '0.78×'],
  1000: ['0.0100', '0 %', '8.00 MB', '0.5×'],
};

export type SpectrumName = 'flat' | 'falling';

export const spectrumTexts: Readonly<Record<SpectrumName, string>> = {
  flat: 'all features vary alike, as the paper draws them',
  falling: 'standard deviations fall like 1/j',
};

/** One trial of a spectrum, by dimension. */
export interface ProjectionFound {
  readonly mses: readonly number[];
  readonly rivals: RivalsFound;
  /** The prediction from the spectrum alone. */
  readonly foretold: readonly number[];
  readonly fedAvg: number | undefined;
  /** Columns that leave out 1 % of the variance. */
  readonly advised: number;
}

/** One client’s upload. */
export interface ProjectionBytes {
  readonly exact: number;
  readonly compact: number;
}

export interface Projected {
  readonly plan: RidgePlan;
  readonly begun: number;
  readonly features: number;
  readonly dimensions: readonly number[];
  readonly bytes: readonly ProjectionBytes[];
  readonly fedAvgUp: number;
  readonly found: Readonly<Record<SpectrumName, readonly ProjectionFound[]>>;
  readonly bits: readonly Conclusion[];
}
