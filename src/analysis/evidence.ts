import type { Design } from '../features/design.ts';
import type { Fit } from '../model/fit.ts';
import type { LinearPart } from '../statistic/site-part.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import type { Study } from '../study/study.ts';

/** What a question is asked of: all that the sites have sent, and the model made of it. */
export interface Evidence {
  readonly study: Study;
  readonly design: Design;
  readonly total: LinearStatistic;
  readonly fit: Fit;
  /** Which of the fit's responses is asked about. */
  readonly response: number;
  /** The sites one by one; absent where the study hides them from the coordinator. */
  readonly parts?: readonly LinearPart[];
}
