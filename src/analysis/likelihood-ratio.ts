import type { Glance } from '../model/inference.ts';
import { chiSquareTail } from '../numeric/distributions.ts';
import type { Comparison, NestedModel } from './comparison.ts';

/**
 * R's anova(reduced, full, test = "LRT") of two converged logistic or Poisson regressions over the same rows, in place of the
 * Wald test between them; undefined where a likelihood is not known or the rank is the same.
 */
export function likelihoodRatio(
  wald: Comparison,
  full: Glance,
  reduced: Glance,
): Comparison | undefined {
  const [larger, smaller] = [nested(wald.full.terms, full), nested(wald.reduced.terms, reduced)];
  if (larger?.deviance === undefined || smaller?.deviance === undefined) return undefined;
  const df = smaller['df.residual'] - larger['df.residual'];
  if (!(df > 0)) return undefined;
  const statistic = Math.max(0, smaller.deviance - larger.deviance);
  const { about, without } = wald;
  return {
    about,
    without,
    test: 'likelihood ratio',
    df,
    statistic,
    'p.value': chiSquareTail(statistic, df),
    full: larger,
    reduced: smaller,
  };
}

function nested(terms: readonly string[], glance: Glance): NestedModel | undefined {
  const { deviance, AIC, BIC, 'df.residual': freedom } = glance;
  if (deviance === undefined || AIC === undefined || BIC === undefined || freedom === undefined)
    return undefined;
  return { terms, 'df.residual': freedom, deviance, AIC, BIC };
}
