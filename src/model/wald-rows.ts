import { type CoefficientErrors, reach, twoSided } from './errors.ts';
import type { TermRow } from './inference.ts';

const CONFIDENCE = 0.95;

/** The coefficient table of estimates with a covariance of their own; without one, estimates alone. */
export function waldRows(
  { terms, estimates }: { readonly terms: readonly string[]; readonly estimates: Float64Array },
  errors: CoefficientErrors | undefined,
): TermRow[] {
  const width = errors === undefined ? Number.NaN : reach(CONFIDENCE, errors.freedom);
  return terms.map((term, k) => {
    const estimate = estimates[k];
    if (errors === undefined) return { term, estimate };
    const error = Math.sqrt(errors.covariance[k * terms.length + k]);
    // What a site sent as a covariance need be none in every direction.
    if (Number.isNaN(error)) return { term, estimate };
    if (error === 0) return { term, estimate, 'std.error': error };
    const statistic = estimate / error;
    return {
      term,
      estimate,
      'std.error': error,
      statistic,
      'p.value': twoSided(statistic, errors.freedom),
      'conf.low': estimate - width * error,
      'conf.high': estimate + width * error,
    };
  });
}
