import type { DisclosureThresholds } from '../study/study.ts';
import type { CellColumn, Cells } from './cells.ts';
import { type Finding, onColumns, type RuleId, shortened, type Verdict } from './rule.ts';

const MERGE = 'merge rare levels in the codebook, leave the column out, or leave these rows out';

/** R3: each value of a two-valued column is held by no row or by many. */
export function smallLevels(cells: Cells, { cell }: DisclosureThresholds): Finding {
  const few = `fewer than ${cell} rows`;
  return {
    verdicts: onRare(cells, cell, 'R3', {
      levels: few,
      others: `${few} have one of the two values`,
    }),
  };
}

/** R4: each of the four cells of two two-valued columns has no row or many. */
export function smallCells(cells: Cells, { cell }: DisclosureThresholds): Finding {
  const verdicts: Verdict[] = [];
  cells.columns.forEach((a, i) => {
    for (let j = i + 1; j < cells.columns.length; j++) {
      const b = cells.columns[j];
      // Levels of one category exclude each other, and R3 has looked at each.
      if (a.levels !== undefined && a.levels.term === b.levels?.term) continue;
      const names = smallOf(cells, i, j, cell);
      if (names.length === 0) continue;
      verdicts.push({
        rule: 'R4',
        level: 'block',
        columns: [a.name, b.name],
        names,
        problem: `fewer than ${cell} rows share it`,
        remedy: 'merge levels in the codebook, or leave one of the two out',
      });
    }
  });
  return { verdicts: shortened(verdicts) };
}

/** R5, its first half: a group whose sums of other columns are told has many rows. */
export function smallGroups(cells: Cells, { cell }: DisclosureThresholds): Verdict[] {
  const few = `fewer than ${cell} rows, over which sums of other columns are told`;
  return onRare(cells, cell, 'R5', {
    levels: few,
    others: `one of the two values picks out ${few}`,
  });
}

/** One verdict on the rare levels of categories, and one on other columns with a rare value. */
function onRare(
  cells: Cells,
  cell: number,
  rule: RuleId,
  problems: { readonly levels: string; readonly others: string },
): Verdict[] {
  const block = { rule, level: 'block', remedy: MERGE } as const;
  const rare = cells.columns
    .map((column) => ({
      column,
      values: valuesOf(column, cells.rows).filter(({ rows }) => isSmall(rows, cell)),
    }))
    .filter(({ values }) => values.length > 0);
  const levels = rare.filter(({ column }) => column.levels !== undefined);
  const others = rare.filter(({ column }) => column.levels === undefined);
  return [
    ...onColumns({
      ...block,
      columns: levels.map(({ column }) => column.name),
      names: levels.flatMap(({ values }) => values.map(({ alone }) => alone)),
      problem: problems.levels,
    }),
    ...onColumns({
      ...block,
      columns: others.map(({ column }) => column.name),
      problem: problems.others,
    }),
  ];
}

/**
 * The values of a column that need a look, and the rows that have each. Rows off a level of three or more are rows at the
 * others: where the former are few, so are the latter, and they have columns themselves.
 */
function valuesOf({ name, high, levels }: CellColumn, rows: number) {
  if (levels === undefined) {
    const value = { alone: name, paired: `a value of ${name}` };
    return [
      { ...value, isHigh: true, rows: high },
      { ...value, isHigh: false, rows: rows - high },
    ];
  }
  const one = { ...levels.one, isHigh: true, rows: high };
  return levels.zero === undefined
    ? [one]
    : [one, { ...levels.zero, isHigh: false, rows: rows - high }];
}

/** What the small cells of two columns are called. */
function smallOf({ rows, columns, both }: Cells, i: number, j: number, cell: number): string[] {
  const [a, b] = [columns[i], columns[j]];
  const common = both(i, j);
  const names = valuesOf(a, rows).flatMap((one) => {
    const withHigh = one.isHigh ? common : b.high - common;
    return valuesOf(b, rows)
      .filter(({ isHigh }) => isSmall(isHigh ? withHigh : one.rows - withHigh, cell))
      .map((other) => `${one.paired} × ${other.paired}`);
  });
  return [...new Set(names)];
}

function isSmall(count: number, cell: number): boolean {
  return count > 0 && count < cell;
}
