import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { normals } from '../random/normals.ts';
import { wordsFrom } from '../random/seeded-words.ts';
import type { WordSource } from '../random/words.ts';

/**
 * Words of 32 bits for one column of a feature map, from (map, seed, column) alone: xoshiro128** from the first sixteen bytes
 * of SHA-256("suffice MAP SEED COLUMN"). A full state, because among thousands of 32-bit seeds two would soon be equal.
 * The same bits on every platform.
 */
export function columnWords(map: string, seed: number, column: number | string): WordSource {
  const digest = new DataView(sha256(utf8ToBytes(`suffice ${map} ${seed} ${column}`)).buffer);
  const word = (k: number) => digest.getUint32(4 * k, true);
  return wordsFrom([word(0), word(1), word(2), word(3)]);
}

/** Standard normals from these words. */
export function columnNormals(map: string, seed: number, column: number | string): () => number {
  return normals(columnWords(map, seed, column));
}
