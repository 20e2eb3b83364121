import type { DisclosureThresholds } from '../study/study.ts';
import type { RowFacts } from './row-facts.ts';
import type { Verdict } from './rule.ts';

/** R5 of numbers that are 0 in all rows but a few, as in a product with a rare level: their sums are sums of those few. */
export function sparseColumns(
  { columns }: RowFacts,
  { cell }: Pick<DisclosureThresholds, 'cell'>,
): Verdict[] {
  const sparse = columns.filter(
    ({ baseline, values, nonzero }) =>
      !baseline && values === null && nonzero > 0 && nonzero < cell,
  );
  if (sparse.length === 0) return [];
  const names = sparse.map(({ name }) => name);
  return [
    {
      rule: 'R5',
      level: 'block',
      columns: names,
      problem: `fewer than ${cell} rows are not 0, so that sums are sums of these`,
      remedy: 'leave out the term, or join the level that has so few rows with another',
    },
  ];
}
