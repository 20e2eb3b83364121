import { entriesOf, wordsOf } from '../statistic/layout.ts';
import { packedIndex } from '../statistic/linear-layout.ts';
import { type RingVector, ringEntry, setRingEntry } from '../statistic/ring.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import type { PairRing } from './pair-ring.ts';
import type { PartyModel, VerticalStudy } from './vertical-study.ts';

/** A party's share of the products with another party's columns. */
export interface PairShare {
  readonly ring: PairRing;
  readonly numbers: readonly bigint[];
}

/**
 * A party's share of the total: the sums over its own columns, which no other party could know, and its shares of the products with other
 * parties' columns. Only the first party tells the number of people, so that it counts once.
 */
export function partyShare(
  { layout, parties }: VerticalStudy,
  { party, places, layout: own }: PartyModel,
  sums: LinearStatistic,
  pairs: readonly PairShare[],
): RingVector {
  const words = wordsOf(layout);
  const width = layout.columns.length;
  const values = new Uint32Array(entriesOf(layout) * words);
  places.forEach((row, i) => {
    for (let j = i; j < places.length; j++) {
      if (row === 0 && places[j] === 0 && party !== parties[0]) continue;
      const entry = ringEntry(sums.values, words, packedIndex(own.columns.length, i, j));
      setRingEntry(values, words, packedIndex(width, row, places[j]), entry);
    }
  });
  for (const { ring, numbers } of pairs) {
    ring.leftColumns.forEach((row, i) => {
      ring.rightColumns.forEach((column, j) => {
        const number = numbers[i * ring.rightColumns.length + j];
        setRingEntry(values, words, packedIndex(width, row, column), number);
      });
    });
  }
  return values;
}
