import type { Group } from '../algebra.ts';
import { bytesOf, entriesOf, isLinear, type Layout, shapeOf, wordsOf } from './layout.ts';
import type { LinearLayout } from './linear-layout.ts';
import { type RingVector, ringAddInto, ringEntry, ringSubtractFrom } from './ring.ts';
import { findSegment } from './segments.ts';

/** What a site knows about its rows, as one flat vector: the only data that ever leaves the site. */
export interface Statistic<L extends Layout = Layout> {
  readonly layout: L;
  readonly values: RingVector;
}

/** The statistic of a regression. */
export type LinearStatistic = Statistic<LinearLayout>;

/** The statistic with the type of a regression's; throws if it is not one. */
export function linearStatistic({ layout, values }: Statistic): LinearStatistic {
  if (isLinear(layout)) return { layout, values };
  throw new RangeError('the statistic is not one of a regression');
}

/**
 * Statistics of one layout form a commutative group under entry-wise addition:
 * adding a site and adding its rows give the same result.
 */
export function statistics<L extends Layout>(layout: L): Group<Statistic<L>> {
  const words = wordsOf(layout);
  const combine =
    (into: typeof ringAddInto) =>
    (a: Statistic<L>, b: Statistic<L>): Statistic<L> => {
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

/** The sum of many statistics, added in place: needs the memory of one vector. */
export function sumStatistics<L extends Layout>(
  layout: L,
  parts: Iterable<Statistic>,
): Statistic<L> {
  const total = statistics(layout).zero;
  for (const part of parts) ringAddInto(total.values, part.values, wordsOf(layout));
  return total;
}

/** The same bytes as `statisticBytes` without a copy: for hashing and writing. */
export function statisticView({ values }: Statistic): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

/** The words in little-endian order, as sent and as used for digests. Every engine in use has them so in memory. */
export function statisticBytes({ values }: Statistic): Uint8Array {
  return new Uint8Array(values.slice().buffer);
}

/** From this number of bytes on, words are a view of the bytes and no copy; shorter ones may be in a buffer that others use. */
const LARGE = 2 ** 20;

/** The words that `statisticBytes` wrote. */
export function wordsFromBytes(bytes: Uint8Array): RingVector {
  if (bytes.length >= LARGE && bytes.byteOffset % 4 === 0) {
    return new Uint32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / 4));
  }
  // A copy: the bytes may be part of a larger buffer, and slice() of a Node buffer does not copy.
  return new Uint32Array(new Uint8Array(bytes).buffer, 0, Math.floor(bytes.length / 4));
}

/** The statistic that `statisticBytes` wrote; undefined if the bytes do not fit this layout. */
export function statisticFromBytes<L extends Layout>(
  layout: L,
  bytes: Uint8Array,
): Statistic<L> | undefined {
  if (bytes.length !== bytesOf(layout)) return undefined;
  return { layout, values: wordsFromBytes(bytes) };
}

/** Number of rows behind the statistic; with noise if the statistic has noise, NaN if it has no count. */
export function rowCount({ layout, values }: Statistic): number {
  const shape = shapeOf(layout);
  // Unweighted sums of a regression begin with Σ 1.
  const found = findSegment(shape, 'rows') ?? findSegment(shape, 'products');
  if (found === undefined) return Number.NaN;
  const { segment, start } = found;
  return Number(ringEntry(values, shape.words, start) >> BigInt(segment.fractionBits));
}
