import { secureWords } from '../random/secure-words.ts';
import type { WordSource } from '../random/words.ts';
import { entriesOf, wordsOf } from '../statistic/layout.ts';
import { fractionBitsOf, type LinearLayout, packedIndex } from '../statistic/linear-layout.ts';
import { ringAddInto, setRingEntry } from '../statistic/ring.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import { discreteGaussian } from './discrete-gaussian.ts';
import type { Mechanism } from './mechanism.ts';

/**
 * The statistic with the mechanism's noise on every entry that is not exact: discrete Gaussians in the statistic's own
 * integers. All of it is drawn before any is added, so that how long it took tells nothing of the entries.
 */
export function withNoise(
  statistic: LinearStatistic,
  mechanism: Mechanism,
  words: WordSource = secureWords(),
): LinearStatistic {
  const { layout } = statistic;
  const values = noiseVector(layout, mechanism, words);
  ringAddInto(values, statistic.values, wordsOf(layout));
  return { layout, values };
}

function noiseVector(layout: LinearLayout, mechanism: Mechanism, words: WordSource): Uint32Array {
  const size = wordsOf(layout);
  const noise = new Uint32Array(entriesOf(layout) * size);
  for (const { variance, entries } of noisyEntries(layout, mechanism)) {
    if (variance === 0n) continue;
    const draw = discreteGaussian(variance, words);
    for (const entry of entries) setRingEntry(noise, size, entry, draw());
  }
  return noise;
}

/** Entries of one variance. */
interface NoisyEntries {
  readonly variance: bigint;
  readonly entries: readonly number[];
}

/** Where which noise goes; without an intercept its entries are 0 for everybody, and stay so. */
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
    // Each pair stands for two entries of G: σ² between them.
    { variance: (gram + 1n) / 2n, entries: pairs },
    { variance: variance(sigma.moment), entries: predictors.map((j) => at(j, response)) },
    { variance: variance(sigma.square), entries: [at(response, response)] },
    { variance: variance(sigma.count), entries: [entriesOf(layout) - 1] },
  ];
}
