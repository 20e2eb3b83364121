import type { Failure } from '../failure.ts';
import { wordsOf } from '../statistic/layout.ts';
import { fractionBitsOf, packedIndex } from '../statistic/linear-layout.ts';
import { ringEntry } from '../statistic/ring.ts';
import { type LinearStatistic, rowCount } from '../statistic/statistic.ts';
import { bigDoubleDouble } from './normal-equations.ts';

/** The rows of a class: those where a 0/1 column of the total is 1 and, if given, the column `less` is 0. */
export interface ClassMembers {
  readonly name: string;
  readonly column: number;
  readonly less?: number;
}

/** The levels of a category, and which of a total's responses indicate them. */
export interface IndicatedLevels {
  /** The baseline first. */
  readonly levels: readonly string[];
  /** Indices of responses: one for each level, or only that of the second level. */
  readonly columns: readonly number[];
}

/** The classes of a category: those with rows, and the names of the others. */
export function classMembers(
  category: IndicatedLevels,
  total: LinearStatistic,
): { readonly present: readonly ClassMembers[]; readonly empty: readonly string[] } {
  const members = membersOf(category, total);
  const [present, empty] = [true, false].map((wanted) =>
    members.filter((one) => classWeight(total, one) > 0 === wanted),
  );
  return { present, empty: empty.map(({ name }) => name) };
}

/** Where a total has each level: in its own column, or the first level as all rows minus those of the second. */
function membersOf(
  { levels, columns }: IndicatedLevels,
  { layout }: LinearStatistic,
): ClassMembers[] {
  const first = layout.columns.length - layout.responses;
  if (columns.length === levels.length) {
    return levels.map((name, k) => ({ name, column: first + columns[k] }));
  }
  const second = first + columns[0];
  return [
    { name: levels[0], column: 0, less: second },
    { name: levels[1], column: second },
  ];
}

/** Σ w of a class in the total's units; 0 if it has no rows. */
export function classWeight(
  { layout, values }: LinearStatistic,
  { column, less }: ClassMembers,
): number {
  const at = (j: number) =>
    ringEntry(values, wordsOf(layout), packedIndex(layout.columns.length, 0, j));
  const sum = less === undefined ? at(column) : at(column) - at(less);
  return bigDoubleDouble(sum, fractionBitsOf(layout)).hi;
}

/** Why the classes with rows have no scores, if so. */
export function whyNoScores(
  label: string,
  classes: number,
  total: LinearStatistic,
): Failure | undefined {
  const { layout } = total;
  const rows = rowCount(total);
  if (classes < 2) {
    return {
      problem: `all rows have the same ${label}`,
      remedy: 'a classifier needs rows of two classes at least',
    };
  }
  if (layout.columns.length - 1 - layout.responses === 0) {
    return { problem: 'the formula has no terms', remedy: 'add some: species ~ x + z' };
  }
  if (rows <= classes) {
    return {
      problem: `${rows} rows are too few for ${classes} classes`,
      remedy: 'a classifier needs more rows than classes',
    };
  }
  return undefined;
}
