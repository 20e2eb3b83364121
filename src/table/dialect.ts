import { DataError } from '../data-error.ts';
import { nearNames } from '../study/near-names.ts';
import { HeaderBelow, linesAboveHeader } from './header-below.ts';

/** How a text file separates cells and records. */
export interface Dialect {
  readonly delimiter: ',' | ';' | '\t';
  /** 'lf' reads CRLF too. */
  readonly newline: 'lf' | 'cr';
  /** Bytes before the first data record: byte order mark, blank lines, header line. */
  readonly headerBytes: number;
}

/** Most bytes that `sniff` reads; the header line must fit. */
export const HEAD_BYTES: number = 2 ** 20;

const DELIMITERS = [',', ';', '\t'] as const;
/** Excel's first line that names the delimiter. */
const EXCEL_DELIMITER = /^"?sep=([,;\t])"?$/i;
const LF = 10;
const CR = 13;
const QUOTE = 34;

/**
 * Reads the header line of a file from its first bytes (UTF-8, at most `HEAD_BYTES` of them are needed): the delimiter is
 * the one that gives all wanted names, else the one that gives most fields.
 */
export function sniff(
  head: Uint8Array,
  wanted: readonly string[],
  file?: string,
): { readonly dialect: Dialect; readonly header: readonly string[] } {
  const place = file === undefined ? {} : { file };
  const start = skipBlankLines(head, hasByteOrderMark(head) ? 3 : 0);
  if (start === head.length) {
    throw new DataError(
      'the file is empty',
      place,
      'Give a file with a header line of column names.',
    );
  }
  let line = headerLine(head, start, place);
  let text = decodeHeader(head.subarray(start, line.end), place);
  const declared = EXCEL_DELIMITER.exec(text)?.[1];
  if (declared !== undefined) {
    const next = line.next;
    line = headerLine(head, next, place);
    text = decodeHeader(head.subarray(next, line.end), place);
  }
  const candidates = DELIMITERS.filter((one) => declared === undefined || one === declared);
  const splits = candidates.flatMap((delimiter) => {
    const names = splitHeader(text, delimiter);
    return names === undefined ? [] : [{ delimiter, names }];
  });
  const complete = splits.filter(({ names }) => wanted.every((name) => names.includes(name)));
  const best = (complete.length > 0 ? complete : splits).reduce<
    (typeof splits)[number] | undefined
  >((a, b) => (a === undefined || b.names.length > a.names.length ? b : a), undefined);
  if (best === undefined) {
    throw new DataError(
      'the header has a quote that neither opens nor closes a name',
      place,
      'Quote a name as "name", and write a quote inside it twice.',
    );
  }
  const lacking = wanted.filter((name) => !best.names.includes(name));
  if (lacking.length > 0 || best.names.length === 1) {
    const lines = [text, ...linesOf(head.subarray(line.next))];
    refusePreamble(lines, lineOf(head, line.next), wanted, place);
  }
  refuseDuplicates(best.names, place);
  if (lacking.length > 0) throw lackingColumns(lacking, best.names, place);
  const dialect = { delimiter: best.delimiter, newline: line.newline, headerBytes: line.next };
  return { dialect, header: best.names };
}

/** The number of the line that starts at a byte, from 1. */
function lineOf(head: Uint8Array, start: number): number {
  const before = new TextDecoder('latin1').decode(head.subarray(0, start));
  return before.split(/\r\n|\r|\n/).length;
}

function hasByteOrderMark(head: Uint8Array): boolean {
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf;
}

function skipBlankLines(head: Uint8Array, from: number): number {
  let at = from;
  while (head[at] === LF || head[at] === CR) at++;
  return at;
}

