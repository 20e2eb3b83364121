import type { RowProjector, ScaledColumn } from './project-rows.ts';

/** Numbers of a pass over rows: 256 KiB. */
const PASS_VALUES = 2 ** 15;
const MOST_ROWS = 256;

/** A sum of some columns, each added or subtracted, in order. */
export type SignedSum = readonly { readonly column: number; readonly sign: 1 | -1 }[];

/**
 * target[j][r] = size · Σ ±(columns[i][r] − center) / scale over the columns of sum j. Every sum starts at 0 and goes in order;
 * the product comes last. So a sum of whole numbers is rounded once, and only then.
 */
export function signedSumRows(sums: readonly SignedSum[], size: number): RowProjector {
  let scaled: Float64Array[] = [];
  return (columns, rows, target) => {
    const pass = passRows(columns.length);
    if (scaled.length !== columns.length) scaled = columns.map(() => new Float64Array(pass));
    const sum = new Float64Array(pass);
    for (let first = 0; first < rows; first += pass) {
      const count = Math.min(pass, rows - first);
      columns.forEach((column, i) => {
        intoUnits(column, first, count, scaled[i]);
      });
      sums.forEach((terms, j) => {
        sum.fill(0);
        for (const { column, sign } of terms) {
          if (sign === 1) addTo(sum, scaled[column], count);
          else subtractFrom(sum, scaled[column], count);
        }
        timesInto(target[j], sum, size, first, count);
      });
    }
  };
}

/** Rows of a pass whose numbers stay in the second-level cache. */
export function passRows(columns: number): number {
  return Math.max(8, Math.min(MOST_ROWS, Math.floor(PASS_VALUES / columns)));
}

function addTo(sum: Float64Array, values: Float64Array, count: number): void {
  for (let r = 0; r < count; r++) sum[r] += values[r];
}

function subtractFrom(sum: Float64Array, values: Float64Array, count: number): void {
  for (let r = 0; r < count; r++) sum[r] -= values[r];
}

/** target[first + r] = size · values[r] for `count` rows. */
export function timesInto(
  target: Float64Array,
  values: Float64Array,
  size: number,
  first: number,
  count: number,
): void {
  for (let r = 0; r < count; r++) target[first + r] = size * values[r];
}

/** into[r] = (values[first + r] − center) / scale for `count` rows. */
export function intoUnits(
  { values, center, scale }: ScaledColumn,
  first: number,
  count: number,
  into: Float64Array,
): void {
  for (let r = 0; r < count; r++) into[r] = (values[first + r] - center) / scale;
}
