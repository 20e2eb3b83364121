import { isLinear, type Layout, shapeOf } from './layout.ts';
import type { LinearLayout } from './linear-layout.ts';
import { entriesIn, type Segment } from './segments.ts';

/** The entries of a statistic by name, segment by segment, as shown to people. */
export interface NamedSegment {
  readonly segment: Segment;
  /** Index of its first entry. */
  readonly start: number;
  /** A name for each entry; in a symmetric table of sums, a name for each row. */
  readonly names: readonly string[];
  /** Whether it is a symmetric table of sums over columns, shown as a square. */
  readonly square: boolean;
}

/** Every segment of a statistic with names for people. */
export function namedSegments(layout: Layout): NamedSegment[] {
  let start = 0;
  return shapeOf(layout).segments.map((segment) => {
    const square = isLinear(layout) && segment.name === 'products';
    const names = isLinear(layout) ? linearNames(layout, segment) : plainNames(segment);
    const named = { segment, start, names, square };
    start += entriesIn(segment);
    return named;
  });
}

function plainNames(segment: Segment): string[] {
  const { name, shape } = segment;
  if (entriesIn(segment) === 1) return [name];
  if (shape.kind === 'triangle') return pairs(shape.width, (i, j) => `${name} ${i + 1}, ${j + 1}`);
  return Array.from({ length: shape.rows * shape.columns }, (_, k) =>
    shape.rows === 1
      ? `${name} ${k + 1}`
      : `${name} ${Math.floor(k / shape.columns) + 1}, ${(k % shape.columns) + 1}`,
  );
}

function linearNames(layout: LinearLayout, segment: Segment): readonly string[] {
  const { columns, intercept, responses } = layout;
  if (segment.name === 'products') return columns;
  if (segment.name === 'gradient') return columns.slice(0, columns.length - responses);
  const [, kind, place] = /^(coefficients|covariance) (\d+)$/.exec(segment.name) ?? [];
  if (kind === undefined) return plainNames(segment);
  const terms = columns.slice(intercept ? 0 : 1, columns.length - responses);
  const response = columns[columns.length - responses + Number(place) - 1];
  const of = responses === 1 ? '' : ` (${response})`;
  return kind === 'coefficients'
    ? terms.map((term) => `rows × coefficient of ${term}${of}`)
    : pairs(terms.length, (i, j) => `rows² × covariance of ${terms[i]} and ${terms[j]}${of}`);
}

function pairs(width: number, name: (i: number, j: number) => string): string[] {
  return Array.from({ length: width }, (_, i) =>
    Array.from({ length: width - i }, (_, k) => name(i, i + k)),
  ).flat();
}
