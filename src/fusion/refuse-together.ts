import type { Aggregation } from '../aggregation/aggregation.ts';
import { DataError } from '../data-error.ts';
import { shapeOf } from '../statistic/layout.ts';
import { hasPackedEntries } from '../statistic/packed-entries.ts';
import type { Method } from './method.ts';
import { refuseSplit } from './refuse-split.ts';

/** Refuses a method and an aggregation that do not go together: one needs what the other hides. */
export function refuseTogether(
  method: Pick<Method, 'layout' | 'needsSites' | 'groups' | 'noise' | 'regression'>,
  aggregation: Aggregation,
): void {
  const grouped =
    aggregation.grouping !== undefined && method.groups === aggregation.grouping.groups;
  if (method.needsSites && aggregation.sees === 'total' && !grouped) {
    throw new DataError(
      'the method needs each site’s statistic, and the aggregation shows only their sum',
      {},
      'take another method, or plain aggregation',
    );
  }
  if (method.needsSites && aggregation.minimumSites !== undefined && !grouped) {
    throw new DataError(
      'the method needs each site’s statistic, and minimumSites allows nothing about one site',
      {},
      'leave out minimumSites, or take a method that needs only the sum: classical errors, a ridge by GCV',
    );
  }
  if (aggregation.sees === 'total' && hasPackedEntries(shapeOf(method.layout))) {
    throw new DataError(
      'compressed numbers cannot be masked: a mask needs the whole ring of each number',
      {},
      'leave out the compression, or take plain aggregation',
    );
  }
  if (aggregation.columnsAt !== undefined) refuseSplit(method, aggregation.columnsAt);
  if (method.noise?.atHelper !== undefined && aggregation.helper === undefined) {
    throw new DataError(
      'privacy.placement is "aggregators", and the study has one aggregator, the coordinator',
      {},
      'take aggregation "two-aggregators", or let the coordinator add the noise ("central"), or each site ("local")',
    );
  }
  if (method.noise !== undefined && aggregation.grouping !== undefined) {
    throw new DataError(
      'the study is private, and folds would open the sum of each group of sites',
      {},
      'leave out the folds: the ridge of a private study is a number, and nothing is chosen from groups',
    );
  }
}
