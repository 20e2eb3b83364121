import { seededWords } from '../../src/random/seeded-words.ts';
import type { WordSource } from '../../src/random/words.ts';

/** γ of the paper: 0.2, 0.3, …, 1.2. */
export const gammas: readonly number[] = Array.from({ length: 11 }, (_, g) => (g + 2) / 10);

/** Most runs with distinct streams. */
export const mostRuns = 10_000;

/** Randomness of one run at one γ, a function of (seed, run, γ) alone: a run does not depend on other runs. */
export interface TrialStreams {
  /** Sizes of the nodes, then θ*. */
  readonly design: WordSource;
  /** Seed of X and ε, row by row. */
  readonly rows: number;
}

/** `gamma` counts the paper's γ from 0. Streams of one seed are all different; a stream of another seed is equal with probability 2⁻³². */
export function trialStreams(seed: number, run: number, gamma: number): TrialStreams {
  const first = (scrambled(seed) + 2 * (run * gammas.length + gamma)) | 0;
  return { design: seededWords(first), rows: (first + 1) | 0 };
}

// A bijection of 32-bit words (murmur3's finaliser), so that seeds 1, 2, 3, … have no streams in common.
function scrambled(seed: number): number {
  let word = seed | 0;
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return word ^ (word >>> 16);
}
