import type { Glance } from './inference.ts';
import type { Report } from './report.ts';

/**
 * The error of a fit by generalised cross-validation, as a share of the variance: (1 − R²)·(n/(n − edf))², its mean over the
 * responses. Undefined if the report has no degrees of freedom.
 */
export function gcvShare({ responses, glance }: Report): number | undefined {
  const glances = responses?.map((one) => one.glance) ?? [glance ?? { nobs: 0 }];
  const shares = glances.map(shareOf).filter(Number.isFinite);
  if (shares.length === 0) return undefined;
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

function shareOf(glance: Glance): number {
  const { 'r.squared': explained = Number.NaN, 'df.residual': freedom = 0, nobs } = glance;
  if (!(freedom > 0)) return Number.NaN;
  // Everyone who derives the next study needs the same bits, and those of a power are open in ECMAScript.
  const ratio = nobs / freedom;
  return (1 - explained) * ratio * ratio;
}
