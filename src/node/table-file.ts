import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { AsyncBuffer } from 'hyparquet';
import type { CsvRange, CsvStream } from '../table/csv-stream.ts';
import { DataError } from '../table/data-error.ts';
import { type Dialect, HEAD_BYTES, sniff } from '../table/dialect.ts';
import { detectEncoding, type Encoding, transcode } from '../table/encoding.ts';
import type { ParquetHeader } from '../table/parquet.ts';

/** A file that holds a table, as far as its first and last bytes tell. Plain data: workers get it by message. */
export interface TableFile {
  readonly path: string;
  readonly bytes: number;
  readonly header: readonly string[];
  readonly format: CsvFormat | ParquetFormat;
}

export interface CsvFormat {
  readonly kind: 'csv';
  readonly dialect: Dialect;
  readonly encoding: Encoding;
}

export interface ParquetFormat {
  readonly kind: 'parquet';
  readonly groups: ParquetHeader['rowGroups'];
}

/** A part of a table file: bytes of a CSV file, row groups of a Parquet file. */
export interface FilePart {
  readonly from: number;
  readonly to: number;
}

/** Looks at a file: format, encoding, delimiter, header. `wanted` columns must be there. */
export async function openTable(
  path: string,
  wanted: readonly string[],
  declaredEncoding?: string,
): Promise<TableFile> {
  const descriptor = openSync(path, 'r');
  let head: Uint8Array;
  let bytes: number;
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) {
      throw new DataError('not a regular file', { file: path }, 'give the path of a table');
    }
    bytes = status.size;
    head = new Uint8Array(Math.min(bytes, HEAD_BYTES));
    readSync(descriptor, head, 0, head.length, 0);
  } finally {
    closeSync(descriptor);
  }
  if (new TextDecoder('latin1').decode(head.subarray(0, 4)) === 'PAR1') {
    const { parquetHeader } = await import('../table/parquet.ts');
    const { header, rowGroups } = await withFile(path, (buffer) => parquetHeader(buffer, path));
    const absent = wanted.find((name) => !header.includes(name));
    if (absent !== undefined) {
      throw new DataError(
        'no such column in the file',
        { file: path, column: absent },
        `rename the column or correct the formula; the file has ${header.join(', ')}`,
      );
    }
    return { path, bytes, header, format: { kind: 'parquet', groups: rowGroups } };
  }
  const encoding = detectEncoding(head, declaredEncoding);
  const text = encoding === 'utf-8' ? head : transcode(encoding).push(head);
  const { dialect, header } = sniff(text, wanted, path);
  return { path, bytes, header, format: { kind: 'csv', dialect, encoding } };
}

const CHUNK = 2 ** 18;

/** Where in a file the first record of a part began and its last one ended. */
export interface Edges {
  readonly first: number;
  readonly last: number;
}

/** Where to start reading a part of a CSV file, and what to tell the reader of it. */
export function csvPart(part: FilePart | undefined): { start: number; range: CsvRange } {
  if (part === undefined) return { start: 0, range: {} };
  // A reader that starts mid-file is given the byte before, to find the first line end from.
  const start = Math.max(0, part.from - 1);
  return { start, range: { startsMidFile: part.from > 0, stopAt: part.to - start } };
}

/** Feeds the bytes of a CSV file, from `start` on, to a reader until it has all it wants. */
export function pumpCsv(
  path: string,
  { encoding }: CsvFormat,
  start: number,
  stream: CsvStream,
  progress: (bytes: number, rows: number) => void,
): Edges {
  const decoder = encoding === 'utf-8' ? undefined : transcode(encoding, path);
  const staged = decoder === undefined ? undefined : new Uint8Array(CHUNK);
  const descriptor = openSync(path, 'r');
  let position = start;
  try {
    while (!stream.finished) {
      const space = staged ?? stream.space();
      const read = readSync(descriptor, space, 0, Math.min(space.length, CHUNK), position);
      if (read === 0) break;
      position += read;
      if (decoder === undefined) stream.commit(read);
      else feed(stream, decoder.push(space.subarray(0, read)));
      progress(position - start, stream.rows);
    }
  } finally {
    closeSync(descriptor);
  }
  if (decoder !== undefined) feed(stream, decoder.end());
  stream.end();
  progress(position - start, stream.rows);
  return { first: start + (stream.firstRecordAt ?? 0), last: start + stream.consumed };
}

function feed(stream: CsvStream, bytes: Uint8Array): void {
  for (let from = 0; from < bytes.length; ) {
    const space = stream.space();
    const count = Math.min(space.length, bytes.length - from);
    space.set(bytes.subarray(from, from + count));
    stream.commit(count);
    from += count;
  }
}

/** Runs `work` over a file as hyparquet reads it. */
export async function withFile<T>(
  path: string,
  work: (buffer: AsyncBuffer) => Promise<T>,
): Promise<T> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    return await work({
      byteLength: size,
      async slice(start, end = size) {
        const from = start < 0 ? size + start : start;
        const bytes = new Uint8Array(end - from);
        const { bytesRead } = await handle.read(bytes, 0, bytes.length, from);
        return bytesRead === bytes.length ? bytes.buffer : bytes.buffer.slice(0, bytesRead);
      },
    });
  } finally {
    await handle.close();
  }
}
