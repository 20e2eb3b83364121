import type { Rows } from '../data/generator.ts';

/** A client's rows as a plain program holds them: one after another, each with its response at the end. */
export interface RowMatrix {
  readonly count: number;
  /** d, without the response. */
  readonly columns: number;
  /** count × (d + 1). */
  readonly values: Float64Array;
}

export function rowMatrix({ count, features, response }: Rows): RowMatrix {
  const width = features.length + 1;
  const values = new Float64Array(count * width);
  [...features, response].forEach((column, j) => {
    for (let r = 0; r < count; r++) values[r * width + j] = column[r]!;
  });
  return { count, columns: features.length, values };
}
