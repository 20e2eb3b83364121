import type { Target } from '../../src/attack/site-rows.ts';
import { createDesign } from '../../src/features/design.ts';
import { crossProductLayout } from '../../src/statistic/cross-product.ts';
import { parseFormula } from '../../src/study/formula.ts';
import { type Table, tableOf } from '../tables.ts';

/** The rows of a table as what an attack on the plain statistic of a formula is judged by. */
export function targetOf({ rows, codebook, cells }: Table, formula: string): Target {
  const design = createDesign(parseFormula(formula), codebook);
  const options = { arithmetic: 'exact', grid: 44, largestWeight: null } as const;
  return {
    design,
    layout: crossProductLayout(design, options),
    codebook,
    block: { rows, columns: design.variables.map((name) => cells[name]) },
    file: 'site.csv',
  };
}

/** Columns q1, q2, … of rows of bits. */
export function bitTable(rows: readonly ArrayLike<number>[]): Table {
  const columns = Object.fromEntries(
    Array.from(rows[0], (_, j) => [`q${j + 1}`, rows.map((row) => row[j])] as const),
  );
  return tableOf(columns);
}