/** End of the header line, its newline style, and start of the next line. */
function headerLine(
  head: Uint8Array,
  start: number,
  place: { file?: string },
): { end: number; next: number; newline: Dialect['newline'] } {
  let quoted = false;
  for (let at = start; at < head.length; at++) {
    const byte = head[at];
    if (byte === QUOTE) quoted = !quoted;
    if (quoted) continue;
    if (byte === LF) return { end: at, next: at + 1, newline: 'lf' };
    if (byte === CR) {
      if (head[at + 1] === LF) return { end: at, next: at + 2, newline: 'lf' };
      return { end: at, next: at + 1, newline: 'cr' };
    }
  }
  if (head.length >= HEAD_BYTES) {
    const problem = quoted
      ? 'a quote in the header is never closed'
      : 'no line end in the first MiB';
    throw new DataError(problem, place, 'Check that this is a CSV file with a header line.');
  }
  if (quoted) {
    const problem = 'a quote in the header is never closed';
    throw new DataError(problem, place, 'Close the quote, or write it twice inside a quoted name.');
  }
  return { end: head.length, next: head.length, newline: 'lf' };
}

function decodeHeader(bytes: Uint8Array, place: { file?: string }): string {
  if (bytes.includes(0)) {
    const remedy =
      'Save the file as UTF-8, or, if that is what it is, say that its encoding is utf-16le.';
    const option = { name: 'encoding', value: 'utf-16le' } as const;
    throw new DataError('the header holds NUL bytes', place, remedy, option);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const remedy = 'Save the file as UTF-8, or say that its encoding is latin1.';
    const option = { name: 'encoding', value: 'latin1' } as const;
    throw new DataError('the header is not valid UTF-8', place, remedy, option);
  }
}

/** The names in a header line, trimmed and unquoted; undefined if quotes do not fit the delimiter. */
function splitHeader(line: string, delimiter: string): string[] | undefined {
  const names: string[] = [];
  const blanks = delimiter === '\t' ? ' *' : '[ \\t]*';
  const cell = new RegExp(
    `${blanks}(?:"((?:[^"]|"")*)"${blanks}|([^"${delimiter}]*))(${delimiter}|$)`,
    'y',
  );
  while (true) {
    const match = cell.exec(line);
    if (match === null) return undefined;
    names.push((match[1]?.replaceAll('""', '"') ?? match[2]!).trim());
    if (match[3] === '') return names;
  }
}

function linesOf(rest: Uint8Array): string[] {
  return new TextDecoder().decode(rest.subarray(0, 2 ** 16)).split(/\r\n|\r|\n/);
}

/** Refuses a file with a title or a remark above its header line; the second of the lines has the number `second`. */
function refusePreamble(
  lines: readonly string[],
  second: number,
  wanted: readonly string[],
  place: { file?: string },
): void {
  const above = DELIMITERS.map((delimiter) =>
    linesAboveHeader(lines, wanted, (line) => splitHeader(line, delimiter) ?? []),
  ).find((count) => count !== undefined);
  if (above !== undefined) throw new HeaderBelow(second + above - 1, place);
}

function refuseDuplicates(names: readonly string[], place: { file?: string }): void {
  const twice = names.find((name, i) => name !== '' && names.indexOf(name) !== i);
  if (twice === undefined) return;
  const problem = `the header names column "${twice}" twice`;
  throw new DataError(problem, place, 'Rename or remove one of the two columns.');
}

function lackingColumns(
  lacking: readonly string[],
  names: readonly string[],
  place: { file?: string },
): DataError {
  const near = lacking.flatMap((name) => {
    const [match] = nearNames(name, names);
    return match === undefined ? [] : [`rename "${match}" to "${name}" if it is the same`];
  });
  const listed = lacking.map((name) => `"${name}"`).join(', ');
  const shown = names.slice(0, 20).map((name) => `"${name}"`);
  if (names.length > 20) shown.push(`and ${names.length - 20} more`);
  const remedy = near.length > 0 ? near.join(', ') : 'rename the columns as the codebook has them';
  return new DataError(
    `the header lacks ${lacking.length === 1 ? 'column' : 'columns'} ${listed}; it has ${shown.join(', ')}`,
    place,
    `In the header line, ${remedy}.`,
  );
}
