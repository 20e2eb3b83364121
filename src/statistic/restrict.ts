import { entriesOf, wordsOf } from './layout.ts';
import { packedIndex, triangleEntries } from './linear-layout.ts';
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
  kept.forEach((i, k) => {
    for (const j of kept.slice(k)) take(packedIndex(width, i, j));
  });
  for (let extra = triangleEntries(layout); extra < entriesOf(layout); extra++) take(extra);
  return { layout: narrow, values: chosen };
}
