import { secureWords } from '../random/secure-words.ts';
import type { WordSource } from '../random/words.ts';
import { entriesOf, type Layout, wordsOf } from '../statistic/layout.ts';
import { fractionBitsOf, type LinearLayout, packedIndex } from '../statistic/linear-layout.ts';
import { ringAddInto, setRingEntry } from '../statistic/ring.ts';
import type { LinearStatistic, Statistic } from '../statistic/statistic.ts';
import { discreteGaussian } from './discrete-gaussian.ts';
import type { Mechanism } from './mechanism.ts';

/** The statistic of a private regression with the mechanism's noise on all entries except exact ones. */
export function withNoise(
  statistic: LinearStatistic,
  mechanism: Mechanism,
  random?: WordSource,
): LinearStatistic {
  return addNoise(statistic, noisyEntries(statistic.layout, mechanism), random);
}

/** Which entries get which noise. Without an intercept its entries are 0 at every site, and stay 0. */
function noisyEntries(layout: LinearLayout, { sigma }: Mechanism): NoisyEntries[] {
  const { privacy, columns, responses, intercept } = layout;
  if (privacy === undefined || responses !== 1) {
    throw new RangeError('noise is for the statistic of a private study with one response');
  }
  const variance = (deviation: number) =>
    BigInt(Math.ceil(deviation * 2 ** fractionBitsOf(layout))) ** 2n;
  const width = columns.length;
  const response = width - 1;
  const predictors = columns.flatMap((_, j) =>
    j === response || (j === 0 && !intercept) ? [] : [j],
  );
  if (privacy.kind === 'gradient') {
    return [{ variance: variance(sigma.moment), entries: predictors }];
  }
  const at = (i: number, j: number) => packedIndex(width, i, j);
  const pairs = predictors.flatMap((i) => predictors.filter((j) => j > i).map((j) => at(i, j)));
  const gram = variance(sigma.gram);
  return [
    { variance: gram, entries: predictors.map((j) => at(j, j)) },
    // Each pair stands for two entries of G, which share σ².
    { variance: (gram + 1n) / 2n, entries: pairs },
    { variance: variance(sigma.moment), entries: predictors.map((j) => at(j, response)) },
    { variance: variance(sigma.square), entries: [at(response, response)] },
    { variance: variance(sigma.count), entries: [entriesOf(layout) - 1] },
  ];
}

/** Entries of a statistic that get noise of the same variance, in the statistic's integers. */
interface NoisyEntries {
  readonly variance: bigint;
  readonly entries: readonly number[];
}

/**
 * The statistic with discrete Gaussian noise on these entries. All noise is drawn before any is added, so the time it takes
 * does not depend on the entries.
 */
function addNoise<L extends Layout>(
  { layout, values }: Statistic<L>,
  noisy: readonly NoisyEntries[],
  random: WordSource = secureWords(),
): Statistic<L> {
  const size = wordsOf(layout);
  const sum = new Uint32Array(entriesOf(layout) * size);
  for (const { variance, entries } of noisy) {
    if (variance === 0n) continue;
    const draw = discreteGaussian(variance, random);
    for (const entry of entries) setRingEntry(sum, size, entry, draw());
  }
  ringAddInto(sum, values, size);
  return { layout, values: sum };
}
