import { seededWords } from '../../src/random/seeded-words.ts';
import type { WordSource } from '../../src/random/words.ts';

/** Identifies a noise: the data seed, the ε and the contestant. */
export type NoiseStream = readonly [seed: number, epsilon: number, contestant: number];

/** Random words of a stream, the same in every run: reproducible noise, only for experiments. */
export function noiseWords([seed, epsilon, contestant]: NoiseStream): WordSource {
  return seededWords(0x5eed0000 + seed * 65_537 + epsilon * 4099 + contestant * 131_101);
}
