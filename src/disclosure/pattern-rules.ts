import type { LinearLayout } from '../statistic/linear-layout.ts';
import type { DisclosureThresholds } from '../study/study.ts';
import { baselinesOf, type IndicatedTerm } from './baselines.ts';
import type { ColumnFacts } from './column-facts.ts';
import type { LevelName } from './level-names.ts';
import { percent } from './percent.ts';
import type { RowFacts } from './row-facts.ts';
import { type Finding, onColumns, SLACK, type Verdict } from './rule.ts';

/** R7: no value that nearly every row has: to be in the table would tell it. */
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
    if (kind === 'combination' || ignored.includes(column.name)) return [];
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
        'acknowledge that whoever knows of a person here knows this too, or leave it out',
      ),
      ...onShared(
        shared.filter(({ share }) => share < 1 && share > oneLevel + SLACK),
        {
          levels: `more than ${percent(oneLevel)} of the rows have it`,
          others: `more than ${percent(oneLevel)} of the rows have the same value`,
        },
        'acknowledge that it is nearly certain for anyone known to be here, or leave it out',
      ),
    ],
  };
}

/** A column, the level that most rows have, if it tells levels, and their share. */
interface Shared {
  readonly column: string;
  readonly level: LevelName | undefined;
  readonly share: number;
}

/** One verdict on levels of categories, and one on other columns. */
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

/** The columns whose 1 is a level of a category with others, and those that stand for no level at all. */
function levelColumns(
  layout: LinearLayout,
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

/** The level of an only indicator that most rows have. */
function commonLevel({ levels, values, high }: ColumnFacts, rows: number): LevelName | undefined {
  const atOne = values?.length === 1 ? values[0] === 1 : 2 * high >= rows;
  return atOne ? levels?.one : levels?.zero;
}

/** Rows at the value that most have, where there are at most two. */
function mostShared(
  { values, high }: ColumnFacts,
  rows: number,
  layout: LinearLayout,
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
