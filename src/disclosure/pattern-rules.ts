import type { LinearLayout } from '../statistic/linear-layout.ts';
import type { DisclosureThresholds } from '../study/study.ts';
import { baselinesOf, type IndicatedTerm } from './baselines.ts';
import type { ColumnFacts } from './column-facts.ts';
import type { LevelName } from './level-names.ts';
import type { RowFacts } from './row-facts.ts';
import { type Finding, onColumns, percent, SLACK, type Verdict } from './rule.ts';

/** R7: nearly all rows must not have the same value, or to know that a person is in the table is to know the value. */
export function groupDisclosure(
  layout: LinearLayout,
  facts: RowFacts,
  terms: readonly IndicatedTerm[],
  ignored: readonly string[],
  { oneLevel }: DisclosureThresholds,
): Finding {
  const { rows, columns } = facts;
  const kinds = levelColumns(layout, terms);
  const shared = columns.flatMap((column, k): Shared[] => {
    const kind = kinds.get(k + 1);
    const counts = column.part === undefined && !ignored.includes(column.name);
    if (kind === 'combination' || !counts) return [];
    const { name, levels } = column;
    return kind === 'level'
      ? [{ column: name, level: levels?.one, share: atOne(column, rows) / rows }]
      : [
          {
            column: name,
            level: commonLevel(column, rows),
            share: mostShared(column, rows, layout, k + 1) / rows,
          },
        ];
  });
  return {
    verdicts: [
      ...onShared(
        shared.filter(({ share }) => share === 1),
        { levels: 'every row has it', others: 'every row has the same value' },
        'acknowledge that anyone who knows a person in the table knows this too, or leave it out',
      ),
      ...onShared(
        shared.filter(({ share }) => share < 1 && share > oneLevel + SLACK),
        {
          levels: `more than ${percent(oneLevel)} of the rows have it`,
          others: `more than ${percent(oneLevel)} of the rows have the same value`,
        },
        'acknowledge that it is nearly certain for any person known to be in the table, or leave it out',
      ),
    ],
  };
}

/** A column, the level that most rows have (if the column indicates levels), and their share. */
interface Shared {
  readonly column: string;
  readonly level: LevelName | undefined;
  readonly share: number;
}

/** One verdict about levels of categories, and one about other columns. */
function onShared(
  shared: readonly Shared[],
  problems: { readonly levels: string; readonly others: string },
  remedy: string,
): Verdict[] {
  const warn = { rule: 'R7', level: 'warn', remedy } as const;
  const levels = shared.filter(({ level }) => level !== undefined);
  const others = shared.filter(({ level }) => level === undefined);
  return [
    ...onColumns({
      ...warn,
      columns: levels.map(({ column }) => column),
      names: levels.map(({ level }) => level!.alone),
      problem: problems.levels,
    }),
    ...onColumns({
      ...warn,
      columns: others.map(({ column }) => column),
      problem: problems.others,
    }),
  ];
}

/** `level`: the columns whose 1 is one of several levels. `combination`: the baselines of combinations, which are no level. */
function levelColumns(
  layout: LinearLayout,
  terms: readonly IndicatedTerm[],
): ReadonlyMap<number, 'level' | 'combination'> {
  const kinds = new Map<number, 'level' | 'combination'>();
  const offset = layout.intercept ? 0 : 1;
  for (const { label, columns } of terms) {
    // That most rows lack a combination of levels is no value they share.
    if (label.includes(':')) for (const k of columns) kinds.set(k + offset, 'level');
  }
  baselinesOf(layout, terms).forEach(({ term, columns }, b) => {
    for (const k of columns) kinds.set(k, 'level');
    kinds.set(layout.columns.length + b, term.includes(':') ? 'combination' : 'level');
  });
  return kinds;
}

/** Rows with the value 1. */
function atOne({ values, high }: ColumnFacts, rows: number): number {
  if (values?.length === 1) return values[0] === 1 ? rows : 0;
  return values?.[1] === 1 ? high : 0;
}

/** The level that most rows have, for a term with one indicator. */
function commonLevel({ levels, values, high }: ColumnFacts, rows: number): LevelName | undefined {
  const atOne = values?.length === 1 ? values[0] === 1 : 2 * high >= rows;
  return atOne ? levels?.one : levels?.zero;
}

/** Rows with the most frequent value, if there are at most two values. */
function mostShared(
  { values, high }: ColumnFacts,
  rows: number,
  layout: LinearLayout,
  column: number,
): number {
  if (values === null) return 0;
  if (values.length === 2) return Math.max(high, rows - high);
  // With several response columns, a column of zeros is a level without rows.
  const level = layout.responses > 1 && column >= layout.columns.length - layout.responses;
  return level && values[0] === 0 ? 0 : rows;
}

/** R8: a small table of whole numbers can be found by trying all tables. */
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
        problem: `all values are whole numbers, and a table of ${wholeRows} rows or fewer can be found by trying all tables`,
        remedy: 'add rows, or ask for a study with differential privacy',
      },
    ],
  };
}
