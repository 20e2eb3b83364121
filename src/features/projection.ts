import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { normals } from '../random/normals.ts';
import { wordsFrom } from '../random/seeded-words.ts';

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
    const next = normals(columnWords(seed, j));
    for (let i = 0; i < columns; i++) matrix[i * dimension + j] = next() / unit;
  }
  last = { key, matrix };
  return matrix;
}

/**
 * 32-bit words for one column: xoshiro128** from the first sixteen bytes of SHA-256("suffice projection SEED J"). A full state,
 * because among thousands of 32-bit seeds two would soon be equal.
 */
function columnWords(seed: number, column: number): () => number {
  const digest = new DataView(sha256(utf8ToBytes(`suffice projection ${seed} ${column}`)).buffer);
  const word = (k: number) => digest.getUint32(4 * k, true);
  return wordsFrom([word(0), word(1), word(2), word(3)]);
}
