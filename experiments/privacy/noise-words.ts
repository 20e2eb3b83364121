import { seededWords } from '../../src/random/seeded-words.ts';
import type { WordSource } from '../../src/random/words.ts';

/** Which noise: of what data seed, which ε and which contestant. */
export type NoiseStream = readonly [seed: number, epsilon: number, contestant: number];

/** Words of a stream, the same in every run: reproducible noise, which only an experiment may have. */
export function noiseWords([seed, epsilon, contestant]: NoiseStream): WordSource {
  return seededWords(0x5eed0000 + seed * 65_537 + epsilon * 4099 + contestant * 131_101);
}
