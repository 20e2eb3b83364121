import { defined } from '../defined.ts';
import { trimBlanks } from './cell-text.ts';
import type { Dialect } from './dialect.ts';
import { isMissingWord } from './missing-words.ts';
import type { DecimalMark, FileNotation, Notation } from './notation.ts';
import { formOf } from './written-number.ts';

/** Bytes of a file that are looked at; cells below that contradict them are refused when they are read. */
const LOOKED_AT = 2 ** 18;

/** What the cells of one column show: every value that was found. */
interface Shown {
  readonly decimal: Set<Notation['decimal']>;
  readonly dates: Set<Notation['dates']>;
  texts: number;
}

/** How the first rows of a text file write numbers and dates. `head` is its first bytes, in UTF-8. */
export function fileNotation(
  head: Uint8Array,
  dialect: Dialect,
  header: readonly string[],
  decimal: DecimalMark | undefined,
): FileNotation {
  const shown = header.map((): Shown => ({ decimal: new Set(), dates: new Set(), texts: 0 }));
  eachCell(firstRecords(head, dialect), dialect, (cell, index) => {
    const text = trimBlanks(cell);
    const column = shown[index];
    if (column === undefined || text === '' || isMissingWord(text)) return;
    const form = formOf(text);
    if (form.is === 'text') column.texts++;
    if (form.decimal !== undefined) column.decimal.add(form.decimal);
    if (form.dates !== undefined) column.dates.add(form.dates);
  });
  const clean = shown.filter(({ texts }) => texts === 0);
  const columns = shown.flatMap(({ decimal, dates }, index) => {
    const own = defined({ decimal: only(decimal), dates: only(dates) });
    return Object.keys(own).length === 0 ? [] : [[header[index]!, own] as const];
  });
  return {
    columns: Object.fromEntries(columns),
    said: defined({ decimal }),
    shared: defined({
      decimal: only(new Set(clean.flatMap((column) => [...column.decimal]))),
      dates: only(new Set(clean.flatMap((column) => [...column.dates]))),
    }),
  };
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
  const blanks = delimiter === '\t' ? ' *' : '[ \\t]*';
  const cell = new RegExp(
    `(?:${blanks}"((?:[^"]|"")*)"${blanks}|([^${delimiter}\\r\\n]*))(${delimiter}|\\r\\n|\\r|\\n|$)`,
    'y',
  );
  let index = 0;
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text);
    if (match === null) return;
    look(match[1] ?? match[2]!, index);
    index = match[3] === delimiter ? index + 1 : 0;
  }
}
