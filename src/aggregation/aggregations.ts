import type * as zod from 'zod';
import { DataError } from '../data-error.ts';
import type { Aggregations, Study, TableStudy } from '../study/study.ts';
import type { Zod } from '../study/zod.ts';
import type { Aggregation, AggregationEntry } from './aggregation.ts';
import { pairwiseMasks } from './pairwise-masks.ts';
import { plain } from './plain.ts';
import { twoAggregators } from './two-aggregators.ts';
import { verticalAggregation, verticalSchema } from './vertical.ts';

/** Every aggregation, by its name in a study. */
export const aggregations: {
  readonly [Kind in keyof Aggregations]: AggregationEntry<Aggregations[Kind]>;
} = { plain, 'two-aggregators': twoAggregators, 'pairwise-masks': pairwiseMasks };

/** The aggregation of a study: that of its partition, where parties hold different columns; `plain` unless given. */
export function aggregationOf({
  aggregation,
  partition,
}: Pick<Study, 'aggregation'> & Pick<TableStudy, 'partition'>): Aggregation {
  if (partition !== undefined) {
    if (aggregation !== undefined && aggregation.kind !== 'plain') throw twoWays(aggregation.kind);
    return verticalAggregation(partition);
  }
  const terms = aggregation ?? { kind: 'plain' };
  return aggregationFor(terms.kind, terms);
}

function twoWays(kind: string): DataError {
  return new DataError(
    `the study has a partition and the aggregation "${kind}", which are two ways to add`,
    {},
    'leave out the aggregation: with a partition the coordinator already sees only the total',
  );
}

/** The schema of a partition. */
export function partitionSchema(z: Zod): zod.ZodObject {
  return verticalSchema(z);
}

function aggregationFor<Kind extends keyof Aggregations>(
  kind: Kind,
  terms: Aggregations[Kind],
): Aggregation {
  return aggregations[kind].aggregation(terms);
}

/** Schemas of the terms of every aggregation. */
export function aggregationSchemas(z: Zod): [zod.ZodObject, ...zod.ZodObject[]] {
  const { plain: first, ...others } = aggregations;
  const rest: readonly AggregationEntry<never>[] = Object.values(others);
  return [first.schema(z), ...rest.map((entry) => entry.schema(z))];
}
