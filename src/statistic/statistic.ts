import type { Group } from '../algebra.ts';
import { entriesOf, fractionBitsOf, type Layout, triangleEntries, wordsOf } from './layout.ts';
import { type RingVector, ringAddInto, ringEntry, ringSubtractFrom } from './ring.ts';

/** What a site knows about its rows, as one flat vector: the only thing that ever leaves it. */
export interface Statistic {
  readonly layout: Layout;
  readonly values: RingVector;
}

/**
 * Statistics of one layout form a commutative group under entry-wise addition:
 * adding a site and adding its rows give the same result.
 */
export function statistics(layout: Layout): Group<Statistic> {
  const words = wordsOf(layout);
  const combine =
    (into: typeof ringAddInto) =>
    (a: Statistic, b: Statistic): Statistic => {
      const values = a.values.slice();
      into(values, b.values, words);
      return { layout, values };
    };
  return {
    zero: { layout, values: new Uint32Array(entriesOf(layout) * words) },
    add: combine(ringAddInto),
    subtract: combine(ringSubtractFrom),
  };
}

/** The sum of many statistics, added in place: one vector of memory however many there are. */
export function sumStatistics(layout: Layout, parts: Iterable<Statistic>): Statistic {
  const total = statistics(layout).zero;
  for (const part of parts) ringAddInto(total.values, part.values, wordsOf(layout));
  return total;
}

/** The words in little-endian order: what travels and what digests are taken of. */
export function statisticBytes({ values }: Statistic): Uint8Array {
  const bytes = new Uint8Array(values.length * 4);
  const view = new DataView(bytes.buffer);
  for (let k = 0; k < values.length; k++) view.setUint32(4 * k, values[k], true);
  return bytes;
}

/** The words that `statisticBytes` wrote. */
export function wordsFromBytes(bytes: Uint8Array): RingVector {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const values = new Uint32Array(bytes.length / 4);
  for (let k = 0; k < values.length; k++) values[k] = view.getUint32(4 * k, true);
  return values;
}

/** The statistic that `statisticBytes` wrote; undefined where the bytes are none of this layout. */
export function statisticFromBytes(layout: Layout, bytes: Uint8Array): Statistic | undefined {
  if (bytes.length !== entriesOf(layout) * wordsOf(layout) * 4) return undefined;
  return { layout, values: wordsFromBytes(bytes) };
}

/** Rows the statistic was made of; noisy where the statistic is, and NaN where it does not tell. */
export function rowCount(statistic: Statistic): number {
  const { layout, values } = statistic;
  if (layout.privacy?.kind === 'gradient') return Number.NaN;
  const apart = layout.weightScale !== null || layout.privacy !== undefined;
  const index = apart ? triangleEntries(layout) : 0;
  return Number(ringEntry(values, wordsOf(layout), index) >> BigInt(fractionBitsOf(layout)));
}
