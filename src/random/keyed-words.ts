import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { WordSource } from './words.ts';

const BLOCK_BYTES = 32;

/**
 * 32-bit words that look random to anyone without the secret, and are always the same for the same purpose: SHA-256 in
 * counter mode under HMAC-SHA256(secret, purpose). Drawing the noise of one release twice then gives the same noise.
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
