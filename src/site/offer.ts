import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { parseDecimal } from '../numeric/decimal.ts';
import type { OfferedColumn, UnitSuspicion } from '../protocol/messages.ts';
import type { Column, IdColumn, NumberColumn } from '../study/codebook.ts';
import { trimBlanks } from '../table/cell-text.ts';
import type { ColumnToRead } from '../table/columns.ts';
import { readingOf } from '../table/csv-cells.ts';
import type { ColumnSummary } from '../table/describe.ts';
import { type ColumnDraft, type Draft, MOST_TEXTS } from '../table/draft.ts';
import { cellsIn } from '../table/many-levels.ts';
import { sameUnit } from '../table/written-number.ts';

/** A column that the codebook describes, as a file words it. */
export interface CodebookColumn extends ColumnToRead {
  readonly column: Column;
}

/**
 * What a scanned file has for the columns of a study: kinds, counts and suspicions, never a value.
 * Columns that the scan did not find are `absent`.
 */
export function offeredColumns(columns: readonly CodebookColumn[], draft: Draft): OfferedColumn[] {
  return columns.map((wanted) => {
    const { name, column } = wanted;
    const scanned = draft.columns.get(name);
    if (scanned === undefined) {
      return { name, found: 'absent', unknownTexts: 0, range: 'not-a-number' };
    }
    if (column.type === 'id') return offerIds(name, column, scanned);
    return column.type === 'number'
      ? offerNumbers(name, column, scanned)
      : offerLevels(wanted, scanned);
  });
}

/**
 * The same for a file without a refused cell, from the counts of its reduction; undefined if a column has a number that only
 * the study's range refuses.
 */
export function acceptedColumns(
  columns: readonly { readonly name: string; readonly column: Column }[],
  counts: ColumnSummary,
): OfferedColumn[] | undefined {
  const offered = columns.map(({ name, column }): OfferedColumn | undefined => {
    const described = counts.columns[name];
    const none = { name, unknownTexts: 0, range: 'not-a-number' } as const;
    if (described.present === 0) return { ...none, found: 'empty' };
    if (column.type !== 'number' || described.kind !== 'number') return { ...none, found: 'text' };
    const [low, high] = readingOf({ column }).field.range!;
    if (!(low <= described.min && described.max <= high)) return undefined;
    return { name, found: 'number', unknownTexts: 0, range: 'inside' };
  });
  return offered.every((one) => one !== undefined) ? offered : undefined;
}

/** Columns whose texts would be numbers with the other decimal mark; a hint shown at the site only. */
export function otherDecimalMarks(draft: Draft): string[] {
  return Array.from(draft.columns)
    .filter(([, column]) => !column.everyText && column.otherDecimals > 0)
    .map(([name]) => name);
}

function offerNumbers(name: string, column: NumberColumn, scanned: ColumnDraft): OfferedColumn {
  const { settle, field } = readingOf({ column });
  const { markers = [] } = field;
  let { numbers, min, max } = scanned;
  let unknownTexts = scanned.texts === undefined ? MOST_TEXTS : unreadable(column, scanned);
  for (const [text, count] of [...scanned.missing, ...scanned.words, ...(scanned.texts ?? [])]) {
    const value = parseDecimal(trimBlanks(text), column.decimal ?? '.');
    if (value === undefined) {
      if (isRefused(() => settle(text, 0, {}))) unknownTexts++;
    } else if (!markers.includes(value)) {
      // A missing marker of another column; here it is a number.
      numbers += count;
      min = Math.min(min, value);
      max = Math.max(max, value);
    }
  }
  if (numbers === 0) {
    const found = unknownTexts > 0 ? 'text' : 'empty';
    return { name, found, unknownTexts, range: 'not-a-number' };
  }
  const found = 'number';
  const [low, high] = field.range!;
  const inside = (times: number, over: number) =>
    low <= (min * times) / over && (max * times) / over <= high;
  if (inside(1, 1)) return { name, found, unknownTexts, range: 'inside' };
  const suspicion = WRONG_UNITS.find(({ times, over }) => inside(times, over))?.text;
  return { name, found, unknownTexts, range: 'outside', ...defined({ suspicion }) };
}

/** Cells in doubt, and those with a unit that the codebook does not state. */
function unreadable({ unit }: NumberColumn, { doubts, written }: ColumnDraft): number {
  const others = [...written].filter(([form]) => !sameUnit(form, unit));
  const cells = cellsIn(doubts) + others.reduce((sum, [, counts]) => sum + cellsIn(counts), 0);
  return Math.min(cells, MOST_TEXTS);
}

/** Wrong units and their corrections, the smallest first; the first that explains the numbers is used. */
const WRONG_UNITS: readonly {
  readonly times: number;
  readonly over: number;
  readonly text: UnitSuspicion;
}[] = [
  { times: 1, over: 10, text: 'ten times too large' },
  { times: 10, over: 1, text: 'ten times too small' },
  { times: 1, over: 100, text: 'a hundred times too large' },
  { times: 100, over: 1, text: 'a hundred times too small' },
  { times: 1, over: 1000, text: 'a thousand times too large' },
  { times: 1000, over: 1, text: 'a thousand times too small' },
];

function offerLevels(wanted: CodebookColumn, scanned: ColumnDraft): OfferedColumn {
  const { name } = wanted;
  const range = 'not-a-number';
  if (scanned.texts === undefined) return { name, found: 'text', unknownTexts: MOST_TEXTS, range };
  const { known, settle } = readingOf(wanted);
  const values = new Map(known.toReversed());
  let unknownTexts = 0;
  let levels = 0;
  for (const text of [...scanned.missing.keys(), ...scanned.texts.keys()]) {
    const value = values.get(text);
    if (value === undefined && isRefused(() => settle(text, 0, {}))) unknownTexts++;
    else if (!Number.isNaN(value)) levels++;
  }
  const found = levels + unknownTexts > 0 ? 'text' : 'empty';
  return { name, found, unknownTexts, range };
}

/** An id column may have any text. */
function offerIds(name: string, column: IdColumn, scanned: ColumnDraft): OfferedColumn {
  const { settle } = readingOf({ column });
  const texts = [...scanned.missing.keys(), ...(scanned.texts?.keys() ?? [])];
  const some =
    scanned.numbers > 0 ||
    scanned.texts === undefined ||
    texts.some((text) => !Number.isNaN(settle(text, 0, {})));
  return { name, found: some ? 'text' : 'empty', unknownTexts: 0, range: 'not-a-number' };
}

function isRefused(settle: () => number): boolean {
  try {
    settle();
    return false;
  } catch (failure) {
    if (failure instanceof DataError) return true;
    throw failure;
  }
}
