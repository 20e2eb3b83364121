import type { Layout } from '../statistic/layout.ts';
import type { DisclosureThresholds } from '../study/study.ts';
import { baselinesOf, type IndicatedTerm } from './baselines.ts';
import type { ColumnFacts } from './column-facts.ts';
import { percent } from './percent.ts';
import type { RowFacts } from './row-facts.ts';
import { type Finding, onColumns, SLACK } from './rule.ts';

/** R7: no value that nearly every row has: to be in the table would tell it. */
export function groupDisclosure(
  layout: Layout,
  facts: RowFacts,
  terms: readonly IndicatedTerm[],
  ignored: readonly string[],
  { oneLevel }: DisclosureThresholds,
): Finding {
  const { rows, columns } = facts;
  const levels = levelColumns(layout, terms);
  const shares = columns.map((column, k) => {
    const kind = levels.get(k + 1);
    if (kind === 'combination' || ignored.includes(column.name)) return 0;
    const shared = kind === 'level' ? atOne(column, rows) : mostShared(column, rows, layout, k + 1);
    return shared / rows;
  });
  const named = (holds: (share: number) => boolean) =>
    columns.filter((_, k) => holds(shares[k])).map(({ name }) => name);
  return {
    verdicts: [
      ...onColumns({
        rule: 'R7',
        level: 'warn',
        columns: named((share) => share === 1),
        problem: 'every row has the same value',
        remedy: 'acknowledge that whoever knows of a person here knows this too, or leave it out',
      }),
      ...onColumns({
        rule: 'R7',
        level: 'warn',
        columns: named((share) => share < 1 && share > oneLevel + SLACK),
        problem: `more than ${percent(oneLevel)} of the rows have the same value`,
        remedy:
          'acknowledge that it is nearly certain for anyone known to be here, or leave it out',
      }),
    ],
  };
}

/** The columns whose 1 is a level of a category with others, and those that stand for no level at all. */
function levelColumns(
  layout: Layout,
  terms: readonly IndicatedTerm[],
): ReadonlyMap<number, 'level' | 'combination'> {
  const kinds = new Map<number, 'level' | 'combination'>();
  const offset = layout.intercept ? 0 : 1;
  for (const { label, columns } of terms) {
    // A combination of levels that no row has, or few, is nothing most rows have in common.
    if (label.includes(':')) for (const k of columns) kinds.set(k + offset, 'level');
  }
  baselinesOf(layout, terms).forEach(({ term, columns }, b) => {
    for (const k of columns) kinds.set(k, 'level');
    kinds.set(layout.columns.length + b, term.includes(':') ? 'combination' : 'level');
  });
  return kinds;
}

/** Rows at the value 1. */
function atOne({ values, high }: ColumnFacts, rows: number): number {
  if (values?.length === 1) return values[0] === 1 ? rows : 0;
  return values?.[1] === 1 ? high : 0;
}

/** Rows at the value that most have, where there are at most two. */
function mostShared(
  { values, high }: ColumnFacts,
  rows: number,
  layout: Layout,
  column: number,
): number {
  if (values === null) return 0;
  if (values.length === 2) return Math.max(high, rows - high);
  // Of several response columns, one that is zero is a level that no row has.
  const level = layout.responses > 1 && column >= layout.columns.length - layout.responses;
  return level && values[0] === 0 ? 0 : rows;
}

/** R8: whole numbers in few rows can be enumerated. */
export function smallWholeTable(
  { rows, columns }: RowFacts,
  { wholeRows }: DisclosureThresholds,
): Finding {
  if (rows > wholeRows || columns.some(({ whole, baseline }) => !whole && !baseline)) {
    return { verdicts: [] };
  }
  return {
    verdicts: [
      {
        rule: 'R8',
        level: 'block',
        columns: [],
        problem: `all values are whole numbers, and ${wholeRows} rows or fewer of them can be worked out by trying`,
        remedy: 'add rows, or ask for a study with differential privacy',
      },
    ],
  };
}
