import { wordsOf } from '../statistic/layout.ts';
import { fractionBitsOf, packedIndex } from '../statistic/linear-layout.ts';
import { ringEntry } from '../statistic/ring.ts';
import { type LinearStatistic, rowCount } from '../statistic/statistic.ts';
import { baselinesOf, type IndicatedTerm } from './baselines.ts';
import { type Levels, levelNamesOf } from './level-names.ts';
import { pairIndex } from './pair-counts.ts';
import { type RowFacts, twoValued } from './row-facts.ts';

/** A column that has two values. */
export interface CellColumn {
  readonly name: string;
  /** Rows at the larger value. */
  readonly high: number;
  readonly levels?: Levels;
}

/** Numbers of rows in the cells of pairs of two-valued columns. */
export interface Cells {
  readonly rows: number;
  readonly columns: readonly CellColumn[];
  /** Rows where columns i and j, i < j, both have their larger value. */
  both(i: number, j: number): number;
}

/** The cells of a site's rows, for every column with two values. */
export function cellsOfRows({ rows, columns, pairs }: RowFacts): Cells {
  const chosen = twoValued(columns).map((k) => columns[k]);
  return { rows, columns: chosen, both: (i, j) => pairs[pairIndex(chosen.length, i, j)] };
}

/**
 * The cells that can be read from a statistic of unweighted rows alone: those of 0/1 columns, whose squares equal their sums,
 * and of the baselines of categories, by subtraction.
 */
export function cellsOfStatistic(
  statistic: LinearStatistic,
  terms: readonly IndicatedTerm[],
): Cells {
  const { layout, values } = statistic;
  const width = layout.columns.length;
  const entry = (i: number, j: number) =>
    ringEntry(values, wordsOf(layout), packedIndex(width, i, j));
  const bits = BigInt(fractionBitsOf(layout));
  const count = (i: number, j: number) => Number(entry(i, j) >> bits);
  const rows = rowCount(statistic);
  const levels = levelNamesOf(layout, terms);
  const named = (k: number) => {
    const found = levels.get(k);
    return found === undefined ? {} : { levels: found };
  };
  const indicates = layout.references.map(
    ({ center, scale }, k) => center === 0 && scale === 1 && entry(k, k) === entry(0, k),
  );
  /** The rows of a column, or all rows but those of some columns. */
  const sets = [
    ...layout.columns.flatMap((name, k) =>
      k > 0 && indicates[k] ? [{ name, ...named(k), taken: undefined, column: k }] : [],
    ),
    ...baselinesOf(layout, terms)
      .map((baseline, b) => ({ ...baseline, ...named(layout.columns.length + b) }))
      .filter(({ columns }) => columns.every((k) => indicates[k]))
      .map(({ columns: taken, ...rest }) => ({ ...rest, taken, column: 0 })),
  ];
  type RowSet = (typeof sets)[number];
  const common = (a: RowSet, b: RowSet): number => {
    const whole =
      b.taken === undefined
        ? count(a.column, b.column)
        : b.taken.reduce((rest, k) => rest - count(a.column, k), count(a.column, 0));
    if (a.taken === undefined) return whole;
    return a.taken.reduce(
      (rest, column) => rest - common({ ...a, taken: undefined, column }, b),
      whole,
    );
  };
  const present = sets
    .map((set) => ({ ...set, high: common(set, set) }))
    .filter(({ high }) => high > 0 && high < rows);
  return { rows, columns: present, both: (i, j) => common(present[i], present[j]) };
}
