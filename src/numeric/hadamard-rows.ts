import type { RowProjector } from './project-rows.ts';
import { intoUnits, passRows, timesInto } from './signed-sum-rows.ts';

/** The smallest power of two not below a number of columns. */
export function hadamardSize(columns: number): number {
  return 2 ** Math.ceil(Math.log2(columns));
}

/** Entry (i, j) of Sylvester's Hadamard matrix: 1 if i and j have an even number of binary ones in common, else −1. */
export function hadamardEntry(i: number, j: number): 1 | -1 {
  let common = i & j;
  let sign: 1 | -1 = 1;
  for (; common !== 0; common &= common - 1) sign = sign === 1 ? -1 : 1;
  return sign;
}

/**
 * target[j][r] = size · Σᵢ H(i, chosen[j]) · signs[i] · (columns[i][r] − center) / scale, by the fast transform: d·log d sums in
 * place of d for each of its columns. Sums are those of the butterflies, the product comes last.
 */
export function hadamardRows(
  signs: readonly number[],
  chosen: readonly number[],
  size: number,
): RowProjector {
  const inner = hadamardSize(signs.length);
  const pass = passRows(inner);
  const work = Array.from({ length: inner }, () => new Float64Array(pass));
  return (columns, rows, target) => {
    for (let first = 0; first < rows; first += pass) {
      const count = Math.min(pass, rows - first);
      for (const [i, values] of work.entries()) {
        const column = columns[i];
        if (column === undefined) values.fill(0);
        else intoUnits({ ...column, scale: signs[i] * column.scale }, first, count, values);
      }
      transform(work, count);
      chosen.forEach((column, j) => {
        timesInto(target[j], work[column], size, first, count);
      });
    }
  };
}

/** The Walsh–Hadamard transform of each of the first `count` rows, in place. */
function transform(columns: readonly Float64Array[], count: number): void {
  for (let half = 1; half < columns.length; half *= 2) {
    for (let i = 0; i < columns.length; i++) {
      if ((i & half) === 0) butterfly(columns[i], columns[i + half], count);
    }
  }
}

function butterfly(upper: Float64Array, lower: Float64Array, count: number): void {
  for (let r = 0; r < count; r++) {
    const a = upper[r];
    const b = lower[r];
    upper[r] = a + b;
    lower[r] = a - b;
  }
}
