import { byCodeUnit } from '../text/by-code-unit.ts';
import type { WrittenForms } from './odd-numbers.ts';

/** Most distinct texts of a category: as many levels as a study may list. */
export const MOST_TEXTS = 10_000;

/** What a scan found in one column. */
export interface ColumnDraft extends WrittenForms {
  /** Whether numbers are also listed as texts, not only summarised. */
  readonly everyText: boolean;
  /** Number of numeric cells in any form, and their extremes (∞, −∞ if there are none). */
  readonly numbers: number;
  readonly min: number;
  readonly max: number;
  /** Numbers with leading zeros: perhaps identifiers. */
  readonly leadingZeros: number;
  /** Cells that would be numbers with the other decimal mark. */
  readonly otherDecimals: number;
  /**
   * Number of cells for each missing marker, for each word that means missing among numbers, and for each other text; words
   * and texts without blanks around them; not listed if there are more than `MOST_TEXTS` of them.
   */
  readonly missing: ReadonlyMap<string, number>;
  readonly words: ReadonlyMap<string, number>;
  readonly texts: ReadonlyMap<string, number> | undefined;
  /** Position of the first text in each segment that has one; `row` counts from the segment's first row. */
  readonly firstTexts: readonly (Start & { readonly row: number })[];
}

/** Start of a scan: a file, and an offset in it. */
export interface Start {
  readonly file: string;
  readonly at: number;
}

/** What scans have found so far; drafts of ranges and files merge in any order. */
export interface Draft {
  readonly segments: readonly (Start & { readonly rows: number })[];
  readonly columns: ReadonlyMap<string, ColumnDraft>;
}

/** Both drafts as from one scan; associative and commutative. */
export function mergeDrafts(a: Draft, b: Draft): Draft {
  const columns = new Map(a.columns);
  for (const [name, column] of b.columns) {
    const other = columns.get(name);
    columns.set(name, other === undefined ? column : mergeColumns(other, column));
  }
  return { segments: inOrder(a.segments, b.segments), columns };
}

function mergeColumns(a: ColumnDraft, b: ColumnDraft): ColumnDraft {
  if (a.everyText !== b.everyText) throw new RangeError('drafts differ in which texts they hold');
  const texts = a.texts && b.texts && addCounts(a.texts, b.texts);
  const fits = texts !== undefined && texts.size <= MOST_TEXTS;
  return {
    everyText: a.everyText,
    numbers: a.numbers + b.numbers,
    min: Math.min(a.min, b.min),
    max: Math.max(a.max, b.max),
    leadingZeros: a.leadingZeros + b.leadingZeros,
    otherDecimals: a.otherDecimals + b.otherDecimals,
    written: joinMaps(a.written, b.written, addCounts),
    doubts: addCounts(a.doubts, b.doubts),
    missing: fits ? addCounts(a.missing, b.missing) : new Map(),
    words: fits ? addCounts(a.words, b.words) : new Map(),
    texts: fits ? texts : undefined,
    firstTexts: inOrder(a.firstTexts, b.firstTexts),
  };
}

function addCounts<K>(a: ReadonlyMap<K, number>, b: ReadonlyMap<K, number>): Map<K, number> {
  return joinMaps(a, b, (m, n) => m + n);
}

function joinMaps<K, V>(
  a: ReadonlyMap<K, V>,
  b: ReadonlyMap<K, V>,
  join: (mine: V, theirs: V) => V,
): Map<K, V> {
  const both = new Map(a);
  for (const [key, theirs] of b) {
    const mine = both.get(key);
    both.set(key, mine === undefined ? theirs : join(mine, theirs));
  }
  return both;
}

function inOrder<T extends Start & { readonly rows?: number }>(
  a: readonly T[],
  b: readonly T[],
): T[] {
  // Two segments start at the same record only if one of them has no rows.
  return [...a, ...b].sort(
    (x, y) => byCodeUnit(x.file, y.file) || x.at - y.at || (x.rows ?? 0) - (y.rows ?? 0),
  );
}

/** The first draft with the columns of a second scan in place of its own. */
export function overlayDraft(first: Draft, second: Draft): Draft {
  return { segments: first.segments, columns: new Map([...first.columns, ...second.columns]) };
}
