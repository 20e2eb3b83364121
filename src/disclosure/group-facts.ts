import type { ColumnFacts } from './column-facts.ts';
import { eachRow, isAt, otherRows, type RowBits } from './pair-counts.ts';

/** Numbers for each pair: Σ|c|, the largest and the second largest |c|, for the larger value of j and for the smaller. */
export const GROUP_NUMBERS = 6;

/** A group's Σ|c| and its two largest |c|. */
export interface GroupFacts {
  readonly size: number;
  readonly first: number;
  readonly second: number;
}

/** The rows of a block where a two-valued column has its larger value, and their number. */
export interface Split {
  readonly bits: RowBits;
  readonly high: number;
}

/** A many-valued column of a block. */
export interface Magnitudes {
  readonly column: Float64Array;
  readonly facts: ColumnFacts;
}

/**
 * For each split j and each column c, the numbers of both groups of c's rows, c varying fastest. Sorting each column would
 * cost more than the rest: only the few largest rows are sorted, and only a group with fewer than two of them is searched in full.
 */
export function groupFacts(
  splits: readonly Split[],
  columns: readonly Magnitudes[],
  rows: number,
): Float64Array {
  const numbers = new Float64Array(GROUP_NUMBERS * splits.length * columns.length);
  if (numbers.length === 0) return numbers;
  const sizes = new Float64Array(Math.ceil(rows / 32) * 32);
  const sums = new Float64Array(sizes.length * 4);
  const others = splits.map(({ bits }) => otherRows(bits, rows));
  columns.forEach(({ column, facts }, c) => {
    for (let r = 0; r < rows; r++) sizes[r] = Math.abs(column[r]);
    const largest = largestRows(sizes, rows);
    sumFours(sizes, sums);
    splits.forEach(({ bits, high }, j) => {
      const at = GROUP_NUMBERS * (j * columns.length + c);
      const sum = sumOver(bits, sums);
      topTwo(numbers, at, bits, high, sizes, largest);
      topTwo(numbers, at + 3, others[j], rows - high, sizes, largest);
      numbers[at] = sum;
      numbers[at + 3] = Math.max(facts.size - sum, numbers[at + 4] + numbers[at + 5]);
    });
  });
  return numbers;
}

/** Sums over all sixteen subsets of every four sizes, so that a set of rows can be summed four rows at a time. */
function sumFours(sizes: Float64Array, sums: Float64Array): void {
  for (let r = 0; r < sizes.length; r++) {
    const from = 16 * (r >> 2);
    const half = 1 << (r & 3);
    for (let subset = 0; subset < half; subset++) {
      sums[from + half + subset] = sums[from + subset] + sizes[r];
    }
  }
}

function sumOver(bits: RowBits, sums: Float64Array): number {
  let a = 0;
  let b = 0;
  for (let k = 0; k < bits.length; k++) {
    const word = bits[k];
    const at = 128 * k;
    a += sums[at + (word & 15)] + sums[at + 16 + ((word >>> 4) & 15)];
    b += sums[at + 32 + ((word >>> 8) & 15)] + sums[at + 48 + ((word >>> 12) & 15)];
    a += sums[at + 64 + ((word >>> 16) & 15)] + sums[at + 80 + ((word >>> 20) & 15)];
    b += sums[at + 96 + ((word >>> 24) & 15)] + sums[at + 112 + (word >>> 28)];
  }
  return a + b;
}

const LOOKED_AT = 32;

/** The rows of the largest sizes, in order. */
function largestRows(sizes: Float64Array, rows: number): Int32Array {
  const order = new Int32Array(Math.min(LOOKED_AT, rows));
  let count = 0;
  for (let r = 0; r < rows; r++) {
    const size = sizes[r];
    if (count === order.length && size <= sizes[order[count - 1]]) continue;
    let k = count < order.length ? count++ : count - 1;
    for (; k > 0 && sizes[order[k - 1]] < size; k--) order[k] = order[k - 1];
    order[k] = r;
  }
  return order;
}

/** Writes the two largest sizes of a group after `at`. */
function topTwo(
  numbers: Float64Array,
  at: number,
  group: RowBits,
  count: number,
  sizes: Float64Array,
  largest: Int32Array,
): void {
  let found = 0;
  for (let k = 0; k < largest.length && found < 2; k++) {
    if (isAt(group, largest[k])) numbers[at + 1 + found++] = sizes[largest[k]];
  }
  if (found === 2 || found === count) return;
  let first = 0;
  let second = 0;
  eachRow(group, (r) => {
    const size = sizes[r];
    if (size <= second) return;
    second = Math.min(first, size);
    first = Math.max(first, size);
  });
  numbers[at + 1] = first;
  numbers[at + 2] = second;
}
