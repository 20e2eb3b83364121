import { defined } from '../defined.ts';
import type { PartTraits } from '../features/expression-parts.ts';
import type { Reference } from '../features/reference.ts';
import { columnInKernel } from '../numeric/in-kernel.ts';
import { laneSum } from '../numeric/lane-sum.ts';
import type { Levels } from './level-names.ts';
import { countRows } from './pair-counts.ts';
import type { TwoValues } from './two-values.ts';

/** What the rules need to know about one column, over the rows of a site. */
export interface ColumnFacts {
  readonly name: string;
  /** Whether it is not a column of the statistic but a part, or a baseline: 1 where all indicators of a category are 0. */
  readonly baseline: boolean;
  /** What 1 and 0 mean, if the column indicates a level. */
  readonly levels?: Levels;
  /** If it is not a column of the statistic but a part of an expression in one. */
  readonly part?: PartTraits;
  /** Its distinct values, ascending, if there are at most two; else null. */
  readonly values: readonly number[] | null;
  /** Rows with the larger of two values. */
  readonly high: number;
  readonly whole: boolean;
  /** Smallest and largest value, in the user's units. */
  readonly lowest: number;
  readonly highest: number;
  /** Mean, and sum of squares about it, in units of the reference. */
  readonly mean: number;
  readonly squares: number;
  /** Rows that are not 0; for a product with an indicator, the rows of its level. */
  readonly nonzero: number;
  /** Σ|v| and the two largest |v|. */
  readonly size: number;
  readonly first: number;
  readonly second: number;
}

/** The facts of no rows: the zero of `joinColumns`. */
export function noFacts(
  name: string,
  baseline: boolean,
  levels?: Levels,
  part?: PartTraits,
): ColumnFacts {
  return {
    name,
    baseline,
    ...defined({ levels, part }),
    values: [],
    high: 0,
    whole: true,
    lowest: Number.POSITIVE_INFINITY,
    highest: Number.NEGATIVE_INFINITY,
    mean: 0,
    squares: 0,
    nonzero: 0,
    size: 0,
    first: 0,
    second: 0,
  };
}

/** The facts of a block of a column; `two` are its values if it has at most two. */
export function scanColumn(
  empty: ColumnFacts,
  reference: Reference,
  column: Float64Array,
  rows: number,
  two: TwoValues | null,
): ColumnFacts {
  return {
    ...empty,
    ...(two === null ? scanMany(column, rows, reference) : scanTwo(two, rows, reference)),
  };
}

type Scanned = Omit<ColumnFacts, 'name' | 'baseline' | 'levels' | 'part'>;

function scanTwo({ values, high: bits }: TwoValues, rows: number, reference: Reference): Scanned {
  return fewValuedFacts(values, countRows(bits), rows, reference);
}

/** The facts of a column with one or two values, which follow from the number of rows with the larger of two. */
export function fewValuedFacts(
  values: readonly number[],
  highs: number,
  rows: number,
  { center, scale }: Reference,
): Scanned {
  const [low, high = low] = values;
  const lows = rows - highs;
  const sizes = [
    { size: Math.abs(low), count: lows },
    { size: Math.abs(high), count: highs },
  ]
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.size - a.size);
  return {
    values,
    high: highs,
    whole: values.every(Number.isInteger),
    lowest: low,
    highest: high,
    mean: (low - center + ((high - low) * highs) / rows) / scale,
    squares: (((high - low) / scale) ** 2 * highs * lows) / rows,
    nonzero: sizes.reduce((sum, { size, count }) => sum + (size === 0 ? 0 : count), 0),
    size: sizes.reduce((sum, { size, count }) => sum + size * count, 0),
    first: sizes[0].size,
    second: sizes[0].count > 1 ? sizes[0].size : (sizes[1]?.size ?? 0),
  };
}

function scanMany(column: Float64Array, rows: number, { center, scale }: Reference): Scanned {
  return columnInKernel(column, rows, 9 * 8, (kernels, from, out) => {
    // 1 / scale is exact: a power of two.
    kernels.call.scanNumbers(from, rows, center, 1 / scale, out);
    const found = kernels.numbers();
    const at = out / 8;
    return {
      values: null,
      high: 0,
      whole: found[at + 8] === 1,
      lowest: found[at + 2],
      highest: found[at + 3],
      mean: found[at] / scale,
      squares: found[at + 1],
      nonzero: found[at + 4],
      size: found[at + 5],
      first: found[at + 6],
      second: found[at + 7],
    };
  });
}

/** The facts of a column with more than two values, in plain numbers: the specification of the kernel. */
export function scanManyTwin(column: Float64Array, { center, scale }: Reference): Scanned {
  const middle = laneSum(column.map((value) => value - center)) / column.length;
  const deviations = column.map((value) => (value - center - middle) / scale);
  const sizes = column.map(Math.abs);
  const [first, second = 0] = sizes.toSorted().reverse();
  return {
    values: null,
    high: 0,
    whole: column.every((value) => value === Math.floor(value)),
    lowest: Math.min(...column),
    highest: Math.max(...column),
    mean: middle / scale,
    squares: laneSum(deviations.map((deviation) => deviation * deviation)),
    nonzero: sizes.filter((size) => size > 0).length,
    size: laneSum(sizes),
    first,
    second,
  };
}

/** The facts of two sets of rows together; `rows` counts each. */
export function joinColumns(
  a: ColumnFacts,
  b: ColumnFacts,
  rows: readonly [number, number],
): ColumnFacts {
  if (rows[0] === 0) return b;
  if (rows[1] === 0) return a;
  const values = joinValues(a.values, b.values);
  const all = rows[0] + rows[1];
  const apart = b.mean - a.mean;
  return {
    ...a,
    values,
    high: highRows(a, rows[0], values) + highRows(b, rows[1], values),
    whole: a.whole && b.whole,
    lowest: Math.min(a.lowest, b.lowest),
    highest: Math.max(a.highest, b.highest),
    mean: (a.mean * rows[0] + b.mean * rows[1]) / all,
    squares: a.squares + b.squares + (apart * apart * rows[0] * rows[1]) / all,
    nonzero: a.nonzero + b.nonzero,
    size: a.size + b.size,
    first: Math.max(a.first, b.first),
    second: Math.max(Math.min(a.first, b.first), a.second, b.second),
  };
}

function joinValues(
  a: readonly number[] | null,
  b: readonly number[] | null,
): readonly number[] | null {
  if (a === null || b === null) return null;
  const all = [...new Set([...a, ...b])].sort((x, y) => x - y);
  return all.length > 2 ? null : all;
}

/** How many of a column's `rows` rows have the larger of two values; the column itself may have only one of them. */
export function highRows(
  { values, high }: ColumnFacts,
  rows: number,
  among: readonly number[] | null,
): number {
  if (among?.length !== 2 || values === null || values.length === 0) return 0;
  if (values.length === 2) return high;
  return values[0] === among[1] ? rows : 0;
}
