import type { RowBits } from './pair-counts.ts';

/** The one or two distinct values of a column, ascending, and the rows with the larger of two. */
export interface TwoValues {
  readonly values: readonly number[];
  readonly high: RowBits;
}

const SOON = 16;

/**
 * The values of a column that has at most two; null if it has more. The loop has no branch that a processor cannot predict:
 * one bit of the pattern distinguishes the two values.
 */
export function twoValues(column: Float64Array, rows: number): TwoValues | null {
  const a = column[0] + 0; // −0 is 0
  let other = 1;
  while (other < rows && column[other] === a) other++;
  const b = other < rows ? column[other] + 0 : a;
  // Most columns of many values have a third one soon.
  for (let r = other + 1; r < Math.min(rows, other + SOON); r++) {
    if (column[r] !== a && column[r] !== b) return null;
  }
  const high = new Uint32Array(Math.ceil(rows / 32));
  if (other >= rows) return { values: [a], high };
  const patterns = new Uint32Array(column.buffer, column.byteOffset, 2 * rows);
  const { half, shift, larger } = tellingBit(a, b);
  for (let r = 0; r < rows; r++) {
    const value = column[r];
    if (Math.min(Math.abs(value - a), Math.abs(value - b)) !== 0) return null;
    high[r >>> 5] |= (((patterns[2 * r + half] >>> shift) & 1) ^ larger) << (r & 31);
  }
  return { values: a < b ? [a, b] : [b, a], high };
}

/** A bit in which two numbers differ (the sign if no other does), and the mask that makes it 1 for the larger number. */
function tellingBit(a: number, b: number) {
  const [low, high] = [new Uint32Array(2), new Uint32Array(2)];
  new Float64Array(low.buffer)[0] = Math.min(a, b);
  new Float64Array(high.buffer)[0] = Math.max(a, b);
  for (const half of [0, 1]) {
    const apart = (low[half] ^ high[half]) >>> 0;
    if (apart === 0) continue;
    // The lowest such bit: zero has two signs.
    const shift = 31 - Math.clz32(apart & -apart);
    return { half, shift, larger: 1 ^ ((high[half] >>> shift) & 1) };
  }
  throw new RangeError('the two values are one');
}
