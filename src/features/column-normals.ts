import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { normals } from '../random/normals.ts';
import { wordsFrom } from '../random/seeded-words.ts';

/**
 * Standard normals for one column of a feature map, from (map, seed, column) alone: xoshiro128** from the first sixteen bytes
 * of SHA-256("suffice MAP SEED COLUMN"). A full state, because among thousands of 32-bit seeds two would soon be equal.
 * The same bits on every platform.
 */
export function columnNormals(map: string, seed: number, column: number | string): () => number {
  const digest = new DataView(sha256(utf8ToBytes(`suffice ${map} ${seed} ${column}`)).buffer);
  const word = (k: number) => digest.getUint32(4 * k, true);
  return normals(wordsFrom([word(0), word(1), word(2), word(3)]));
}
