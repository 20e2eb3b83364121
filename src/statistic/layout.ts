import { type Arithmetic, type LinearLayout, linearShape } from './linear-layout.ts';
import { entriesIn, type Shape } from './segments.ts';

/** What the numbers of a statistic are: a regression's, or named segments that say it themselves. */
export type Layout = LinearLayout | SegmentLayout;

/** A layout that lists its segments: what a fusion that is no regression sends. Its JSON is part of the digest of a total. */
export interface SegmentLayout extends Shape {
  /** What the segments are of, such as the digest of a network's description; anything JSON can hold as a text. */
  readonly of: string;
  readonly arithmetic: Arithmetic;
}

/** The segments of a layout. */
export function shapeOf(layout: Layout): Shape {
  return isLinear(layout) ? linearShape(layout) : layout;
}

/** Whether a layout is a regression's. */
export function isLinear(layout: Layout): layout is LinearLayout {
  return 'columns' in layout;
}

/** Thirty-two-bit words an entry takes in the ring. */
export function wordsOf(layout: Layout): number {
  return shapeOf(layout).words;
}

/** Entries in all. */
export function entriesOf(layout: Layout): number {
  return shapeOf(layout).segments.reduce((sum, segment) => sum + entriesIn(segment), 0);
}

/** Bytes of the numbers. */
export function bytesOf(layout: Layout): number {
  return entriesOf(layout) * wordsOf(layout) * 4;
}

/** How the header of a contribution says in which arithmetic its numbers are. */
export function gridOf(layout: Layout): string {
  if (isLinear(layout)) return String(layout.grid);
  return [...new Set(layout.segments.map(({ fractionBits }) => fractionBits))].join(',');
}
