import { columnNormals } from './column-normals.ts';

/** A random projection that everyone can draw: the number of columns, and a public seed (32 bits). */
export interface Projection {
  readonly dimension: number;
  readonly seed: number;
}

let last: { readonly key: string; readonly matrix: Float64Array } | undefined;

/**
 * R of a random projection, `columns` × `dimension`, row-major, entries N(0, 1/dimension) (one-shot ridge paper, §IV-F).
 * Entry (i, j) is the (i + 1)-th normal of a stream from (seed, j) alone. So a smaller dimension has the first columns of a
 * larger one (up to a factor), and fewer input columns give its upper rows. The same bits on every platform.
 */
export function projectionMatrix(columns: number, { dimension, seed }: Projection): Float64Array {
  const key = `${columns}/${dimension}/${seed}`;
  if (last?.key === key) return last.matrix; // only the last: it may be large, and one study is used at a time
  const matrix = new Float64Array(columns * dimension);
  const unit = Math.sqrt(dimension);
  for (let j = 0; j < dimension; j++) {
    const next = columnNormals('projection', seed, j);
    for (let i = 0; i < columns; i++) matrix[i * dimension + j] = next() / unit;
  }
  last = { key, matrix };
  return matrix;
}
