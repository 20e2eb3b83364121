import type { RowProjector, ScaledColumn } from './project-rows.ts';

/** A sum of some columns, each added or subtracted, in order. */
export type SignedSum = readonly { readonly column: number; readonly sign: 1 | -1 }[];

/**
 * target[j][r] = size · Σ ±(columns[i][r] − center) / scale over the columns of sum j. Every sum starts at 0 and goes in order;
 * the product comes last. So a sum of whole numbers is rounded once, and only then.
 */
export function signedSumRows(sums: readonly SignedSum[], size: number): RowProjector {
  let scaled: Float64Array[] = [];
  return (columns, rows, target) => {
    if (scaled.length !== columns.length || (scaled[0]?.length ?? 0) < rows) {
      scaled = columns.map(() => new Float64Array(rows));
    }
    columns.forEach((column, i) => {
      intoUnits(column, 0, rows, scaled[i]);
    });
    sums.forEach((terms, j) => {
      const sum = target[j];
      sum.fill(0, 0, rows);
      for (const { column, sign } of terms) {
        const values = scaled[column];
        if (sign === 1) for (let r = 0; r < rows; r++) sum[r] += values[r];
        else for (let r = 0; r < rows; r++) sum[r] -= values[r];
      }
      for (let r = 0; r < rows; r++) sum[r] *= size;
    });
  };
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
