import { type SignedSum, signedSumRows } from '../numeric/signed-sum-rows.ts';
import { uniformBelow } from '../random/words.ts';
import { columnWords } from './column-normals.ts';
import type { ProjectionMatrix } from './projection-matrix.ts';

/**
 * A column of R adds and subtracts k = ⌈d/s⌉ of the d input columns and leaves out the rest, s = max(3, √d): entries
 * ±√(d/(k·dimension)) and 0 (Achlioptas 2003; Li, Hastie & Church 2006). Exactly k of them, so that none is all zeros.
 */
export const sparseMatrix: ProjectionMatrix = {
  adjective: 'sparse',
  title: 'sparse projection',
  work: (columns, dimension) => ({ products: dimension, sums: dimension * termsIn(columns) }),
  draw(columns, { dimension, seed }) {
    const matrix = new Float64Array(columns * dimension);
    const size = sizeOf(columns, dimension);
    sumsOf(columns, dimension, seed).forEach((terms, j) => {
      for (const { column, sign } of terms) matrix[column * dimension + j] = sign * size;
    });
    return matrix;
  },
  projector: (columns, { dimension, seed }) =>
    signedSumRows(sumsOf(columns, dimension, seed), sizeOf(columns, dimension)),
};

/** Input columns in each sum: about √d, and a third of a few. */
function termsIn(columns: number): number {
  return Math.ceil(columns / Math.max(3, Math.sqrt(columns)));
}

function sizeOf(columns: number, dimension: number): number {
  return Math.sqrt(columns / (termsIn(columns) * dimension));
}

/** Column j from (seed, j) alone: k places without repetition, a sign after each. */
function sumsOf(columns: number, dimension: number, seed: number): SignedSum[] {
  const count = termsIn(columns);
  return Array.from({ length: dimension }, (_, j) => {
    const next = columnWords('sparse projection', seed, j);
    const order = Int32Array.from({ length: columns }, (_, i) => i);
    const terms = Array.from({ length: count }, (_, k) => {
      const other = k + Number(uniformBelow(BigInt(columns - k), next)());
      const column = order[other];
      order[other] = order[k];
      order[k] = column;
      return { column, sign: next() >= 2 ** 31 ? (-1 as const) : (1 as const) };
    });
    return terms.sort((a, b) => a.column - b.column);
  });
}
