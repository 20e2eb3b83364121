import type { CsvRange, CsvStream } from '../table/csv-stream.ts';
import type { Dialect } from '../table/dialect.ts';
import { type Encoding, transcode } from '../table/encoding.ts';
import type { FileNotation } from '../table/notation.ts';
import { type FileHandle, withReader } from './files.ts';
import type { Source, SourceRange, SourceReading } from './source.ts';

/** A text file of rows; ranges of it count bytes. */
export interface CsvSource extends Source {
  readonly kind: 'csv';
  readonly file: FileHandle;
  readonly dialect: Dialect;
  readonly encoding: Encoding;
  readonly notation: FileNotation;
}

const CHUNK = 2 ** 18;

/** Where to start reading a range of a CSV file, and the range for the parser. */
export function csvStart(range: SourceRange | undefined): { start: number; range: CsvRange } {
  if (range === undefined) return { start: 0, range: {} };
  // A reader that starts mid-file also gets the byte before, to find the first line end.
  const start = Math.max(0, range.from - 1);
  return { start, range: { startsMidFile: range.from > 0, stopAt: range.to - start } };
}

/** Feeds the bytes of a CSV file, from `start` on, to a stream until it is finished; returns the range it consumed. */
export function pumpCsv(
  { files, source, progress }: SourceReading<CsvSource>,
  start: number,
  stream: CsvStream,
): Promise<SourceRange> {
  const { encoding } = source;
  const decoder = encoding === 'utf-8' ? undefined : transcode(encoding, source.name);
  const staged = decoder === undefined ? undefined : new Uint8Array(CHUNK);
  return withReader(files, source.file, async (reader) => {
    let position = start;
    while (!stream.finished) {
      const space = staged ?? stream.space();
      const reading = reader.read(space.subarray(0, CHUNK), position);
      // Awaiting a number would cost time on hosts that read synchronously.
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
    return { from: start + (stream.firstRecordAt ?? 0), to: start + stream.consumed };
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
