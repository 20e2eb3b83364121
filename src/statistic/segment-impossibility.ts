import type { SegmentLayout } from './layout.ts';
import { wordsOf } from './layout.ts';
import { ringEntry } from './ring.ts';
import { findSegment } from './segments.ts';
import type { Statistic } from './statistic.ts';

/** Why no rows could have given these segments, as far as segments alone tell: `rows` is a whole number from 0. */
export function segmentImpossibility({
  layout,
  values,
}: Statistic<SegmentLayout>): string | undefined {
  const rows = findSegment(layout, 'rows');
  if (rows === undefined) return undefined;
  const count = ringEntry(values, wordsOf(layout), rows.start);
  const unit = 1n << BigInt(rows.segment.fractionBits);
  return count < 0n || count % unit !== 0n ? 'the number of rows is not a whole number' : undefined;
}
