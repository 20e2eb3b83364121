import { type FactsCollector, factsCollector } from '../disclosure/facts-collector.ts';
import type { RowFacts } from '../disclosure/row-facts.ts';
import type { Design } from '../features/design.ts';
import type { Regression } from '../fusion/method.ts';
import { crossProductLayout } from '../statistic/cross-product.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import type { Block } from '../table/columns.ts';

/** Gathers facts about the formula's own columns, where those of the statistic are mapped. */
export interface OriginalFacts {
  /** Rows of a block as the reduction takes it; `indexOf` gives their indices in the block. */
  add(block: Block, rows: number, indexOf: (r: number) => number): void;
  finish(): RowFacts;
}

/**
 * Anyone who knows the map can recover the number of rows of each level from sums of mapped indicators, because
 * counts are whole. So the rules about cells must check the columns themselves. Undefined where nothing is mapped.
 */
export function originalFacts({ design }: Regression): OriginalFacts | undefined {
  const from = design.mapped?.from;
  if (from === undefined) return undefined;
  const facts: FactsCollector = factsCollector(originalLayout(from), from.terms);
  return {
    add: (block, rows, indexOf) => facts.add(rows, originalColumns(from, block, rows, indexOf)),
    finish: () => facts.finish(),
  };
}

/** The formula's own columns for some rows of a block, the constant first, in the user's units. */
export function originalColumns(
  from: Design,
  block: Block,
  rows: number,
  indexOf: (r: number) => number,
): Float64Array[] {
  const columns = from.variables.map((_, place) =>
    Float64Array.from({ length: rows }, (_, r) => block.columns[place][indexOf(r)]),
  );
  const values = from.columns.map(() => new Float64Array(rows));
  const noLow = from.columns.map(() => undefined);
  from.evaluate({ rows, columns }, { file: 'the rows', rowOf: (r) => r }, values, noLow);
  return from.intercept ? values : [new Float64Array(rows).fill(1), ...values];
}

/** The layout of the formula's own columns, for the rules. */
export function originalLayout(from: Design): LinearLayout {
  return crossProductLayout(from, { arithmetic: 'exact', grid: 44, largestWeight: null });
}
