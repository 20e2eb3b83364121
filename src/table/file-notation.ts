import { defined } from '../defined.ts';
import { trimBlanks } from './cell-text.ts';
import type { Dialect } from './dialect.ts';
import { isMissingWord } from './missing-words.ts';
import type { DecimalMark, FileNotation, Notation } from './notation.ts';
import { formOf } from './written-number.ts';

/** Bytes of a file that are looked at; cells below that contradict them are refused when they are read. */
const LOOKED_AT = 2 ** 16;
/** Cells that are enough to know how a column is written. */
const ENOUGH = 50;
const LF = 10;
const CR = 13;
const QUOTE = 34;
const INTEGER = /^\d+$/;
/** A number whose point cannot group digits, as most are: known without a closer look. */
const POINTED = /^[+-]?\d+\.(?:\d{0,2}|\d{4,})$/;

/** What the cells of one column show: every value that was found. */
interface Shown {
  readonly decimal: Set<Notation['decimal']>;
  readonly dates: Set<Notation['dates']>;
  texts: number;
  /** Cells that have shown something. */
  cells: number;
}

/** How the first rows of a text file write numbers and dates. `head` is its first bytes, in UTF-8. */
export function fileNotation(
  head: Uint8Array,
  dialect: Dialect,
  header: readonly string[],
  decimal: DecimalMark | undefined,
): FileNotation {
  const shown = header.map(
    (): Shown => ({ decimal: new Set(), dates: new Set(), texts: 0, cells: 0 }),
  );
  eachCell(firstRecords(head, dialect), dialect, (cell, index) => {
    const column = shown[index];
    if (column === undefined || column.cells === ENOUGH || INTEGER.test(cell)) return;
    if (POINTED.test(cell)) {
      column.decimal.add('.');
      column.cells++;
      return;
    }
    const text = trimBlanks(cell);
    const form = formOf(text);
    if (form.is === 'text' && text !== '' && !isMissingWord(text)) column.texts++;
    if (form.decimal !== undefined) column.decimal.add(form.decimal);
    if (form.dates !== undefined) column.dates.add(form.dates);
    if (form.decimal !== undefined || form.dates !== undefined) column.cells++;
  });
  // Between commas a quoted "1,3" is rather a list of two codes, if other columns have points.
  const mayBeMark = (mark: Notation['decimal']) => mark !== dialect.delimiter;
  const clean = shown.filter(({ texts }) => texts === 0);
  const shared = defined({
    decimal: only(new Set(clean.flatMap((column) => [...column.decimal]).filter(mayBeMark))),
    dates: only(new Set(clean.flatMap((column) => [...column.dates]))),
  });
  const columns = shown.flatMap(({ decimal, dates }, index) => {
    const mark = only(decimal);
    const isMark = mayBeMark(mark) || shared.decimal === undefined;
    const own = defined({ decimal: isMark ? mark : undefined, dates: only(dates) });
    return Object.keys(own).length === 0 ? [] : [[header[index]!, own] as const];
  });
  return { columns: Object.fromEntries(columns), said: defined({ decimal }), shared };
}

function only<T>(values: ReadonlySet<T>): T | undefined {
  const [value] = values;
  return values.size === 1 ? value : undefined;
}

/** The text of the first records, without a last one that is cut off. */
function firstRecords(head: Uint8Array, { headerBytes, newline }: Dialect): string {
  const bytes = head.subarray(headerBytes, headerBytes + LOOKED_AT);
  const whole =
    headerBytes + LOOKED_AT < head.length ? bytes.lastIndexOf(newline === 'cr' ? 13 : 10) : -1;
  return new TextDecoder().decode(whole < 0 ? bytes : bytes.subarray(0, whole));
}

/** Calls `look` with the cells of all records. Quotes are taken as they are; the reader refuses wrong ones. */
function eachCell(
  text: string,
  { delimiter }: Dialect,
  look: (cell: string, index: number) => void,
): void {
  if (!text.includes('"')) {
    for (const record of text.split(/[\r\n]/)) record.split(delimiter).forEach(look);
    return;
  }
  const between = delimiter.charCodeAt(0);
  const isEnd = (code: number) => code === between || code === LF || code === CR;
  let index = 0;
  for (let at = 0; at < text.length; at++) {
    let end = at;
    if (text.charCodeAt(at) === QUOTE) {
      end = at + 1;
      while (
        end < text.length &&
        (text.charCodeAt(end) !== QUOTE || text.charCodeAt(++end) === QUOTE)
      )
        end++;
      look(text.slice(at + 1, end - 1), index);
    }
    const from = end;
    while (end < text.length && !isEnd(text.charCodeAt(end))) end++;
    if (from === at) look(text.slice(at, end), index);
    index = text.charCodeAt(end) === between ? index + 1 : 0;
    at = end;
  }
}
