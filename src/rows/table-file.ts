import type { AsyncBuffer } from 'hyparquet';
import { DataError } from '../data-error.ts';
import type { CsvRange, CsvStream } from '../table/csv-stream.ts';
import { type Dialect, HEAD_BYTES, sniff } from '../table/dialect.ts';
import { detectEncoding, type Encoding, transcode } from '../table/encoding.ts';
import type { ParquetHeader } from '../table/parquet.ts';
import { type ByteReader, type FileHandle, type Host, withReader } from './host.ts';

/** A file that holds a table, as far as its first and last bytes tell. Plain data: workers get it by message. */
export type TableFile = CsvFile | ParquetFile;

interface Table extends FileHandle {
  readonly bytes: number;
  readonly header: readonly string[];
}

export interface CsvFile extends Table {
  readonly format: CsvFormat;
}

export interface ParquetFile extends Table {
  readonly format: ParquetFormat;
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

/** Whether a table is text. */
export function isCsv(file: TableFile): file is CsvFile {
  return file.format.kind === 'csv';
}

/** A part of a table file: bytes of a CSV file, row groups of a Parquet file. */
export interface FilePart {
  readonly from: number;
  readonly to: number;
}

/** Looks at a file: format, encoding, delimiter, header. `wanted` columns must be there. */
export function openTable(
  host: Host,
  { path, blob }: FileHandle,
  wanted: readonly string[],
  declaredEncoding?: string,
): Promise<TableFile> {
  const handle: FileHandle = blob === undefined ? { path } : { path, blob };
  return withReader(host, handle, async (reader) => {
    const head = await headOf(reader);
    const bytes = reader.size;
    if (new TextDecoder('latin1').decode(head.subarray(0, 4)) === 'PAR1') {
      const { parquetHeader } = await import('../table/parquet.ts');
      const { header, rowGroups } = await parquetHeader(asyncBuffer(reader), path);
      const absent = wanted.find((name) => !header.includes(name));
      if (absent !== undefined) {
        throw new DataError(
          'no such column in the file',
          { file: path, column: absent },
          `rename the column or correct the formula; the file has ${header.join(', ')}`,
        );
      }
      return { ...handle, bytes, header, format: { kind: 'parquet', groups: rowGroups } };
    }
    refusePacked(head, path);
    const encoding = detectEncoding(head, declaredEncoding);
    const text = encoding === 'utf-8' ? head : transcode(encoding).push(head);
    const { dialect, header } = sniff(text, wanted, path);
    return { ...handle, bytes, header, format: { kind: 'csv', dialect, encoding } };
  });
}

/** First bytes of what people take for a table, what it is, and how a table comes of it. */
const packings = [
  [[0x1f, 0x8b], 'compressed by gzip', 'unpack it and give what was in it'],
  [
    [0x50, 0x4b, 0x03, 0x04],
    'a workbook or a zip archive',
    'save the sheet as CSV, or unpack the archive',
  ],
  [[0xd0, 0xcf, 0x11, 0xe0], 'a workbook', 'save the sheet as CSV'],
] as const;

/** Read as text, it would be refused for bytes that no other encoding explains. */
function refusePacked(head: Uint8Array, path: string): void {
  for (const [start, what, remedy] of packings) {
    if (start.some((byte, at) => head[at] !== byte)) continue;
    throw new DataError(`the file is ${what}, neither text nor Parquet`, { file: path }, remedy);
  }
}

async function headOf(reader: ByteReader): Promise<Uint8Array> {
  const head = new Uint8Array(Math.min(reader.size, HEAD_BYTES));
  let filled = 0;
  while (filled < head.length) {
    const read = await reader.read(head.subarray(filled), filled);
    if (read === 0) break;
    filled += read;
  }
  return head.subarray(0, filled);
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
  host: Host,
  file: CsvFile,
  start: number,
  stream: CsvStream,
  progress: (bytes: number, rows: number) => void,
): Promise<Edges> {
  const { encoding } = file.format;
  const decoder = encoding === 'utf-8' ? undefined : transcode(encoding, file.path);
  const staged = decoder === undefined ? undefined : new Uint8Array(CHUNK);
  return withReader(host, file, async (reader) => {
    let position = start;
    while (!stream.finished) {
      const space = staged ?? stream.space();
      const reading = reader.read(space.subarray(0, CHUNK), position);
      // A number is not awaited: a host that reads at once loses no time.
      const read = typeof reading === 'number' ? reading : await reading;
      if (read === 0) break;
      position += read;
      if (decoder === undefined) stream.commit(read);
      else feed(stream, decoder.push(space.subarray(0, read)));
      progress(position - start, stream.rows);
    }
    if (decoder !== undefined) feed(stream, decoder.end());
    stream.end();
    progress(position - start, stream.rows);
    return { first: start + (stream.firstRecordAt ?? 0), last: start + stream.consumed };
  });
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

/** An open file as hyparquet reads it. */
export function asyncBuffer(reader: ByteReader): AsyncBuffer {
  const { size } = reader;
  return {
    byteLength: size,
    slice: (start, end = size) => reader.slice(start < 0 ? size + start : start, end),
  };
}
