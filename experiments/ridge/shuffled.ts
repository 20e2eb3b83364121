import { seededWords } from '../../src/random/seeded-words.ts';

/** The numbers below `count` in a random order for each seed (Fisher and Yates). */
export function shuffled(count: number, seed: number): number[] {
  const random = seededWords(0x0d20 + seed);
  const order = Array.from({ length: count }, (_, k) => k);
  for (let k = count - 1; k > 0; k--) {
    const other = Math.floor((random() / 2 ** 32) * (k + 1));
    [order[k], order[other]] = [order[other]!, order[k]!];
  }
  return order;
}
