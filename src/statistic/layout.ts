import { type Arithmetic, type LinearLayout, linearShape } from './linear-layout.ts';
import { entriesIn, type Shape } from './segments.ts';

/** The meaning of a statistic's numbers: those of a regression, or named segments. */
export type Layout = LinearLayout | SegmentLayout;

/** A layout that lists its segments, for a fusion other than regression. Its JSON is part of the digest of a total. */
export interface SegmentLayout extends Shape {
  /** The source of the segments, such as the digest of a network's description; any text. */
  readonly of: string;
  readonly arithmetic: Arithmetic;
}

/** The segments of a layout. */
export function shapeOf(layout: Layout): Shape {
  return isLinear(layout) ? linearShape(layout) : layout;
}

/** Whether a layout is that of a regression. */
export function isLinear(layout: Layout): layout is LinearLayout {
  return 'columns' in layout;
}

/** 32-bit words of an entry. */
export function wordsOf(layout: Layout): number {
  return shapeOf(layout).words;
}

/** Number of entries. */
export function entriesOf(layout: Layout): number {
  return shapeOf(layout).segments.reduce((sum, segment) => sum + entriesIn(segment), 0);
}

/** About the columns of a matrix whose upper triangle has as many entries. */
export function columnsIn(layout: Layout): number {
  return Math.sqrt(2 * entriesOf(layout));
}

/** Bytes of all entries. */
export function bytesOf(layout: Layout): number {
  return entriesOf(layout) * wordsOf(layout) * 4;
}

/** The arithmetic of the numbers, as in the header of a contribution. */
export function gridOf(layout: Layout): string {
  if (isLinear(layout)) return String(layout.grid);
  return [...new Set(layout.segments.map(({ fractionBits }) => fractionBits))].join(',');
}
