import type { Design } from '../features/design.ts';
import { studyDesign } from '../features/study-design.ts';
import type { Study } from '../study/study.ts';
import { tableStudy } from '../study/table-study.ts';
import { withReportedMap } from './model-study.ts';
import type { Report } from './report.ts';

/** The design of a model: a category response is one indicator in a logistic regression, otherwise one per level. */
export function modelDesign(study: Study, report: Partial<Report>): Design {
  return studyDesign(withReportedMap(tableStudy(study), report), responsesOfFamily(report.family));
}

/** How a family codes a category response. */
export function responsesOfFamily(family: Report['family']): 'indicator' | 'indicators' {
  return family === undefined ? 'indicators' : 'indicator';
}
