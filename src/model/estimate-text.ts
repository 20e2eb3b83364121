import { grouped } from '../text/number-text.ts';
import type { EstimateFacts } from './estimate-fit.ts';
import type { Report } from './report.ts';

/** How an average of estimates was made and what it is worth, in sentences. */
export function estimateReportText({
  estimates,
  errors,
}: Pick<Report, 'estimates' | 'errors'>): string[] {
  if (estimates === undefined) return [];
  const { kind, weights, bytes, exactBytes } = estimates;
  return [
    `Each site solved its own regression and sent its coefficients: ${grouped(bytes)} bytes of numbers a site. ` +
      `The exact statistic takes ${bytes < exactBytes ? grouped(exactBytes) : 'no more'} bytes and gives the fit of all rows together. ` +
      (weights.length === 1 ? 'With one site, this is the same fit.' : 'This is not the same fit.'),
    kind === 'average'
      ? 'The coefficients are averaged by rows.'
      : `The coefficients are combined with FESC weights${tooSmallText(weights)}.`,
    errorText(errors),
  ];
}

function tooSmallText(weights: EstimateFacts['weights']): string {
  const tooSmall = weights.filter(({ weight }) => weight === 0).length;
  if (tooSmall === 0) return '';
  return `; ${tooSmall} of ${weights.length} sites ${tooSmall === 1 ? 'is' : 'are'} too small to count`;
}

function errorText(errors: Report['errors']): string {
  if (errors === 'within-sites') {
    return 'Standard errors come from the covariances that the sites sent; differences between sites are not in them.';
  }
  if (errors === 'between-sites') return 'Standard errors come from the spread between the sites.';
  return 'There are no standard errors: no site sent its covariance, and fewer than three sites count.';
}
