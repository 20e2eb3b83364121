import type { DisclosureThresholds } from '../study/study.ts';
import type { Cells } from './cells.ts';
import { type Finding, onColumns, shortened, type Verdict } from './rule.ts';

/** R3: each value of a two-valued column is held by no row or by many. */
export function smallLevels(cells: Cells, { cell }: DisclosureThresholds): Finding {
  return {
    verdicts: onColumns({
      rule: 'R3',
      level: 'block',
      columns: rareColumns(cells, cell),
      problem: `fewer than ${cell} rows have one of the two values`,
      remedy: 'merge rare levels in the codebook, leave the column out, or leave these rows out',
    }),
  };
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
  return { verdicts: shortened(verdicts) };
}

/** R5, its first half: a group whose sums of other columns are told has many rows. */
export function smallGroups(cells: Cells, { cell }: DisclosureThresholds): Verdict[] {
  return onColumns({
    rule: 'R5',
    level: 'block',
    columns: rareColumns(cells, cell),
    problem: `one of the two values picks out fewer than ${cell} rows, over which sums of other columns are told`,
    remedy: 'merge rare levels in the codebook, leave the column out, or leave these rows out',
  });
}

function rareColumns({ rows, columns }: Cells, cell: number): string[] {
  return columns
    .filter(({ high }) => isSmall(high, cell) || isSmall(rows - high, cell))
    .map(({ name }) => name);
}

function isSmall(count: number, cell: number): boolean {
  return count > 0 && count < cell;
}
