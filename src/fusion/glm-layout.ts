import { DataError } from '../data-error.ts';
import type { Design } from '../features/design.ts';
import { unitReference } from '../features/reference.ts';
import { type CrossProductOptions, crossProductLayout } from '../statistic/cross-product.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import type { GlmFusion } from '../study/study.ts';

/**
 * The layout of a Fisher statistic: that of a study weighted by Var(y), with the linear predictor η
 * (centre 0, scale 1) in place of the response.
 */
export function glmLayout(
  design: Design,
  { family, remainder, at, errors }: GlmFusion,
  options: Omit<CrossProductOptions, 'largestWeight'> & { readonly largestWeight?: number },
): LinearLayout {
  if (design.responses !== 1) {
    throw new DataError(
      'a logistic or Poisson regression has one response',
      {},
      'ask for each response in a study of its own',
    );
  }
  const { center, scale } = design.columns[design.columns.length - 1].reference;
  const { largestWeight: largestPrior } = options;
  const largestVariance = family === 'binomial' ? 1 : Math.max(1, center + scale);
  const largestWeight = largestVariance * (largestPrior ?? 1);
  const layout = crossProductLayout(design, { ...options, largestWeight });
  return {
    ...layout,
    references: [...layout.references.slice(0, -1), unitReference],
    family,
    ...(remainder === undefined ? {} : { remainder: at === undefined ? remainder : 'none' }),
    ...(largestPrior === undefined ? {} : { priorWeights: true }),
    ...(design.offsets.length === 0 ? {} : { offset: true }),
    ...(at !== undefined && (errors === 'HC0' || errors === 'HC1') ? { scores: true } : {}),
  };
}
