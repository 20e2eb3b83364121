import type { DdArray } from '../numeric/dd-matrix.ts';
import { type DoubleDouble, dd } from '../numeric/double-double.ts';

/**
 * Vectors of integers modulo 2^(32·words), each entry `words` little-endian 32-bit words in
 * two's complement. Entry-wise addition is a commutative group: (a + b) − b = a, and a sum does
 * not depend on order or grouping.
 */
export type RingVector = Uint32Array;

function sameShape(a: RingVector, b: RingVector, words: number): void {
  if (a.length !== b.length || a.length % words !== 0) {
    throw new RangeError(`ring vectors must have one shape: ${a.length} and ${b.length} words`);
  }
}

/** target ← target + b. */
export function ringAddInto(target: RingVector, b: RingVector, words: number): void {
  sameShape(target, b, words);
  if (words === 4) {
    addWide(target, b);
    return;
  }
  for (let i = 0; i < target.length; i += words) {
    let carry = 0;
    for (let k = i; k < i + words; k++) {
      // Carry out of 32 bits: both top bits set, or either and not the sum's (all in int32, no doubles).
      const x = target[k] | 0;
      const y = b[k] | 0;
      const sum = (x + y + carry) | 0;
      target[k] = sum;
      carry = ((x & y) | ((x | y) & ~sum)) >>> 31;
    }
  }
}

/** The same for entries of 128 bits, without a loop over their words. */
function addWide(target: RingVector, b: RingVector): void {
  const length = target.length & ~3;
  for (let i = 0; i < length; i += 4) {
    let x = target[i] | 0;
    let y = b[i] | 0;
    let sum = (x + y) | 0;
    target[i] = sum;
    let carry = ((x & y) | ((x | y) & ~sum)) >>> 31;
    x = target[i + 1] | 0;
    y = b[i + 1] | 0;
    sum = (x + y + carry) | 0;
    target[i + 1] = sum;
    carry = ((x & y) | ((x | y) & ~sum)) >>> 31;
    x = target[i + 2] | 0;
    y = b[i + 2] | 0;
    sum = (x + y + carry) | 0;
    target[i + 2] = sum;
    carry = ((x & y) | ((x | y) & ~sum)) >>> 31;
    target[i + 3] = (target[i + 3] + b[i + 3] + carry) | 0;
  }
}

/** target ← target − b. */
export function ringSubtractFrom(target: RingVector, b: RingVector, words: number): void {
  sameShape(target, b, words);
  for (let i = 0; i < target.length; i += words) {
    let borrow = 0;
    for (let k = i; k < i + words; k++) {
      const x = target[k] | 0;
      const y = b[k] | 0;
      const difference = (x - y - borrow) | 0;
      target[k] = difference;
      borrow = ((~x & y) | (~(x ^ y) & difference)) >>> 31;
    }
  }
}

/** The entry as a signed integer. */
export function ringEntry(vector: RingVector, words: number, index: number): bigint {
  let value = BigInt(vector[index * words + words - 1] | 0);
  for (let k = words - 2; k >= 0; k--) {
    value = (value << 32n) | BigInt(vector[index * words + k]);
  }
  return value;
}

/** Writes a signed integer, reduced modulo 2^(32·words). */
export function setRingEntry(
  vector: RingVector,
  words: number,
  index: number,
  value: bigint,
): void {
  let rest = value;
  for (let k = 0; k < words; k++) {
    vector[index * words + k] = Number(rest & 0xffffffffn);
    rest >>= 32n;
  }
}

/** Where one entry is converted; arrays of its own for each would be most of its time. */
const one = { hi: new Float64Array(1), lo: new Float64Array(1) };

/** The entry divided by 2^fractionBits, rounded to 106 bits. */
export function ringDoubleDouble(
  vector: RingVector,
  words: number,
  index: number,
  fractionBits: number,
): DoubleDouble {
  ringDoubleDoubles(vector, words, index, 1, fractionBits, one, 0);
  return dd(one.hi[0], one.lo[0]);
}

/** Entries `first` to `first + count − 1` divided by 2^fractionBits, each rounded to 106 bits, written to target from `at` on. */
export function ringDoubleDoubles(
  vector: RingVector,
  words: number,
  first: number,
  count: number,
  fractionBits: number,
  target: DdArray,
  at: number,
): void {
  const unit = 2 ** -fractionBits;
  for (let entry = 0; entry < count; entry++) {
    const start = (first + entry) * words;
    const top = vector[start + 3] | 0;
    if (words === 3 || (words === 4 && top >= -512 && top < 512)) {
      // 105 bits or fewer: every sum here is exact, and the last one rounds once.
      const upper =
        words === 3
          ? (vector[start + 2] | 0) * (unit * 2 ** 64)
          : top * (unit * 2 ** 96) + vector[start + 2] * (unit * 2 ** 64);
      const middle = vector[start + 1] * (unit * 2 ** 32);
      const sum = upper + middle;
      const rest = middle - (sum - upper) + vector[start] * unit;
      const high = sum + rest;
      target.hi[at + entry] = high;
      target.lo[at + entry] = rest - (high - sum);
      continue;
    }
    const negative = vector[start + words - 1] >= 0x80000000;
    let carry = 1;
    let weight = unit;
    let hi = 0;
    let lo = 0;
    for (let k = start; k < start + words; k++) {
      let word = vector[k];
      if (negative) {
        word = (~word >>> 0) + carry;
        carry = word > 0xffffffff ? 1 : 0;
        word = word >>> 0;
      }
      if (word !== 0) {
        // ddAdd(dd(hi, lo), dd(word · weight)), without objects.
        const term = word * weight;
        const sum = hi + term;
        const z = sum - hi;
        const rest = hi - (sum - z) + (term - z) + lo;
        const high = sum + rest;
        const low = rest - (high - sum);
        hi = high + low;
        lo = low - (hi - high);
      }
      weight *= 4294967296;
    }
    target.hi[at + entry] = negative ? -hi : hi;
    target.lo[at + entry] = negative ? -lo : lo;
  }
}
