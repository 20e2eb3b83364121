import type { Answered } from '../../analysis/question.ts';
import type { Report } from '../../model/report.ts';
import type { Study } from '../../study/study.ts';

/** What a fit gives: the study that was fitted, its report, and answers to further questions. */
export interface FitOutcome {
  readonly study: Study;
  readonly report: Report;
  readonly answers: readonly Answered[];
  /** In a private study: what was done to rows in place of refusing them, by site. */
  readonly notes?: readonly string[];
}
