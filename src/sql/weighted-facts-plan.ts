import type { SqlDialect } from './dialect.ts';
import { around, type Sql, sql } from './layers.ts';
import type { SqlOutput } from './sums-plan.ts';

/** A column that the rules look at, and whether it is one of the statistic with many values, or one of the statistic at all. */
export interface WeighedColumn {
  readonly value: Sql;
  readonly many: boolean;
  readonly isSummed: boolean;
}

/** What the queries of facts ask where rows have weights, in the steps of `facts-plan.ts`. */
export interface WeightedOutputs {
  readonly first: readonly SqlOutput[];
  readonly second: readonly SqlOutput[];
  readonly third: readonly SqlOutput[];
}

/** The sides of a column, as names have them, and the extreme that the rows of a side have. */
const ENDS = [
  { side: 'high', end: 'top' },
  { side: 'low', end: 'bottom' },
] as const;

/** A set of rows whose sum is compared with its largest summands. */
interface WeighedSet {
  readonly key: string;
  /** Which rows are in it; the extremes have this before their names. */
  isIn(prefix: string): Sql;
  readonly size: Sql;
}

/** Sums of weights over sides, pairs of sides and groups, their two largest summands, and the largest share of a row in each column. */
export function weightedOutputs(
  weight: Sql,
  columns: readonly WeighedColumn[],
  dialect: SqlDialect,
): WeightedOutputs {
  const sets = setsOf(weight, columns);
  const summed = columns.flatMap(({ value, isSummed }, k) => (isSummed ? [{ value, k }] : []));
  const zero = dialect.double(0);
  return {
    first: [
      { name: 'wsum', value: sql`sum(${weight})` },
      { name: 'wsquares', value: sql`sum(${weight} * ${weight})` },
      ...summed.map(({ value, k }) => ({
        name: `wmean_${k}`,
        value: sql`sum(${weight} * ${value}) / sum(${weight})`,
      })),
    ],
    second: [
      ...summed.map(({ value, k }) => ({
        name: `wspread_${k}`,
        value: sql`sum(${weight} * ((${value} - wmean_${k}) * (${value} - wmean_${k})))`,
      })),
      ...sets.flatMap(({ key, isIn, size }) => [
        {
          name: `wsum_${key}`,
          value: sql`sum(case when ${isIn('')} then ${size} else ${zero} end)`,
        },
        { name: `wfirst_${key}`, value: sql`max(case when ${isIn('')} then ${size} end)` },
      ]),
    ],
    third: [
      ...summed.map(({ value, k }) => {
        const away = sql`(${value} - the_wmean_${k})`;
        const part = sql`case when ${value} = the_wmean_${k} or wspread_${k} = ${zero} then ${zero} else ${away} * ${away} / wspread_${k} end`;
        return {
          name: `wshare_${k}`,
          value: sql`max(${weight} * (${dialect.double(1)} / the_wsum + ${part}))`,
        };
      }),
      ...sets.flatMap(({ key, isIn, size }) => [
        {
          name: `wfirsts_${key}`,
          value: around(
            dialect.sum,
            sql`case when ${isIn('the_')} and ${size} = wfirst_${key} then 1 else 0 end`,
          ),
        },
        {
          name: `wsecond_${key}`,
          value: sql`max(case when ${isIn('the_')} and ${size} < wfirst_${key} then ${size} end)`,
        },
      ]),
    ],
  };
}

/** Whether the later steps compare rows with an output. */
export function isWeightedEnd(name: string): boolean {
  return name === 'wsum' || name.startsWith('wmean_');
}

/** The same of an output of the second step. */
export function isWeightedLargest(name: string): boolean {
  return name.startsWith('wfirst_') || name.startsWith('wspread_');
}

function setsOf(weight: Sql, columns: readonly WeighedColumn[]): WeighedSet[] {
  const sides = columns.flatMap(({ value }, column) =>
    ENDS.map(({ side, end }) => ({
      column,
      key: `${side}_${column}`,
      isIn: (prefix: string) => sql`${value} = ${prefix}${end}_${column}`,
    })),
  );
  const pairs = sides.flatMap((a) =>
    sides.flatMap((b): WeighedSet[] =>
      a.column < b.column
        ? [
            {
              key: sidesKey(a.key, b.key),
              isIn: (prefix) => sql`${a.isIn(prefix)} and ${b.isIn(prefix)}`,
              size: weight,
            },
          ]
        : [],
    ),
  );
  const groups = sides.flatMap((side) =>
    columns.flatMap(({ value, many }, c): WeighedSet[] =>
      many && c !== side.column
        ? [
            {
              key: groupKey(side.key, c),
              isIn: side.isIn,
              size: sql`(${weight} * abs(${value}))`,
            },
          ]
        : [],
    ),
  );
  return [...sides.map(({ key, isIn }) => ({ key, isIn, size: weight })), ...pairs, ...groups];
}

/** The name of a side. */
export function sideKey(column: number, high: boolean): string {
  return `${high ? 'high' : 'low'}_${column}`;
}

/** The name of the rows in two sides. */
export function sidesKey(a: string, b: string): string {
  return `${a}_${b}`;
}

/** The name of a column over a side. */
export function groupKey(side: string, column: number): string {
  return `${side}_of_${column}`;
}
