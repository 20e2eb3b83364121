import { type DoubleDouble, dd } from './double-double.ts';

/** An array of double-doubles, with both halves in separate arrays for simple loops. */
export interface DdArray {
  readonly hi: Float64Array;
  readonly lo: Float64Array;
}

/** A square matrix of double-doubles, row-major. */
export interface DdMatrix extends DdArray {
  readonly width: number;
}

export function ddArray(length: number): DdArray {
  return { hi: new Float64Array(length), lo: new Float64Array(length) };
}

export function ddMatrix(width: number): DdMatrix {
  return { width, ...ddArray(width * width) };
}

export function ddAt(array: DdArray, index: number): DoubleDouble {
  return dd(array.hi[index], array.lo[index]);
}

export function ddSet(array: DdArray, index: number, value: DoubleDouble): void {
  array.hi[index] = value.hi;
  array.lo[index] = value.lo;
}

/** Copies the upper triangle to the lower one. */
export function mirrorUpper({ width, hi, lo }: DdMatrix): void {
  mirrorSquare(hi, width);
  mirrorSquare(lo, width);
}

const MIRRORED = 64;

/** The same for one array, block by block: a column of a wide matrix would miss the cache with every entry. */
export function mirrorSquare(square: Float64Array, width: number): void {
  for (let top = 0; top < width; top += MIRRORED) {
    const bottom = Math.min(width, top + MIRRORED);
    for (let left = top; left < width; left += MIRRORED) {
      const right = Math.min(width, left + MIRRORED);
      for (let i = top; i < bottom; i++) {
        for (let j = Math.max(left, i + 1); j < right; j++) {
          square[j * width + i] = square[i * width + j];
        }
      }
    }
  }
}

const SPLITTER = 134217729; // 2²⁷ + 1

/**
 * Σ a[i]·b[i] over two ranges of double-doubles. Products use Dekker's method, sums Knuth's; the low
 * halves are added in one double (Ogita, Rump & Oishi 2005, Dot2).
 */
export function ddDot(
  a: DdArray,
  aStart: number,
  b: DdArray,
  bStart: number,
  length: number,
): DoubleDouble {
  const ah = a.hi;
  const al = a.lo;
  const bh = b.hi;
  const bl = b.lo;
  let high = 0;
  let low = 0;
  for (let k = 0; k < length; k++) {
    const x = ah[aStart + k];
    const y = bh[bStart + k];
    const product = x * y;
    const tx = SPLITTER * x;
    const xh = tx - (tx - x);
    const xl = x - xh;
    const ty = SPLITTER * y;
    const yh = ty - (ty - y);
    const yl = y - yh;
    const error = xl * yl - (product - xh * yh - xl * yh - xh * yl);
    const sum = high + product;
    const z = sum - high;
    low += high - (sum - z) + (product - z) + (error + (x * bl[bStart + k] + al[aStart + k] * y));
    high = sum;
  }
  const hi = high + low;
  return dd(hi, low - (hi - high));
}

/** target += factor·v over columns from … to − 1 of two rows, in double-double, without objects in the loop. */
export function addMultiple(
  target: DdArray,
  targetRow: number,
  factor: DoubleDouble,
  v: DdArray,
  vRow: number,
  from: number,
  to: number,
): void {
  const { hi: x, lo: xLow } = factor;
  const tx = SPLITTER * x;
  const xh = tx - (tx - x);
  const xl = x - xh;
  for (let j = from; j < to; j++) {
    const y = v.hi[vRow + j];
    const product = x * y;
    const ty = SPLITTER * y;
    const yh = ty - (ty - y);
    const yl = y - yh;
    const productLow =
      xl * yl - (product - xh * yh - xl * yh - xh * yl) + (x * v.lo[vRow + j] + xLow * y);
    const high = target.hi[targetRow + j];
    const sum = high + product;
    const z = sum - high;
    const low = high - (sum - z) + (product - z) + (target.lo[targetRow + j] + productLow);
    const rounded = sum + low;
    target.hi[targetRow + j] = rounded;
    target.lo[targetRow + j] = low - (rounded - sum);
  }
}
