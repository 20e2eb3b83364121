import type * as zod from 'zod';
import type { Aggregations, Study } from '../study/study.ts';
import type { Zod } from '../study/zod.ts';
import type { Aggregation, AggregationEntry } from './aggregation.ts';
import { pairwiseMasks } from './pairwise-masks.ts';
import { plain } from './plain.ts';
import { twoAggregators } from './two-aggregators.ts';

/** Every aggregation, by its name in a study. */
export const aggregations: {
  readonly [Kind in keyof Aggregations]: AggregationEntry<Aggregations[Kind]>;
} = { plain, 'two-aggregators': twoAggregators, 'pairwise-masks': pairwiseMasks };

/** The aggregation of a study; `plain` unless given. */
export function aggregationOf({ aggregation }: Pick<Study, 'aggregation'>): Aggregation {
  const terms = aggregation ?? { kind: 'plain' };
  return aggregationFor(terms.kind, terms);
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
