import { type RingColumn, ringRows } from './ring-column.ts';

/** Bits of a limb. Products of two have 42 bits; sums of 256 rows and of up to 8 pairs of limbs stay below 2⁵³. */
const LIMB_BITS = 21;
const LIMB_MASK = 2 ** LIMB_BITS - 1;
const BLOCK_ROWS = 256;
const MOST_BYTES = 20;
const HALF = 2 ** 26;

/**
 * Σ a·b over rows for every pair of a column of `left` and one of `right`, modulo 2^(8·widthOf(i, j)). Row-major. Exact: every float64
 * sum below is a whole number under 2⁵³.
 */
export function ringProducts(
  left: readonly RingColumn[],
  right: readonly RingColumn[],
  widthOf: (i: number, j: number) => number,
): bigint[] {
  const rows = ringRows(left[0] ?? right[0]);
  const limbsAt = left.map((_, i) => right.map((_, j) => limbsIn(widthOf(i, j))));
  const most = Math.max(1, ...limbsAt.flat());
  const sums = left.map(() => right.map(() => new Float64Array(2 * most)));
  const a = left.map((column) => planes(column));
  const b = right.map((column) => planes(column));
  for (let from = 0; from < rows; from += BLOCK_ROWS) {
    const count = Math.min(BLOCK_ROWS, rows - from);
    left.forEach((column, i) => {
      unpack(column, from, count, a[i]);
    });
    right.forEach((column, j) => {
      unpack(column, from, count, b[j]);
    });
    for (let i = 0; i < left.length; i++) {
      for (let j = 0; j < right.length; j++) {
        addBlock(a[i], b[j], count, limbsAt[i][j], sums[i][j]);
      }
    }
  }
  return left.flatMap((_, i) =>
    right.map((_, j) => {
      let value = 0n;
      const found = sums[i][j];
      for (let s = 0; s < limbsAt[i][j]; s++) {
        const sum = BigInt(found[2 * s]) + (BigInt(found[2 * s + 1]) << 26n);
        value += sum << BigInt(LIMB_BITS * s);
      }
      return BigInt.asUintN(8 * widthOf(i, j), value);
    }),
  );
}

/** Limbs that a modulus of this many bytes needs. */
function limbsIn(width: number): number {
  if (width > MOST_BYTES) throw new RangeError(`a ring has at most ${MOST_BYTES} bytes`);
  return Math.ceil((8 * width) / LIMB_BITS);
}

function planes({ width }: RingColumn): Float64Array[] {
  return Array.from({ length: limbsIn(width) }, () => new Float64Array(BLOCK_ROWS));
}

/** Cuts the entries of a block into limbs. */
function unpack(
  { width, bytes }: RingColumn,
  from: number,
  count: number,
  limbs: readonly Float64Array[],
): void {
  for (let p = 0; p < limbs.length; p++) {
    const limb = limbs[p];
    const first = (LIMB_BITS * p) >> 3;
    const shift = (LIMB_BITS * p) & 7;
    const two = first + 1 < width;
    const three = first + 2 < width;
    const four = first + 3 < width;
    for (let r = 0, at = from * width + first; r < count; r++, at += width) {
      let word = bytes[at];
      if (two) word |= bytes[at + 1] << 8;
      if (three) word |= bytes[at + 2] << 16;
      if (four) word |= bytes[at + 3] << 24;
      limb[r] = (word >>> shift) & LIMB_MASK;
    }
  }
}

/** Adds the products of a block, by the sum of the places of their limbs; higher places leave the ring. */
function addBlock(
  a: readonly Float64Array[],
  b: readonly Float64Array[],
  count: number,
  limbs: number,
  sums: Float64Array,
): void {
  for (let s = 0; s < limbs; s++) {
    let sum = 0;
    for (let p = Math.max(0, s - b.length + 1); p <= s && p < a.length; p++) {
      sum += dot(a[p], b[s - p], count);
    }
    const high = Math.floor(sum / HALF);
    sums[2 * s] += sum - high * HALF;
    sums[2 * s + 1] += high;
  }
}

function dot(a: Float64Array, b: Float64Array, count: number): number {
  let even = 0;
  let odd = 0;
  let r = 0;
  for (; r + 1 < count; r += 2) {
    even += a[r] * b[r];
    odd += a[r + 1] * b[r + 1];
  }
  if (r < count) even += a[r] * b[r];
  return even + odd;
}
