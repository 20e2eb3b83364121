import { namedWords } from '../random/named-words.ts';
import { normals } from '../random/normals.ts';
import type { WordSource } from '../random/words.ts';

/**
 * Words of 32 bits for one column of a feature map, from (map, seed, column) alone: xoshiro128** from the first sixteen bytes
 * of SHA-256("suffice MAP SEED COLUMN"). A full state, because among thousands of 32-bit seeds two would soon be equal.
 * The same bits on every platform.
 */
export function columnWords(map: string, seed: number, column: number | string): WordSource {
  return namedWords(`suffice ${map} ${seed} ${column}`);
}

/** Standard normals from these words. */
export function columnNormals(map: string, seed: number, column: number | string): () => number {
  return normals(columnWords(map, seed, column));
}
