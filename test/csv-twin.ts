import { parseDecimal } from '../src/numeric/decimal.ts';
import { type Column, defaultMissing } from '../src/study/codebook.ts';
import type { CsvPlan } from '../src/table/csv.ts';
import { isMissingWord } from '../src/table/missing-words.ts';

/** Why a file is refused, and at which data row. */
export interface Refusal {
  readonly row: number;
  readonly why: 'ragged' | 'quote' | 'after' | 'unterminated' | 'cell';
}

export type Table = { readonly columns: readonly number[][] } | Refusal;

/** The slow, obvious CSV reader: the specification of the kernel, one character at a time. */
export function readCsvTwin(text: string, plan: CsvPlan): Table {
  const newline = plan.dialect.newline === 'cr' ? '\r' : '\n';
  const columns: number[][] = plan.columns.map(() => []);
  let at = plan.dialect.headerBytes;
  let row = 0;
  while (at < text.length) {
    const lineEnds = newline === '\r' ? ['\r'] : ['\n', '\r\n'];
    const blank = lineEnds.find((end) => text.startsWith(end, at));
    if (blank !== undefined) {
      at += blank.length;
      continue;
    }
    if (newline === '\n' && text.slice(at) === '\r') break;
    row++;
    let found = 0;
    let doubted = false;
    for (let more = true; more; ) {
      const field = splitField(text, at, plan.dialect.delimiter, newline);
      if ('why' in field) return { row, why: field.why };
      const name = plan.header[found++];
      for (const [i, wanted] of plan.columns.entries()) {
        if (wanted.name !== name) continue;
        if (wanted.column.type === 'said') throw new RangeError('the twin reads by a codebook');
        const value = settleTwin(field.text, wanted.column);
        if (value === undefined) doubted = true;
        else columns[i]!.push(value);
      }
      more = text[field.end] === plan.dialect.delimiter;
      at = field.end + 1;
    }
    if (found !== plan.header.length) return { row, why: 'ragged' };
    if (doubted) return { row, why: 'cell' };
  }
  return { columns };
}

/** The text of the field at `at` and where its delimiter or newline is; the end of the text acts as a newline. */
function splitField(text: string, at: number, delimiter: string, newline: string) {
  const ends = (i: number) => i >= text.length || text[i] === delimiter || text[i] === newline;
  if (text[at] !== '"') {
    let end = at;
    while (!ends(end)) {
      if (text[end] === '"') return { why: 'quote' } as const;
      end++;
    }
    let cell = text.slice(at, end);
    const atLineEnd = text[end] !== delimiter;
    if (atLineEnd && newline === '\n' && cell.endsWith('\r')) cell = cell.slice(0, -1);
    return { text: cell, end };
  }
  let end = at + 1;
  while (text[end] !== '"' || text[end + 1] === '"') {
    if (end >= text.length) return { why: 'unterminated' } as const;
    end += text[end] === '"' ? 2 : 1;
  }
  const cell = text.slice(at + 1, end).replaceAll('""', '"');
  end++;
  if (newline === '\n' && text[end] === '\r') {
    end++;
    if (end < text.length && text[end] !== '\n') return { why: 'after' } as const;
  }
  if (!ends(end)) return { why: 'after' } as const;
  return { text: cell, end };
}

function settleTwin(text: string, column: Column): number | undefined {
  const trimmed = text.replace(/^[ \t]+|[ \t]+$/g, '');
  if (column.type === 'category') {
    const missing = column.missing ?? defaultMissing;
    if (missing.includes(text) || missing.includes(trimmed)) return Number.NaN;
    for (const written of [text, trimmed]) {
      const exact = column.levels.indexOf(written);
      if (exact >= 0) return exact;
    }
    const canonical = column.levels.every((level) => String(Number(level)) === level);
    const value = parseDecimal(trimmed);
    if (!canonical || value === undefined) return undefined;
    const same = column.levels.findIndex((level) => Number(level) === value);
    return same < 0 ? undefined : same;
  }
  if (column.type === 'id') return undefined;
  const markers = column.missing ?? defaultMissing;
  if (markers.includes(trimmed)) return Number.NaN;
  if (markers.includes('NA') && isMissingWord(trimmed)) return Number.NaN;
  const value = parseDecimal(trimmed, column.decimal) ?? groupedTwin(trimmed, column.decimal);
  if (value === undefined || Math.abs(value) > 1e150) return undefined;
  if (markers.some((marker) => parseDecimal(marker, column.decimal) === value)) return Number.NaN;
  const [low, high] = column.range ?? [-Infinity, Infinity];
  return value >= low && value <= high ? value : undefined;
}

/** A number whose digits are in groups of three; without a declared mark, a lone group after a comma is in doubt. */
function groupedTwin(text: string, decimal: '.' | ',' | undefined): number | undefined {
  const match = /^([+-]?)([1-9]\d{0,2})((?:([., '])\d{3})(?:\4\d{3})*)(?:([.,])(\d*))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign, first, groups, between, mark, rest = ''] = match;
  if (between === mark || between === (decimal ?? '.')) return undefined;
  if (mark !== undefined && mark !== (decimal ?? '.')) return undefined;
  const isSure =
    decimal !== undefined || between !== ',' || mark !== undefined || groups.length > 4;
  return isSure ? Number(`${sign}${first}${groups.replace(/[^\d]/g, '')}.${rest}0`) : undefined;
}
