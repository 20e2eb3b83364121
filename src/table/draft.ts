import { DataError } from '../data-error.ts';
import type { Place } from '../failure.ts';
import { parseDecimal } from '../numeric/decimal.ts';
import { type Codebook, type Column, defaultMissing } from '../study/codebook.ts';
import { isExactLevel, trimBlanks } from './csv-cells.ts';

/** Most distinct texts of a category. */
export const MOST_TEXTS = 1000;

/** What a scan found in one column. */
export interface ColumnDraft {
  /** Whether numbers are also listed as texts, not only summarised. */
  readonly everyText: boolean;
  /** Number of numeric cells, and their extremes (∞, −∞ if there are none). */
  readonly numbers: number;
  readonly min: number;
  readonly max: number;
  /** Numbers with leading zeros: perhaps identifiers. */
  readonly leadingZeros: number;
  /** Cells that would be numbers with the other decimal mark. */
  readonly otherDecimals: number;
  /** Number of cells for each missing marker and for each other text; both empty if there are more than `MOST_TEXTS`. */
  readonly missing: ReadonlyMap<string, number>;
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
    missing: fits ? addCounts(a.missing, b.missing) : new Map(),
    texts: fits ? texts : undefined,
    firstTexts: inOrder(a.firstTexts, b.firstTexts),
  };
}

function addCounts(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>) {
  const sum = new Map(a);
  for (const [text, count] of b) sum.set(text, (sum.get(text) ?? 0) + count);
  return sum;
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

function byCodeUnit(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The first draft with the columns of a second scan in place of its own. */
export function overlayDraft(first: Draft, second: Draft): Draft {
  return { segments: first.segments, columns: new Map([...first.columns, ...second.columns]) };
}

/** The columns that need a second scan with `texts`: factors scanned without it, and texts mixed with numbers. */
export function needsTexts(draft: Draft, factors: ReadonlySet<string>): string[] {
  return [...draft.columns].flatMap(([name, column]) => {
    if (column.everyText || column.texts === undefined) return [];
    if (factors.has(name)) return [name];
    const texts = cells(column.texts);
    return column.numbers > 0 && texts >= column.numbers ? [name] : [];
  });
}

export interface CodebookOptions {
  /** Columns that must become categories. */
  readonly factors: ReadonlySet<string>;
  readonly decimal?: '.' | ',';
}

/**
 * The codebook that a draft suggests. Throws `DataError` if a column is all missing, has a few texts among numbers or too many
 * levels, and `RangeError` while `needsTexts` names a column.
 */
export function draftCodebook(draft: Draft, options: CodebookOptions): Codebook {
  const lacking = needsTexts(draft, options.factors);
  if (lacking.length > 0) throw new RangeError(`scan again with texts of ${lacking.join(', ')}`);
  return Object.fromEntries(
    [...draft.columns].map(([name, column]) => [name, draftColumn(draft, name, column, options)]),
  );
}

function draftColumn(
  draft: Draft,
  name: string,
  column: ColumnDraft,
  { factors, decimal }: CodebookOptions,
): Column {
  const place = placeOfFirstText(draft, name, column);
  if (column.texts === undefined) {
    const problem = `more than ${MOST_TEXTS} distinct texts`;
    const otherwise =
      'Leave the column out of the formula, group its texts, or use it as a number instead of a factor.';
    throw column.otherDecimals > 0
      ? undeclaredDecimal(problem, place, 'Leave the column out of the formula,')
      : new DataError(problem, place, otherwise);
  }
  const texts = cells(column.texts);
  if (column.numbers + texts === 0) {
    const problem = 'every cell is missing';
    throw new DataError(problem, place, 'Leave the column out of the formula, or fill it.');
  }
  const extra = [...column.missing.keys()].filter((marker) => !defaultMissing.includes(marker));
  const missing = [...defaultMissing, ...extra.sort(byCodeUnit)];
  if (texts === 0 && !factors.has(name)) {
    const range: [number, number] = [column.min + 0, column.max + 0]; // −0 becomes 0
    return { type: 'number', range, missing, ...(decimal === ',' ? { decimal } : {}) };
  }
  if (column.numbers > texts) {
    const problem = `text in a column of numbers: ${texts} of ${column.numbers + texts} cells`;
    if (column.otherDecimals > 0) {
      const ways = 'Write a codebook with type "category", list the text as a missing marker,';
      throw undeclaredDecimal(problem, place, ways);
    }
    throw new DataError(
      problem,
      place,
      'Write a codebook with type "category", or list the text as a missing marker.',
      { name: 'missing-marker' },
    );
  }
  return { type: 'category', levels: levelsOf([...column.texts.keys()]), missing };
}

/** The error for a column whose texts are numbers with the other decimal mark; `ways` are other remedies. */
function undeclaredDecimal(problem: string, place: Place, ways: string): DataError {
  return new DataError(problem, place, `${ways} or declare the decimal mark.`, { name: 'decimal' });
}

/** Levels in canonical form and numeric order if every text is a number that float64 holds exactly, else sorted texts. */
export function levelsOf(texts: readonly string[]): string[] {
  const values = texts.map((text) => {
    const trimmed = trimBlanks(text);
    const value = /^[+-]?0\d/.test(trimmed) ? undefined : parseDecimal(trimmed);
    return value !== undefined && isExactLevel(value) ? value : undefined;
  });
  if (values.every((value) => value !== undefined)) {
    return [...new Set(values)].sort((a, b) => a - b).map(String);
  }
  return [...texts].sort(byCodeUnit);
}

function cells(counts: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const count of counts.values()) sum += count;
  return sum;
}

/** File and row of the first text; if there is no text, the file if there is only one. */
function placeOfFirstText(draft: Draft, name: string, column: ColumnDraft): Place {
  const [first] = column.firstTexts;
  if (first === undefined) {
    const files = new Set(draft.segments.map(({ file }) => file));
    const [file] = files;
    return file !== undefined && files.size === 1 ? { file, column: name } : { column: name };
  }
  const before = draft.segments.filter(({ file, at }) => file === first.file && at < first.at);
  const row = before.reduce((sum, { rows }) => sum + rows, 0) + first.row;
  return { file: first.file, row, column: name };
}
