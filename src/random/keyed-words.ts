import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { WordSource } from './words.ts';

const BLOCK_BYTES = 32;

/**
 * Words that nobody without the secret can tell from random ones, the same whenever they are asked for with the same
 * purpose: SHA-256 in counter mode under HMAC-SHA256(secret, purpose). Noise of one release drawn twice is then one noise.
 */
export function keyedWords(secret: Uint8Array, purpose: string): WordSource {
  const seed = hmac(sha256, secret, new TextEncoder().encode(purpose));
  const input = new Uint8Array(seed.length + 8);
  input.set(seed);
  const counter = new DataView(input.buffer, seed.length);
  let block = new DataView(new ArrayBuffer(0));
  let at = BLOCK_BYTES;
  let count = 0n;
  return () => {
    if (at === BLOCK_BYTES) {
      counter.setBigUint64(0, count++, true);
      block = new DataView(sha256(input).buffer);
      at = 0;
    }
    const word = block.getUint32(at, true);
    at += 4;
    return word;
  };
}
