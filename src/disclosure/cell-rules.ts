import type { DisclosureThresholds } from '../study/study.ts';
import type { Cells } from './cells.ts';
import { type Finding, shortened, type Verdict } from './rule.ts';

/** R3: each value of a two-valued column is held by no row or by many. */
export function smallLevels({ rows, columns }: Cells, { cell }: DisclosureThresholds): Finding {
  const verdicts = columns
    .filter(({ high }) => isSmall(high, cell) || isSmall(rows - high, cell))
    .map(
      ({ name }): Verdict => ({
        rule: 'R3',
        level: 'block',
        columns: [name],
        problem: `fewer than ${cell} rows have one of its two values`,
        remedy: 'merge rare levels in the codebook, leave the column out, or leave these rows out',
      }),
    );
  return { verdicts: shortened(verdicts, 'columns') };
}

/** R4: each of the four cells of two two-valued columns has no row or many. */
export function smallCells(cells: Cells, { cell }: DisclosureThresholds): Finding {
  const { rows, columns } = cells;
  const verdicts: Verdict[] = [];
  columns.forEach((a, i) => {
    for (let j = i + 1; j < columns.length; j++) {
      const b = columns[j];
      const both = cells.both(i, j);
      const table = [both, a.high - both, b.high - both, rows - a.high - b.high + both];
      if (!table.some((count) => isSmall(count, cell))) continue;
      verdicts.push({
        rule: 'R4',
        level: 'block',
        columns: [a.name, b.name],
        problem: `fewer than ${cell} rows share one combination of their values`,
        remedy: 'merge levels in the codebook, or leave one of the two out',
      });
    }
  });
  return { verdicts: shortened(verdicts, 'pairs of columns') };
}

/** R5, its first half: a group whose sum of another column is told has many rows. */
export function smallGroups(
  { rows, columns }: Cells,
  summed: readonly string[],
  { cell }: DisclosureThresholds,
): Verdict[] {
  if (summed.length === 0) return [];
  const verdicts = columns
    .filter(({ high }) => isSmall(high, cell) || isSmall(rows - high, cell))
    .map(
      ({ name }): Verdict => ({
        rule: 'R5',
        level: 'block',
        columns: [name, ...summed.slice(0, MOST_NAMED)],
        problem: `the statistic tells sums over fewer than ${cell} rows that one value of ${name} picks out`,
        remedy: 'merge rare levels in the codebook, leave the column out, or leave these rows out',
      }),
    );
  return shortened(verdicts, 'columns');
}

const MOST_NAMED = 8;

function isSmall(count: number, cell: number): boolean {
  return count > 0 && count < cell;
}
