import { wordsOf } from '../statistic/layout.ts';
import { fractionBitsOf, packedIndex } from '../statistic/linear-layout.ts';
import { ringDoubleDouble } from '../statistic/ring.ts';
import { type LinearStatistic, rowCount } from '../statistic/statistic.ts';
import type { CellColumns, Target } from './site-rows.ts';

/** A column of z with exactly two values in all rows, as found from the statistic alone. */
export interface TwoValued {
  /** Index into z. */
  readonly column: number;
  readonly low: number;
  readonly high: number;
}

/** Σ u_i u_j of a statistic, u = (z − center) / scale. */
export function framedProduct({ layout, values }: LinearStatistic, i: number, j: number): number {
  const index = packedIndex(layout.columns.length, i, j);
  return ringDoubleDouble(values, wordsOf(layout), index, fractionBitsOf(layout)).hi;
}

/**
 * Finds the columns with two values: if all cells lie between low and high and Σ (z − low)(high − z) = 0, every cell is one
 * of the two. The range is in the codebook; 0 and 1, or 1 and 2, are an attacker's first guess.
 */
export function twoValuedColumns(
  statistic: LinearStatistic,
  cells: readonly CellColumns[],
  codebook: Target['codebook'],
): TwoValued[] {
  const rows = rowCount(statistic);
  return cells.flatMap(({ name, columns }) => {
    const column = codebook[name.replaceAll('`', '')];
    const stated = column?.type === 'number' && column.range !== undefined ? [column.range] : [];
    return columns.flatMap((at): TwoValued[] => {
      const found = [...stated, ...guesses].find(([low, high]) => {
        if (low === high) return false;
        const [sum, squares] = inBits(statistic, { column: at, low, high });
        return Math.abs(sum - squares) <= rows * GRID_NOISE;
      });
      return found === undefined ? [] : [{ column: at, low: found[0], high: found[1] }];
    });
  });
}

const guesses = [
  [0, 1],
  [1, 2],
] as const;
/** Upper bound of (z − low)(high − z) from truncating a cell to the grid, with a margin. */
const GRID_NOISE = 2 ** -34;

/** Σ b and Σ b² of a column in bits b = (z − low) / (high − low). */
function inBits(statistic: LinearStatistic, column: TwoValued): [number, number] {
  const [shift, slope] = bitFrame(statistic, column);
  const rows = rowCount(statistic);
  const sum = framedProduct(statistic, 0, column.column);
  const squares = framedProduct(statistic, column.column, column.column);
  return [
    shift * rows + slope * sum,
    shift * shift * rows + 2 * shift * slope * sum + slope * slope * squares,
  ];
}

function bitFrame({ layout }: LinearStatistic, { column, low, high }: TwoValued): [number, number] {
  const { center, scale } = layout.references[column];
  return [(center - low) / (high - low), scale / (high - low)];
}

/**
 * Σ b bᵀ over rows b = (1, bit, bit, …) of the two-valued columns, full and row-major: whole numbers, each the count of
 * rows in which two bits are both set.
 */
export function bitCounts(statistic: LinearStatistic, columns: readonly TwoValued[]): Float64Array {
  const frames: readonly [number, number][] = [
    [0, 1],
    ...columns.map((column) => bitFrame(statistic, column)),
  ];
  const at = [0, ...columns.map(({ column }) => column)];
  const width = at.length;
  const rows = rowCount(statistic);
  const sums = at.map((column) => framedProduct(statistic, 0, column));
  const counts = new Float64Array(width * width);
  for (let i = 0; i < width; i++) {
    for (let j = i; j < width; j++) {
      const [a, slopeA] = frames[i];
      const [b, slopeB] = frames[j];
      const product = framedProduct(statistic, at[i], at[j]);
      const count =
        a * b * rows + a * slopeB * sums[j] + b * slopeA * sums[i] + slopeA * slopeB * product;
      counts[i * width + j] = Math.round(count);
      counts[j * width + i] = Math.round(count);
    }
  }
  return counts;
}
