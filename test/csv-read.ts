import { DataError } from '../src/data-error.ts';
import type { Column } from '../src/study/codebook.ts';
import { type CsvOptions, type CsvPlan, csvReader } from '../src/table/csv.ts';
import type { CsvStream } from '../src/table/csv-stream.ts';
import { sniff } from '../src/table/dialect.ts';
import type { Refusal } from './csv-twin.ts';

/** Gives a stream all bytes, `sizes` at a time in turn, and ends it. */
export function pump(stream: CsvStream, bytes: Uint8Array, sizes: readonly number[] = [65536]) {
  let turn = 0;
  for (let at = 0; at < bytes.length && !stream.finished; ) {
    const piece = bytes.subarray(at, at + sizes[turn++ % sizes.length]!);
    stream.space().set(piece);
    stream.commit(piece.length);
    at += piece.length;
  }
  stream.end();
}

export interface Read {
  readonly columns: readonly number[][];
  readonly rows: number;
  readonly from: number;
  readonly consumed: number;
}

/** Reads bytes under a plan into plain arrays. */
export function read(
  bytes: Uint8Array,
  plan: CsvPlan,
  options: CsvOptions = {},
  sizes: readonly number[] = [65536],
): Read {
  const columns: number[][] = plan.columns.map(() => []);
  let rows = 0;
  const reader = csvReader(
    plan,
    (block, firstRow) => {
      if (firstRow !== rows + 1) throw new Error('blocks out of order');
      rows += block.rows;
      for (const [i, column] of block.columns.entries()) columns[i]!.push(...column);
    },
    options,
  );
  pump(reader, bytes, sizes);
  return { columns, rows: reader.rows, from: reader.firstRecordAt!, consumed: reader.consumed };
}

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Reads a whole file given as text, header included; columns in the order of `codebook`. */
export function readText(
  text: string | Uint8Array,
  codebook: Readonly<Record<string, Column>>,
  options: CsvOptions = {},
  sizes: readonly number[] = [65536],
): readonly number[][] {
  const bytes = typeof text === 'string' ? utf8(text) : text;
  const names = Object.keys(codebook);
  const { dialect, header } = sniff(bytes, names, 't.csv');
  const columns = names.map((name) => ({ name, column: codebook[name]! }));
  return read(bytes, { file: 't.csv', dialect, header, columns }, options, sizes).columns;
}

/** The refusal `work` ends in; fails where there is none. */
export function refusal(work: () => unknown): DataError {
  try {
    work();
  } catch (error) {
    if (error instanceof DataError) return error;
    throw error;
  }
  throw new Error('expected a DataError');
}

/** A reader's refusal in the words of the twin. */
export function refusalKind(error: DataError): Refusal {
  const { message } = error;
  const why = message.includes('the header has')
    ? 'ragged'
    : message.includes('does not start with one')
      ? 'quote'
      : message.includes('after the closing quote')
        ? 'after'
        : message.includes('ends inside')
          ? 'unterminated'
          : 'cell';
  return { row: error.place.row!, why };
}
