import { isLinear, type Layout, type SegmentLayout } from '../statistic/layout.ts';
import { ringDoubleDoubles, setRingEntry } from '../statistic/ring.ts';
import { entriesIn, findSegment, type Segment } from '../statistic/segments.ts';
import { type Statistic, statistics } from '../statistic/statistic.ts';

/** Bits of an entry behind the point; 48 before it. */
export const NETWORK_BITS = 48;
const WORDS = 3;

/** The layout of the numbers of trained networks: rows, and segments that are sums over rows. */
export function networkLayout(of: string, segments: readonly Segment[]): SegmentLayout {
  return {
    of,
    arithmetic: 'exact',
    words: WORDS,
    segments: [{ ...ROWS, fractionBits: 0 }, ...segments],
  };
}

const ROWS = { name: 'rows', shape: { kind: 'matrix', rows: 1, columns: 1 } } as const;

/** The statistic of some rows: `means` has, by segment, its numbers per row; those of a segment with `bits` are sent as they are. */
export function networkStatistic(
  layout: SegmentLayout,
  rows: number,
  means: Readonly<Record<string, Float64Array>>,
): Statistic<SegmentLayout> | { readonly tooLarge: string } {
  const statistic = statistics(layout).zero;
  setRingEntry(statistic.values, WORDS, 0, BigInt(rows));
  for (const { name } of layout.segments.slice(1)) {
    const { start, segment } = findSegment(layout, name)!;
    const values = means[name];
    if (values.length !== entriesIn(segment))
      throw new RangeError(`segment ${name} has no such size`);
    for (let k = 0; k < values.length; k++) {
      const sum =
        segment.bits === undefined ? values[k] * rows * 2 ** segment.fractionBits : values[k];
      if (!(Math.abs(sum) < LARGEST)) return { tooLarge: name };
      setRingEntry(statistic.values, WORDS, start + k, BigInt(Math.round(sum)));
    }
  }
  return statistic;
}

/** A quarter of the ring: three such sites still have a sum. */
const LARGEST = 2 ** (32 * WORDS - 3);

/** The sums over rows in a statistic of networks. */
export interface NetworkSums {
  readonly rows: number;
  /** The numbers of a segment. */
  of(name: string): Float64Array;
}

/** The sums in a statistic, as doubles. */
export function networkSums({ layout, values }: Statistic<SegmentLayout>): NetworkSums {
  const of = (name: string) => {
    const found = findSegment(layout, name);
    if (found === undefined) throw new RangeError(`the statistic has no segment ${name}`);
    const { start, segment } = found;
    const count = entriesIn(segment);
    const sums = { hi: new Float64Array(count), lo: new Float64Array(count) };
    ringDoubleDoubles(values, layout.words, start, count, segment.fractionBits, sums, 0);
    return sums.hi;
  };
  return { rows: of('rows')[0], of };
}

/** The statistic of a network; refuses that of a regression. */
export function segmented({ layout, values }: Statistic): Statistic<SegmentLayout> {
  if (isSegmented(layout)) return { layout, values };
  throw new RangeError('the statistic is that of a regression');
}

function isSegmented(layout: Layout): layout is SegmentLayout {
  return !isLinear(layout);
}
