import type { Failure } from '../src/failure.ts';
import type { Fit } from '../src/model/fit.ts';
import type { Contribution } from '../src/statistic/envelope.ts';
import type { LinearSiteStatistic } from '../src/statistic/site-statistics.ts';
import type { LinearStatistic } from '../src/statistic/statistic.ts';
import { type Agreement, collect } from './linear.ts';

/** What contributions add up to, and the fit that the study's method makes of it. */
export function fitted(
  agreed: Agreement,
  contributions: Iterable<Contribution>,
): {
  readonly total: LinearStatistic;
  readonly parts: readonly LinearSiteStatistic[];
  readonly fit: Fit | Failure;
} {
  const sent = collect(agreed, contributions);
  return { total: sent.total, parts: sent.parts, fit: fitBy(agreed, sent) };
}

/** The fit of what sites have sent, or of a total alone. */
export function fitBy(
  { method }: Pick<Agreement, 'method'>,
  sent: { readonly total: LinearStatistic; readonly parts?: readonly LinearSiteStatistic[] },
): Fit | Failure {
  const resolved = method.resolve({ contributions: sent.parts?.length ?? 1, ...sent });
  if ('problem' in resolved) return resolved;
  return resolved.fit ?? { problem: 'the method has no fit', remedy: 'read its report' };
}
