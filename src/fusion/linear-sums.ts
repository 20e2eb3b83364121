import type { Collected } from '../aggregation/aggregation.ts';
import { defined } from '../defined.ts';
import type { LinearSiteStatistic } from '../statistic/site-statistics.ts';
import { type LinearStatistic, linearStatistic } from '../statistic/statistic.ts';

/** Sums of products, of all sites together and of each one where the aggregation shows it. */
export interface LinearSums {
  readonly total: LinearStatistic;
  readonly sites?: readonly LinearSiteStatistic[];
}

/** What was collected in a regression; throws where it is something else. */
export function linearSums({ total, parts }: Pick<Collected, 'total' | 'parts'>): LinearSums {
  const sites = parts?.map(({ site, statistic }) => ({
    site,
    statistic: linearStatistic(statistic),
  }));
  return { total: linearStatistic(total), ...defined({ sites }) };
}
