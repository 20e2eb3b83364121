import { packedLength } from '../numeric/gram.ts';

/** A range of entries with one meaning. */
export interface Segment {
  readonly name: string;
  readonly shape: SegmentShape;
  /** An integer N stands for N / 2^fractionBits. */
  readonly fractionBits: number;
  /** Where entries are small whole numbers: bits of each on the wire, from 2 to 32, its sign included. */
  readonly bits?: number;
}

/** A packed upper triangle, row by row; or a matrix in row-major order. */
export type SegmentShape =
  | { readonly kind: 'triangle'; readonly width: number }
  | { readonly kind: 'matrix'; readonly rows: number; readonly columns: number };

/** 32-bit words of an entry. */
export type Words = 2 | 3 | 4 | 6 | 8;

/** The shape of a statistic: all that is needed to add, encode, mask or publish one. */
export interface Shape {
  readonly words: Words;
  readonly segments: readonly Segment[];
}

/** Entries of a segment. */
export function entriesIn({ shape }: Pick<Segment, 'shape'>): number {
  return shape.kind === 'triangle' ? packedLength(shape.width) : shape.rows * shape.columns;
}

/** The position of a segment among the entries; undefined if there is no segment of this name. */
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
