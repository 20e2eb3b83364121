import { type FactsCollector, factsCollector } from '../disclosure/facts-collector.ts';
import type { RowFacts } from '../disclosure/row-facts.ts';
import type { Design } from '../features/design.ts';
import type { Regression } from '../fusion/method.ts';
import { crossProductLayout } from '../statistic/cross-product.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import type { Block } from '../table/columns.ts';

/** Gathers facts about the formula's own columns, where those of the statistic are mapped. */
export interface OriginalFacts {
  /** Rows of a block as the reduction takes it; `indexOf` tells which they are. */
  add(block: Block, rows: number, indexOf: (r: number) => number): void;
  finish(): RowFacts;
}

/**
 * A sum of mapped indicators still tells how many rows each level has, to whoever knows the map and that counts are
 * whole: the rules about cells must see the columns themselves. Undefined where nothing is mapped.
 */
export function originalFacts({ design }: Regression): OriginalFacts | undefined {
  const from = design.mapped?.from;
  if (from === undefined) return undefined;
  const facts: FactsCollector = factsCollector(originalLayout(from), from.terms);
  return {
    add(block, rows, indexOf) {
      const columns = from.variables.map((_, place) =>
        Float64Array.from({ length: rows }, (_, r) => block.columns[place][indexOf(r)]),
      );
      const values = from.columns.map(() => new Float64Array(rows));
      const none = from.columns.map(() => undefined);
      from.evaluate({ rows, columns }, { file: 'the rows', rowOf: (r) => r }, values, none);
      facts.add(rows, from.intercept ? values : [new Float64Array(rows).fill(1), ...values]);
    },
    finish: () => facts.finish(),
  };
}

/** z of the formula's own columns, as the rules look at it. */
export function originalLayout(from: Design): LinearLayout {
  return crossProductLayout(from, { arithmetic: 'exact', grid: 44, largestWeight: null });
}
