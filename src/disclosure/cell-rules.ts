import type { DisclosureThresholds } from '../study/study.ts';
import type { CellColumn, Cells } from './cells.ts';
import type { RowFacts } from './row-facts.ts';
import { type Finding, onColumns, type RuleId, shortenedList, type Verdict } from './rule.ts';

const MERGE = 'merge rare levels in the codebook, leave the column out, or leave these rows out';

/** R3: each value of a two-valued column has no row or many rows. */
export function smallLevels(cells: Cells, { cell }: DisclosureThresholds): Finding {
  const few = `fewer than ${cell} rows`;
  return {
    verdicts: onRare(cells, cell, 'R3', {
      levels: few,
      others: `${few} have one of the two values`,
    }),
  };
}

/** R4: each of the four cells of two two-valued columns has no row or many rows. */
export function smallCellsRule(cells: Cells, { cell }: DisclosureThresholds): Finding {
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
  return { verdicts: shortenedList(verdicts) };
}

/** R5, first part: a group has many rows, if the statistic has sums of other columns over it. */
export function smallGroups(cells: Cells, { cell }: DisclosureThresholds): Verdict[] {
  const few = `fewer than ${cell} rows, and the statistic has sums of other columns over them`;
  return onRare(cells, cell, 'R5', {
    levels: few,
    others: `one of the two values picks out ${few}`,
  });
}

/** One verdict about rare levels of categories, and one about other columns with a rare value. */
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
 * The values of a column that must be checked, with their numbers of rows. In a category with three or more levels, 0 means
 * any other level; those levels have columns of their own, so 0 is not checked here.
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

/** Names of the small cells of two columns. */
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

/** R5, for numbers that are 0 in all rows but a few, as in a product with a rare level: their sums are over those few rows. */
export function sparseColumns(
  { columns }: RowFacts,
  { cell }: Pick<DisclosureThresholds, 'cell'>,
): Verdict[] {
  const sparse = columns.filter(
    ({ baseline, part, values, nonzero }) =>
      (!baseline || part !== undefined) && values === null && nonzero > 0 && nonzero < cell,
  );
  if (sparse.length === 0) return [];
  const names = sparse.map(({ name }) => name);
  return [
    {
      rule: 'R5',
      level: 'block',
      columns: names,
      problem: `fewer than ${cell} rows are not 0, so its sums are over these rows alone`,
      remedy: 'leave out the term, or merge the rare level with another',
    },
  ];
}
