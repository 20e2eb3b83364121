import type { RowSpace } from './row-space.ts';

/** Progress of an enumeration: patterns tried so far, and in all. */
export type PatternProgress = (tried: number, patterns: number) => void;

/** How far rounding may move a bit from 0 or 1. */
const BIT_NOISE = 1e-6;
/** Columns that are updated for each pattern; the others are computed only if these are all 0 or 1. */
const FOLLOWED = 4;
/** Patterns until all sums are computed anew, so that rounding errors do not accumulate. */
const STRETCH = 2 ** 16;

/**
 * All rows of bits in a row space that begin with 1: the pivots take every pattern in Gray's order, one bit changing at a
 * time, and determine the rest. Returns undefined as soon as there are more than `most`.
 */
export function binaryCandidates(
  { pivots, echelon }: RowSpace,
  width: number,
  possible: (bits: Uint8Array) => boolean,
  most: number,
  progress: PatternProgress,
): Uint8Array[] | undefined {
  const free = echelon.slice(1);
  const patterns = 2 ** free.length;
  const followed = telling({ pivots, echelon }, width);
  const steps = followed.map((j) => Float64Array.from(free, (row) => row[j]));
  const bits = new Uint8Array(width);
  const found: Uint8Array[] = [];

  const valueAt = (gray: number, j: number): number => {
    let sum = echelon[0][j];
    for (let k = 0; k < free.length; k++) if ((gray >>> k) & 1) sum += free[k][j];
    return sum;
  };
  const isRow = (gray: number): boolean => {
    for (let j = 0; j < width; j++) {
      const value = valueAt(gray, j);
      if (!isBit(value)) return false;
      bits[j] = Math.round(value);
    }
    return possible(bits);
  };

  const [e0, e1, e2, e3] = steps;
  for (let from = 0; from < patterns; from += STRETCH) {
    progress(from, patterns);
    const to = Math.min(patterns, from + STRETCH);
    let gray = from ^ (from >>> 1);
    let [s0, s1, s2, s3] = followed.map((j) => valueAt(gray, j));
    for (let index = from; ; ) {
      if (isBit(s0) && isBit(s1) && isBit(s2) && isBit(s3) && isRow(gray)) {
        if (found.length === most) return undefined;
        found.push(bits.slice());
      }
      if (++index === to) break;
      const k = 31 - Math.clz32(index & -index);
      gray ^= 1 << k;
      const sign = (gray >>> k) & 1 ? 1 : -1;
      s0 += sign * e0[k];
      s1 += sign * e1[k];
      s2 += sign * e2[k];
      s3 += sign * e3[k];
    }
  }
  return found;
}

function isBit(value: number): boolean {
  return Math.abs(value) < BIT_NOISE || Math.abs(value - 1) < BIT_NOISE;
}

/** The columns that exclude most patterns: those with many entries far from whole numbers. */
function telling({ echelon, pivots }: RowSpace, width: number): number[] {
  const spread = (j: number) => echelon.reduce((sum, row) => sum + Math.abs(row[j]), 0);
  const dependent = Array.from({ length: width }, (_, j) => j).filter((j) => !pivots.includes(j));
  const ordered = dependent.sort((i, j) => spread(j) - spread(i));
  return Array.from({ length: FOLLOWED }, (_, k) => ordered[k] ?? ordered[0] ?? 0);
}
