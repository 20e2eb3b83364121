import type { IndicatedTerm } from '../disclosure/baselines.ts';
import { type FactsCollector, factsCollector } from '../disclosure/facts-collector.ts';
import type { RowFacts } from '../disclosure/row-facts.ts';
import type { Design } from '../features/design.ts';
import { type ExpressionParts, expressionParts } from '../features/expression-parts.ts';
import type { Regression } from '../fusion/method.ts';
import { crossProductLayout } from '../statistic/cross-product.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import type { Block } from '../table/columns.ts';

/** The columns that the rules look at beside those of the statistic. */
export interface OriginalColumns extends ExpressionParts {
  readonly layout: LinearLayout;
  readonly terms: readonly IndicatedTerm[];
  /** Some rows of a block as the reduction takes it: the constant, the formula's columns, the parts, in the user's units. */
  evaluate(block: Block, rows: number, indexOf: (r: number) => number): Float64Array[];
}

/**
 * Anyone who knows a feature map can recover the number of rows of each level from sums of mapped indicators, because counts
 * are whole. And anyone who writes a formula can put a comparison inside an expression. So the rules must check the formula's
 * own columns and the parts of its expressions. Undefined where these are the statistic's columns, and for maps of images:
 * a pixel is a number among hundreds that a map folds together, and no sum of one pixel is sent.
 */
export function originalColumns({
  design,
  layout,
  study,
}: Regression): OriginalColumns | undefined {
  const from = design.mapped?.from ?? design;
  if (from !== design && from.image !== undefined) return undefined;
  const inner = expressionParts(study.formula, study.codebook, from.variables);
  if (from === design && inner.parts.length + inner.tooLong.length === 0) return undefined;
  return {
    ...inner,
    layout: from === design ? layout : originalLayout(from),
    terms: from.terms,
    evaluate(block, rows, indexOf) {
      const columns = from.variables.map((_, place) =>
        Float64Array.from({ length: rows }, (_, r) => block.columns[place][indexOf(r)]),
      );
      const origin = { file: 'the rows', rowOf: (r: number) => r };
      const values = from.columns.map(() => new Float64Array(rows));
      const noLow = from.columns.map(() => undefined);
      from.evaluate({ rows, columns }, origin, values, noLow);
      const cursor = { columns, origin, row: 0 };
      const parts = inner.parts.map(({ evaluate }) =>
        Float64Array.from({ length: rows }, (_, r) => {
          cursor.row = r;
          return evaluate(cursor).hi;
        }),
      );
      const constant = from.intercept ? [] : [new Float64Array(rows).fill(1)];
      return [...constant, ...values, ...parts];
    },
  };
}

/** Gathers facts about the formula's own columns and the parts of its expressions. */
export interface OriginalFacts {
  /** Rows of a block as the reduction takes it; `indexOf` gives their indices in the block. */
  add(block: Block, rows: number, indexOf: (r: number) => number): void;
  finish(): RowFacts;
}

/** Undefined where the rules need no more than the statistic's columns. */
export function originalFacts(regression: Regression): OriginalFacts | undefined {
  const original = originalColumns(regression);
  if (original === undefined) return undefined;
  const { layout, terms, parts, evaluate } = original;
  const facts: FactsCollector = factsCollector(layout, terms, parts);
  return {
    add: (block, rows, indexOf) => facts.add(rows, evaluate(block, rows, indexOf)),
    finish: () => facts.finish(),
  };
}

/** The layout of the formula's own columns, for the rules. */
function originalLayout(from: Design): LinearLayout {
  return crossProductLayout(from, { arithmetic: 'exact', grid: 44, largestWeight: null });
}
