import type { WordSource } from './words.ts';

/**
 * The same 32-bit words for the same seed: for simulations and tests, never for noise that protects people.
 * xoshiro128** (Blackman & Vigna 2021), its state filled by splitmix32.
 */
export function seededWords(seed: number): WordSource {
  let filling = seed | 0;
  const fill = () => {
    filling = (filling + 0x9e3779b9) | 0;
    let word = Math.imul(filling ^ (filling >>> 16), 0x85ebca6b);
    word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
    return word ^ (word >>> 16);
  };
  return wordsFrom([fill(), fill(), fill(), fill()]);
}

/** xoshiro128** from a state that is not all zero. */
export function wordsFrom(state: readonly [number, number, number, number]): WordSource {
  let [a, b, c, d] = state;
  return () => {
    const word = Math.imul(rotated(Math.imul(b, 5), 7), 9);
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotated(d, 11);
    return word >>> 0;
  };
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
