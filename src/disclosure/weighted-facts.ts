import type { ColumnFacts } from './column-facts.ts';

/**
 * What the rules need to know about rows that do not count alike: the weights are the study's, or those of a likelihood.
 * Measured in a second pass over the rows; it never leaves the site.
 */
export interface WeightedFacts {
  /** Σw and Σw². */
  readonly sum: number;
  readonly squares: number;
  /** Σw and the two largest w of the rows of each side, in the order of `sidesOf`. */
  readonly sides: Float64Array;
  /** The same of the rows in two sides, i < j: (0, 1), (0, 2), …, (1, 2), … */
  readonly pairs: Float64Array;
  /** Σw|c| and the two largest w|c| of each side and each many-valued column c, c varying fastest. */
  readonly groups: Float64Array;
  /** The largest share of one row in Σw(v − c)² over all centres c, for each column of the statistic. */
  readonly shares: Float64Array;
}

/** Numbers for each set of rows: a sum and its two largest summands. */
export const SET_NUMBERS = 3;

/** The rows with one of the two values of a column. */
export interface Side {
  /** Index among the columns of the facts. */
  readonly column: number;
  readonly high: boolean;
}

/**
 * The sides that the rules check. In a category with three or more levels, 0 means any other level; those levels have sides
 * of their own.
 */
export function sidesOf(columns: readonly Pick<ColumnFacts, 'values' | 'levels'>[]): Side[] {
  return columns.flatMap(({ values, levels }, column) => {
    if (values?.length !== 2) return [];
    const high = { column, high: true };
    return levels !== undefined && levels.zero === undefined
      ? [high]
      : [high, { column, high: false }];
  });
}

/** (Σw)²/Σw²: the number of rows of equal weight that would say as much. */
export function effectiveRows({ sum, squares }: Pick<WeightedFacts, 'sum' | 'squares'>): number {
  return squares > 0 ? (sum / squares) * sum : 0;
}

/** The facts of all rows from those of several sets of rows. */
export function joinWeighted(parts: readonly WeightedFacts[]): WeightedFacts {
  return parts.reduce((a, b) => ({
    sum: a.sum + b.sum,
    squares: a.squares + b.squares,
    sides: joinSets(a.sides, b.sides),
    pairs: joinSets(a.pairs, b.pairs),
    groups: joinSets(a.groups, b.groups),
    shares: a.shares.map((share, k) => Math.max(share, b.shares[k])),
  }));
}

function joinSets(a: Float64Array, b: Float64Array): Float64Array {
  const both = a.slice();
  for (let at = 0; at < both.length; at += SET_NUMBERS) {
    both[at] += b[at];
    const rest = Math.max(Math.min(a[at + 1], b[at + 1]), a[at + 2], b[at + 2]);
    both[at + 1] = Math.max(a[at + 1], b[at + 1]);
    both[at + 2] = rest;
  }
  return both;
}

/** Adds one summand to a set. */
export function addToSet(sets: Float64Array, at: number, size: number): void {
  sets[at] += size;
  if (size <= sets[at + 2]) return;
  sets[at + 2] = Math.min(sets[at + 1], size);
  sets[at + 1] = Math.max(sets[at + 1], size);
}
