import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { wordsFrom } from './seeded-words.ts';
import type { WordSource } from './words.ts';

/** The same words for the same name, in every program: xoshiro128** from the first sixteen bytes of the name's SHA-256. */
export function namedWords(name: string): WordSource {
  const digest = new DataView(sha256(utf8ToBytes(name)).buffer);
  const word = (k: number) => digest.getUint32(4 * k, true);
  return wordsFrom([word(0), word(1), word(2), word(3)]);
}
