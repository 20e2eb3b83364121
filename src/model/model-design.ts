import type { Design } from '../features/design.ts';
import { studyDesign } from '../features/study-design.ts';
import type { TableStudy } from '../study/study.ts';
import type { Report } from './report.ts';

/** The design of a model: a category response is one indicator in a logistic regression, otherwise one per level. */
export function modelDesign(
  study: Pick<TableStudy, 'formula' | 'codebook' | 'features'>,
  { family }: Pick<Report, 'family'>,
): Design {
  return studyDesign(study, responsesOfFamily(family));
}

/** How a family codes a category response. */
export function responsesOfFamily(family: Report['family']): 'indicator' | 'indicators' {
  return family === undefined ? 'indicators' : 'indicator';
}
