import type { Collected } from '../aggregation/aggregation.ts';
import type { LinearPart } from '../statistic/site-part.ts';
import { type LinearStatistic, linearStatistic } from '../statistic/statistic.ts';

/** What sites of a regression have sent; throws where it is something else. */
export function linearSums({ total, parts }: Pick<Collected, 'total' | 'parts'>): {
  readonly total: LinearStatistic;
  readonly parts?: readonly LinearPart[];
} {
  return {
    total: linearStatistic(total),
    ...(parts === undefined
      ? {}
      : {
          parts: parts.map(({ site, statistic }) => ({
            site,
            statistic: linearStatistic(statistic),
          })),
        }),
  };
}
