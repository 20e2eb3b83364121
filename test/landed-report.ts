import type { Report } from '../src/model/report.ts';
import { tenDigits } from './ten-digits.ts';

/**
 * The part of a report that a later version must find again. One round of a logistic or Poisson regression is not the
 * pooled one: its tests, intervals and likelihoods were printed as if it were, and are no longer. Its coefficients stay.
 */
export function lasting(found: Report | string | undefined): unknown {
  if (typeof found !== 'object') return found;
  // What a later version tells besides.
  const { disagreement: _, classes: ___, ...report } = found;
  if (report.deviation === undefined) return tenDigits(report);
  const { terms = [], original, glance, errors: __, deviation, ...rest } = report;
  return tenDigits({
    ...rest,
    terms: terms.map(({ term, estimate, vif }) => ({ term, estimate, vif })),
    original: original?.map(({ term, estimate }) => ({ term, estimate })),
    glance: glance && { nobs: glance.nobs, 'df.residual': glance['df.residual'] },
    steps: deviation.steps,
  });
}
