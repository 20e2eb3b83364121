import type { WordSource } from '../random/words.ts';
import { entriesOf } from '../statistic/layout.ts';
import { fractionBitsOf, type LinearLayout, packedIndex } from '../statistic/linear-layout.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import type { Mechanism } from './mechanism.ts';
import { addNoise, type NoisyEntries } from './noise.ts';

/** The statistic of a private regression with the mechanism's noise on every entry that is not exact. */
export function withNoise(
  statistic: LinearStatistic,
  mechanism: Mechanism,
  words?: WordSource,
): LinearStatistic {
  return addNoise(statistic, noisyEntries(statistic.layout, mechanism), words);
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
