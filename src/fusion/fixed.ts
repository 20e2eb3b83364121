import { fixedEffects, refuseFixedEffects } from '../across/fixed-effects.ts';
import type { Failure } from '../failure.ts';
import type { Fit } from '../model/fit.ts';
import { withSiteColumns } from '../statistic/site-columns.ts';
import type { LinearPart } from '../statistic/site-part.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import { resolvePenalised } from './penalised.ts';

/** Least squares with an intercept for each site, tested against the model that has one for all. */
export function resolveFixed(total: LinearStatistic, parts: readonly LinearPart[]): Fit | Failure {
  const refused = refuseFixedEffects(parts);
  if (refused !== undefined) return refused;
  const plain = { kind: 'ridge', ridge: 0 } as const;
  const fit = resolvePenalised(withSiteColumns(parts), plain);
  const pooled = resolvePenalised(total, plain);
  if ('problem' in fit) return fit;
  if ('problem' in pooled) return pooled;
  if (fit.models.length > 1) return fit; // one test a response has no place in a report
  const siteEffects = fixedEffects(fit, pooled, parts);
  return 'problem' in siteEffects ? siteEffects : { ...fit, siteEffects };
}
