import { SITE_COLUMN } from '../study/codebook.ts';
import type { Study, TableStudy } from '../study/study.ts';
import { tableStudy } from '../study/table-study.ts';
import type { Report } from './report.ts';

/**
 * The study with the formula of the report's model: fixed site effects become the term `.site`. Random effects add
 * nothing to a prediction for an unnamed site.
 */
export function withSiteTerm(asked: Study, { terms, responses, sites }: Report): TableStudy {
  const study = tableStudy(asked);
  const names = new Set((responses?.[0]?.terms ?? terms ?? []).map(({ term }) => term));
  const levels = sites.map(({ name }) => name).sort();
  const isFixed = levels.some((name) => names.has(`${SITE_COLUMN}${name}`));
  if (!isFixed || study.codebook[SITE_COLUMN] !== undefined) return study;
  return {
    ...study,
    formula: `${study.formula} + ${SITE_COLUMN}`,
    codebook: { ...study.codebook, [SITE_COLUMN]: { type: 'category', levels } },
  };
}
