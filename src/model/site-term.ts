import { SITE_COLUMN } from '../study/codebook.ts';
import type { Study } from '../study/study.ts';
import type { Report } from './report.ts';

/**
 * The study whose formula says what the report's model does: fixed site effects are the term `.site`, to the last bit.
 * Random effects add nothing to a prediction for a site that is not named.
 */
export function withSiteTerm(study: Study, { siteEffects }: Report): Study {
  if (siteEffects?.kind !== 'fixed') return study;
  const levels = siteEffects.sites.map(({ site }) => site).sort();
  return {
    ...study,
    formula: `${study.formula} + ${SITE_COLUMN}`,
    codebook: { ...study.codebook, [SITE_COLUMN]: { type: 'category', levels } },
  };
}
