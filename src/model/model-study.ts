import type { Feature, Study, TableStudy } from '../study/study.ts';
import type { Report } from './report.ts';
import { reportedMap } from './reported-map.ts';
import { withSiteTerm } from './site-term.ts';

/** The study of the report's model: with its site effects as a term, and with its feature map where that was learned. */
export function modelStudy(asked: Study, report: Report): TableStudy {
  return withReportedMap(withSiteTerm(asked, report), report);
}

/** The study with the feature map of the report, if the study has none of its kind: a fusion has learned it. */
export function withReportedMap(study: TableStudy, report: Partial<Report>): TableStudy {
  const reported = reportedMap(report);
  if (reported === undefined) return study;
  if (study.features?.some(({ kind }) => kind === reported.map.kind)) return study;
  return { ...study, features: [reported.terms as Feature] };
}
