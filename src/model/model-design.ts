import type { Design } from '../features/design.ts';
import { studyDesign } from '../features/study-design.ts';
import type { TableStudy } from '../study/study.ts';
import type { Report } from './report.ts';

/** The design that a model was learnt with: a category is one indicator in a logistic regression, else one a level. */
export function modelDesign(
  study: Pick<TableStudy, 'formula' | 'codebook' | 'features'>,
  { family }: Pick<Report, 'family'>,
): Design {
  return studyDesign(study, responsesOfFamily(family));
}

/** How a model of a family has its category responses. */
export function responsesOfFamily(family: Report['family']): 'indicator' | 'indicators' {
  return family === undefined ? 'indicators' : 'indicator';
}
