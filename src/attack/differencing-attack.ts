import type { WordSource } from '../random/words.ts';
import { type LinearStatistic, rowCount, statistics } from '../statistic/statistic.ts';
import { cellColumns, modelColumns, pickRows, summaryOf, type Target } from './site-rows.ts';
import { framedProduct } from './two-valued.ts';

/** What the difference of two statistics, with and without one row, reveals about that row. */
export interface Differencing {
  /** Rows left out, one at a time: their indices among the rows. */
  readonly rows: readonly number[];
  /** Cells of a row, and cells of all left-out rows that were recovered exactly. */
  readonly cellsPerRow: number;
  readonly exact: number;
}

/** Most rows left out. */
const MOST_LEFT_OUT = 5;
/** Steps of the grid by which a recovered cell may be wrong; a step is 2⁻⁴⁴ of its scale. */
const STEPS = 2;

/**
 * Subtracts the statistic of all rows but one from that of all rows. The difference is u uᵀ of that row; its first line is
 * the row itself, because every row begins with 1. The result is compared with the file cell by cell.
 */
export function differencingAttack(target: Target, random: WordSource): Differencing {
  const { block, layout } = target;
  const { statistic } = summaryOf(target, block);
  const chosen = new Set<number>();
  while (chosen.size < Math.min(MOST_LEFT_OUT, block.rows)) chosen.add(random() % block.rows);
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

/** The row z behind a statistic of one row; undefined if it has no row or several. */
export function lonelyRow(statistic: LinearStatistic): Float64Array | undefined {
  if (rowCount(statistic) !== 1) return undefined;
  const { references } = statistic.layout;
  return Float64Array.from(
    references,
    ({ center, scale }, i) => center + scale * framedProduct(statistic, 0, i),
  );
}
