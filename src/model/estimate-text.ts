import { grouped } from './number-text.ts';
import type { Report } from './report.ts';

/** What an average of estimates is and is not, in sentences. */
export function estimateWords({
  estimates,
  errors,
}: Pick<Report, 'estimates' | 'errors'>): string[] {
  if (estimates === undefined) return [];
  const { kind, weights, bytes, exactBytes } = estimates;
  const idle = weights.filter(({ weight }) => weight === 0).length;
  return [
    `Each site solved its own regression and sent its coefficients: ${grouped(bytes)} bytes of numbers a site. ` +
      `The exact statistic takes ${bytes < exactBytes ? grouped(exactBytes) : 'no more'} bytes and gives the fit of all rows together, which this is ${weights.length === 1 ? 'too: there is one site' : 'not'}.`,
    kind === 'average'
      ? 'The coefficients are averaged by rows.'
      : `The coefficients are combined with FESC weights${idle === 0 ? '' : `; ${idle} of ${weights.length} sites ${idle === 1 ? 'is' : 'are'} too small to count`}.`,
    errorWords(errors),
  ];
}

function errorWords(errors: Report['errors']): string {
  if (errors === 'within-sites') {
    return 'Standard errors come from the covariances that the sites sent; differences between sites are not in them.';
  }
  if (errors === 'between-sites') return 'Standard errors come from the spread between the sites.';
  return 'There are no standard errors: no site sent its covariance, and fewer than three sites count.';
}
