import type { Design } from '../features/design.ts';
import type { Fit } from '../model/fit.ts';
import type { LinearSiteStatistic } from '../statistic/site-statistics.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import type { TableStudy } from '../study/study.ts';

/** What a question is answered from: the sums that the sites sent, and the model fitted to them. */
export interface QueryInput {
  readonly study: TableStudy;
  readonly design: Design;
  readonly total: LinearStatistic;
  readonly fit: Fit;
  /** Index of the response in question. */
  readonly response: number;
  /** The statistic of each site; absent where the study hides it from the coordinator. */
  readonly sites?: readonly LinearSiteStatistic[];
}
