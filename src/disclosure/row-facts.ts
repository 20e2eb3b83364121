import { type ColumnFacts, highRows, joinColumns } from './column-facts.ts';
import { type DistinctSketch, mergeSketches } from './distinct-values.ts';
import { GROUP_NUMBERS } from './group-facts.ts';
import { pairIndex } from './pair-counts.ts';

/**
 * What the rules of disclosure control need to know about a site's rows beyond its statistic. Plain data; it has values of
 * rows, and never leaves the site.
 */
export interface RowFacts {
  readonly rows: number;
  /** The columns of z without the constant, in the layout's order; then the baselines. */
  readonly columns: readonly ColumnFacts[];
  /** Sketches of the distinct values of whole-number columns; null for other columns. */
  readonly distinct: readonly (DistinctSketch | null)[];
  /** Rows where two two-valued columns both have their larger value, in the order of `pairCounts`. */
  readonly pairs: Float64Array;
  /** Sums of a many-valued column over the groups of a two-valued one, in the order of `groupFacts`. */
  readonly groups: Float64Array;
}

/** The columns with exactly two values. */
export function twoValued(columns: readonly ColumnFacts[]): number[] {
  return placesOf(columns, ({ values }) => values?.length === 2);
}

/** The columns of the statistic with more than two values. */
export function manyValued(columns: readonly ColumnFacts[]): number[] {
  return placesOf(columns, ({ values, baseline }) => values === null && !baseline);
}

function placesOf(
  columns: readonly ColumnFacts[],
  isWanted: (column: ColumnFacts) => boolean,
): number[] {
  const places: number[] = [];
  columns.forEach((column, k) => {
    if (isWanted(column)) places.push(k);
  });
  return places;
}

/** The facts of all rows from those of several sets of rows, in any order. Sums are rounded; the rest is exact. */
export function joinFacts(parts: readonly RowFacts[]): RowFacts {
  return parts.reduce((a, b) => ({ ...joinTwo(a, b), distinct: joinDistinct(a, b) }));
}

function joinDistinct(a: RowFacts, b: RowFacts): RowFacts['distinct'] {
  return a.distinct.map((sketch, k) => {
    const other = b.distinct[k];
    return sketch === null || other === null ? null : mergeSketches(sketch, other);
  });
}

/** The facts of two sets of rows together, without their distinct values. */
export function joinTwo(a: RowFacts, b: RowFacts): RowFacts {
  const columns = a.columns.map((column, k) => joinColumns(column, b.columns[k], [a.rows, b.rows]));
  const two = twoValued(columns);
  const many = manyValued(columns);
  const pairs = new Float64Array((two.length * (two.length - 1)) / 2);
  const groups = new Float64Array(GROUP_NUMBERS * two.length * many.length);
  for (const part of two.length === 0 ? [] : [a, b]) {
    if (part.rows === 0) continue;
    const seen = partOf(part);
    addPairs(pairs, seen, columns, two);
    addGroups(groups, seen, columns, two, many);
  }
  return { rows: a.rows + b.rows, columns, distinct: a.distinct, pairs, groups };
}

/** Facts of some rows, with each column's index among their two-valued and their many-valued columns; −1 if it is not there. */
interface Part extends RowFacts {
  readonly splitPlace: Int32Array;
  readonly manyPlace: Int32Array;
  readonly splits: number;
  readonly manys: number;
}

function partOf(facts: RowFacts): Part {
  const place = (chosen: readonly number[]) => {
    const places = new Int32Array(facts.columns.length).fill(-1);
    chosen.forEach((column, k) => {
      places[column] = k;
    });
    return places;
  };
  const two = twoValued(facts.columns);
  const many = manyValued(facts.columns);
  return {
    ...facts,
    splitPlace: place(two),
    manyPlace: place(many),
    splits: two.length,
    manys: many.length,
  };
}

function addPairs(
  pairs: Float64Array,
  part: Part,
  columns: readonly ColumnFacts[],
  two: readonly number[],
): void {
  let entry = 0;
  two.forEach((i, k) => {
    for (const j of two.slice(k + 1)) pairs[entry++] += bothHigh(part, columns, i, j);
  });
}

/** Rows of a part where both columns have their larger value, of the values over all rows. */
function bothHigh(part: Part, columns: readonly ColumnFacts[], i: number, j: number): number {
  const [k, l] = [part.splitPlace[i], part.splitPlace[j]];
  if (k >= 0 && l >= 0) return part.pairs[pairIndex(part.splits, k, l)];
  // At least one of the columns has a single value in this part.
  const highI = highRows(part.columns[i], part.rows, columns[i].values);
  const highJ = highRows(part.columns[j], part.rows, columns[j].values);
  const [several, single] = k >= 0 ? [highI, highJ] : [highJ, highI];
  return single > 0 ? several : 0;
}

function addGroups(
  groups: Float64Array,
  part: Part,
  columns: readonly ColumnFacts[],
  two: readonly number[],
  many: readonly number[],
): void {
  let at = 0;
  for (const j of two) {
    const split = part.splitPlace[j];
    const constantHigh = split < 0 && highRows(part.columns[j], part.rows, columns[j].values) > 0;
    for (const c of many) {
      if (split < 0) {
        const { size, first, second } = part.columns[c];
        addGroup(groups, constantHigh ? at : at + 3, size, first, second);
      } else if (part.manyPlace[c] >= 0) {
        const from = GROUP_NUMBERS * (split * part.manys + part.manyPlace[c]);
        const { groups: own } = part;
        addGroup(groups, at, own[from], own[from + 1], own[from + 2]);
        addGroup(groups, at + 3, own[from + 3], own[from + 4], own[from + 5]);
      } else {
        addFewValued(groups, at, part, j, c);
      }
      at += GROUP_NUMBERS;
    }
  }
}

/** The groups of a column that has one or two values in this part: their sums follow from counts. */
function addFewValued(groups: Float64Array, at: number, part: Part, j: number, c: number): void {
  const { high } = part.columns[j];
  const { values, high: ofHigh } = part.columns[c];
  const [low, top] = values!;
  const both =
    top === undefined
      ? 0
      : part.pairs[pairIndex(part.splits, ...sorted(part.splitPlace[j], part.splitPlace[c]))];
  const cells = [
    [both, high - both],
    [ofHigh - both, part.rows - high - (ofHigh - both)],
  ];
  cells.forEach(([tops, lows], side) => {
    addRepeated(groups, at + 3 * side, Math.abs(top ?? 0), tops);
    addRepeated(groups, at + 3 * side, Math.abs(low), lows);
  });
}

function sorted(i: number, j: number): [number, number] {
  return i < j ? [i, j] : [j, i];
}

function addRepeated(groups: Float64Array, at: number, size: number, count: number): void {
  if (count > 0) addGroup(groups, at, size * count, size, count > 1 ? size : 0);
}

function addGroup(
  groups: Float64Array,
  at: number,
  size: number,
  first: number,
  second: number,
): void {
  groups[at] += size;
  groups[at + 2] = Math.max(Math.min(groups[at + 1], first), groups[at + 2], second);
  groups[at + 1] = Math.max(groups[at + 1], first);
}
