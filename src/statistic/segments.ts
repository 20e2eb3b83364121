import { packedLength } from '../numeric/gram.ts';

/** A run of entries with one meaning. */
export interface Segment {
  readonly name: string;
  readonly shape: SegmentShape;
  /** An integer N stands for N / 2^fractionBits. */
  readonly fractionBits: number;
}

/** A packed upper triangle, row by row; or a matrix in row-major order. */
export type SegmentShape =
  | { readonly kind: 'triangle'; readonly width: number }
  | { readonly kind: 'matrix'; readonly rows: number; readonly columns: number };

/** Thirty-two-bit words an entry takes in the ring. */
export type Words = 2 | 4 | 6 | 8;

/** The shape of a statistic: whoever adds, encodes, masks or publishes one knows nothing else of it. */
export interface Shape {
  readonly words: Words;
  readonly segments: readonly Segment[];
}

/** Entries of a segment. */
export function entriesIn({ shape }: Pick<Segment, 'shape'>): number {
  return shape.kind === 'triangle' ? packedLength(shape.width) : shape.rows * shape.columns;
}

/** Where a segment is among the entries; undefined where the statistic has none of this name. */
export function findSegment(
  { segments }: Shape,
  name: string,
): { readonly segment: Segment; readonly start: number } | undefined {
  let start = 0;
  for (const segment of segments) {
    if (segment.name === name) return { segment, start };
    start += entriesIn(segment);
  }
  return undefined;
}

/** A row of numbers. */
export function vector(name: string, columns: number, fractionBits: number): Segment {
  return { name, shape: { kind: 'matrix', rows: 1, columns }, fractionBits };
}

/** A symmetric matrix. */
export function triangle(name: string, width: number, fractionBits: number): Segment {
  return { name, shape: { kind: 'triangle', width }, fractionBits };
}
