import type { TermRow } from './inference.ts';
import type { Report } from './report.ts';

/** What the exponential of a coefficient is, and the scale of the coefficient itself. */
export interface RatioScale {
  readonly ratio: string;
  /** Short, before the ends of its interval. */
  readonly short: string;
  readonly log: string;
}

/** The families whose coefficients are read as ratios. */
export const ratioScales: Readonly<Record<NonNullable<Report['family']>, RatioScale>> = {
  binomial: { ratio: 'Odds ratio', short: 'OR', log: 'Log odds' },
  poisson: { ratio: 'Rate ratio', short: 'RR', log: 'Log rate' },
};

/** A column of a table of coefficients. */
export interface RatioColumn {
  readonly name: string;
  readonly of: (row: TermRow) => number | undefined;
}

/** The ratio of a coefficient and the ends of its own 95 % interval, each the exponential of its logarithm; none without a scale. */
export function ratioColumns(scale: RatioScale | undefined): readonly RatioColumn[] {
  if (scale === undefined) return [];
  const { ratio, short } = scale;
  const exponential = (value: number | undefined) =>
    value === undefined ? undefined : Math.exp(value);
  return [
    { name: ratio, of: ({ estimate }) => Math.exp(estimate) },
    { name: `${short} 2.5 %`, of: (row) => exponential(row['conf.low']) },
    { name: `${short} 97.5 %`, of: (row) => exponential(row['conf.high']) },
  ];
}
