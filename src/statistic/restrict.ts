import { entriesOf, wordsOf } from './layout.ts';
import { linearShape, packedIndex, predictorsOf } from './linear-layout.ts';
import { entriesIn, type Segment } from './segments.ts';
import type { LinearStatistic } from './statistic.ts';

/**
 * The statistic of the same rows over fewer columns, as if the study had asked for these alone:
 * `kept` indexes the layout's columns, in order, and begins with 0, the constant.
 */
export function restrict(
  { layout, values }: LinearStatistic,
  kept: readonly number[],
): LinearStatistic {
  if (kept[0] !== 0 || kept.some((column, k) => k > 0 && column <= kept[k - 1])) {
    throw new RangeError(`kept columns must ascend from 0: ${kept.join(', ')}`);
  }
  const width = layout.columns.length;
  const firstResponse = width - layout.responses;
  const narrow = {
    ...layout,
    columns: kept.map((column) => layout.columns[column]),
    references: kept.map((column) => layout.references[column]),
    responses: kept.filter((column) => column >= firstResponse).length,
  };
  const words = wordsOf(layout);
  const chosen = new Uint32Array(entriesOf(narrow) * words);
  let entry = 0;
  const take = (from: number) => {
    chosen.set(values.subarray(from * words, (from + 1) * words), entry++ * words);
  };
  const predictors = kept.filter((column) => column < firstResponse);
  let start = 0;
  for (const segment of linearShape(layout).segments) {
    for (const place of placesIn(segment, width, predictorsOf(layout), kept, predictors)) {
      take(start + place);
    }
    start += entriesIn(segment);
  }
  return { layout: narrow, values: chosen };
}

/** The entries of a segment that stay: those of kept columns, or all where it is not by column. */
function placesIn(
  segment: Segment,
  columns: number,
  allPredictors: number,
  kept: readonly number[],
  predictors: readonly number[],
): number[] {
  const { shape } = segment;
  if (shape.kind === 'triangle') {
    const own = shape.width === columns ? kept : predictors;
    return own.flatMap((i, k) => own.slice(k).map((j) => packedIndex(shape.width, i, j)));
  }
  if (shape.columns === allPredictors) return [...predictors];
  return Array.from({ length: entriesIn(segment) }, (_, k) => k);
}
