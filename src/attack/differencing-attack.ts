import type { WordSource } from '../random/words.ts';
import { type LinearStatistic, rowCount, statistics } from '../statistic/statistic.ts';
import { cellColumns, modelColumns, pickRows, summaryOf, type Target } from './site-rows.ts';
import { framedProduct } from './two-valued.ts';

/** What two statistics, one of all rows and one of all but one, tell of that row. */
export interface Differencing {
  /** Rows left out, one at a time: their places among the rows. */
  readonly rows: readonly number[];
  /** Cells a row has, and those of all left-out rows that came out exactly. */
  readonly cellsPerRow: number;
  readonly exact: number;
}

/** Rows left out at most. */
const MOST_LEFT_OUT = 5;
/** Steps of the grid that a cell may be off; 2⁻⁴⁴ of its scale each. */
const STEPS = 2;

/**
 * Subtracts the statistic of all rows but one from that of all: what is left is u uᵀ of the one, whose first line is the row itself,
 * because every row begins with 1. The result is compared with the file cell by cell.
 */
export function differencingAttack(target: Target, words: WordSource): Differencing {
  const { block, layout } = target;
  const { statistic } = summaryOf(target, block);
  const chosen = new Set<number>();
  while (chosen.size < Math.min(MOST_LEFT_OUT, block.rows)) chosen.add(words() % block.rows);
  const rows = [...chosen].sort((a, b) => a - b);
  const cells = cellColumns(target);
  const truth = modelColumns(target, pickRows(block, rows));
  let exact = 0;
  rows.forEach((row, k) => {
    const others = Array.from({ length: block.rows - 1 }, (_, r) => (r < row ? r : r + 1));
    const without = summaryOf(target, pickRows(block, others)).statistic;
    const recovered = lonelyRow(statistics(layout).subtract(statistic, without));
    if (recovered === undefined) return;
    const agrees = (column: number) =>
      Math.abs(recovered[column] - truth[column][k]) <=
      STEPS * 2 ** -layout.grid * layout.references[column].scale;
    exact += cells.filter(({ columns }) => columns.every(agrees)).length;
  });
  return { rows, cellsPerRow: cells.length, exact };
}

/** The row z that a statistic of one row is made of; undefined where it is of none, or of more. */
export function lonelyRow(statistic: LinearStatistic): Float64Array | undefined {
  if (rowCount(statistic) !== 1) return undefined;
  const { references } = statistic.layout;
  return Float64Array.from(
    references,
    ({ center, scale }, i) => center + scale * framedProduct(statistic, 0, i),
  );
}
