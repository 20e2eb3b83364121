import { seededWords } from '../../src/random/seeded-words.ts';
import type { WordSource } from '../../src/random/words.ts';

/** γ of the paper: 0.2, 0.3, …, 1.2. */
export const gammas: readonly number[] = Array.from({ length: 11 }, (_, g) => (g + 2) / 10);

/** The most runs whose streams are told apart from each other. */
export const mostRuns = 10_000;

/** Randomness of one run at one γ, a function of (seed, run, γ) alone: a run is the same whatever else is asked for. */
export interface TrialStreams {
  /** Sizes of the nodes, then θ*. */
  readonly design: WordSource;
  /** Seed of the words behind X and ε, row by row. */
  readonly rows: number;
}

/** `gamma` counts the paper's γ from 0. Streams of one seed never meet; where those of another seed start is one of 2³² by chance. */
export function trialStreams(seed: number, run: number, gamma: number): TrialStreams {
  const first = (scrambled(seed) + 2 * (run * gammas.length + gamma)) | 0;
  return { design: seededWords(first), rows: (first + 1) | 0 };
}

// Another word for every word (murmur3's finaliser), so that seeds 1, 2, 3, … have no streams in common.
function scrambled(seed: number): number {
  let word = seed | 0;
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return word ^ (word >>> 16);
}
