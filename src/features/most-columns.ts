import { type Formula, FormulaError } from '../study/formula.ts';
import type { ExpandedFormula } from '../study/formula-terms.ts';
import { grouped } from '../text/number-text.ts';
import { type Coding, type ColumnsOf, columnCounts } from './terms.ts';

/** Most columns of a model. The sums of as many take a gigabyte at each site. */
const MOST_COLUMNS = 12_000;

/** Refuses a formula with too many columns before any of them is made; `responses` counts those of the left side. */
export function refuseTooWide(
  formula: Formula,
  expanded: ExpandedFormula,
  columnsOf: ColumnsOf,
  responses: number,
  coding?: Coding,
): void {
  const counts = columnCounts(expanded, columnsOf, coding);
  const all = counts.reduce((sum, count) => sum + count, responses + (expanded.intercept ? 1 : 0));
  if (all <= MOST_COLUMNS) return;
  const widest = Math.max(...counts, responses);
  const { label } = expanded.terms[counts.indexOf(widest)] ?? { label: expanded.responseLabel };
  throw new FormulaError(
    `the formula gives ${grouped(all)} columns; at most ${grouped(MOST_COLUMNS)} are possible`,
    formula.text,
    formula.right.position,
    `leave out ${label}, which has ${grouped(widest)} of them, or merge rare levels in the codebook`,
  );
}
