import { DataError } from '../data-error.ts';
import type { Place } from '../failure.ts';
import { parseDecimal } from '../numeric/decimal.ts';
import { type Codebook, type Column, defaultMissing } from '../study/codebook.ts';
import { isExactLevel, trimBlanks } from './csv-cells.ts';

/** More distinct texts than this make no category. */
export const MOST_TEXTS = 1000;

/** What was met in one column. */
export interface ColumnDraft {
  /** Whether numbers are among the texts too, instead of being summarised. */
  readonly everyText: boolean;
  /** Cells that are numbers, and their extremes (∞, −∞ where there are none). */
  readonly numbers: number;
  readonly min: number;
  readonly max: number;
  /** Numbers spelled with leading zeros: perhaps identifiers. */
  readonly leadingZeros: number;
  /** Cells that would be numbers with the other decimal mark. */
  readonly otherDecimals: number;
  /** Cells by missing marker, and by any other text; no texts and no markers where there are more than `MOST_TEXTS`. */
  readonly missing: ReadonlyMap<string, number>;
  readonly texts: ReadonlyMap<string, number> | undefined;
  /** Where the first text of each segment that has one is; `row` counts from the segment's first. */
  readonly firstTexts: readonly (Start & { readonly row: number })[];
}

/** Where a scan's first record starts: a file, and an offset in it. */
export interface Start {
  readonly file: string;
  readonly at: number;
}

/** What scans have met so far; drafts of ranges and files merge in any order. */
export interface Draft {
  readonly segments: readonly (Start & { readonly rows: number })[];
  readonly columns: ReadonlyMap<string, ColumnDraft>;
}

/** Both drafts as if one scan had met all; associative and commutative. */
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
  // Two segments start at one record only where one of them has no rows.
  return [...a, ...b].sort(
    (x, y) => byCodeUnit(x.file, y.file) || x.at - y.at || (x.rows ?? 0) - (y.rows ?? 0),
  );
}

function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The first draft with the columns of a second scan in place of its own. */
export function overlayDraft(first: Draft, second: Draft): Draft {
  return { segments: first.segments, columns: new Map([...first.columns, ...second.columns]) };
}

/** The columns that need a second scan with `texts`: factors scanned without, and texts with some numbers among them. */
export function needsTexts(draft: Draft, factors: ReadonlySet<string>): string[] {
  return [...draft.columns].flatMap(([name, column]) => {
    if (column.everyText || column.texts === undefined) return [];
    if (factors.has(name)) return [name];
    const texts = cells(column.texts);
    return column.numbers > 0 && texts >= column.numbers ? [name] : [];
  });
}

export interface CodebookOptions {
  /** Columns to be categories whatever they hold. */
  readonly factors: ReadonlySet<string>;
  readonly decimal?: '.' | ',';
}

/**
 * The codebook a draft suggests. Throws `DataError` where a column is all missing, mixes a few texts into numbers or has
 * too many levels, and `RangeError` while `needsTexts` names a column.
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

/** Of a column whose texts are numbers with the other decimal mark; `ways` are what else would help. */
function undeclaredDecimal(problem: string, place: Place, ways: string): DataError {
  return new DataError(problem, place, `${ways} or declare the decimal mark.`, { name: 'decimal' });
}

/** Levels in canonical spelling and numeric order where every text is a number that float64 holds, else sorted texts. */
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

/** File and row of the first text; the only file there is where no text was met. */
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
