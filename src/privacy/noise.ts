import { secureWords } from '../random/secure-words.ts';
import type { WordSource } from '../random/words.ts';
import { entriesOf, type Layout, wordsOf } from '../statistic/layout.ts';
import { ringAddInto, setRingEntry } from '../statistic/ring.ts';
import type { Statistic } from '../statistic/statistic.ts';
import { discreteGaussian } from './discrete-gaussian.ts';

/** Entries of a statistic that get noise of one variance, in the statistic's own integers. */
export interface NoisyEntries {
  readonly variance: bigint;
  readonly entries: readonly number[];
}

/**
 * The statistic with discrete Gaussian noise on these entries. All of it is drawn before any is added, so that how long it
 * took tells nothing of the entries.
 */
export function addNoise<L extends Layout>(
  { layout, values }: Statistic<L>,
  noisy: readonly NoisyEntries[],
  words: WordSource = secureWords(),
): Statistic<L> {
  const size = wordsOf(layout);
  const sum = new Uint32Array(entriesOf(layout) * size);
  for (const { variance, entries } of noisy) {
    if (variance === 0n) continue;
    const draw = discreteGaussian(variance, words);
    for (const entry of entries) setRingEntry(sum, size, entry, draw());
  }
  ringAddInto(sum, values, size);
  return { layout, values: sum };
}
