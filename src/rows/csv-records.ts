import { transcode } from '../table/encoding.ts';
import type { CsvSource } from './csv-bytes.ts';
import type { Files } from './files.ts';

const CHUNK = 2 ** 18;
const LF = 10;
const CR = 13;
const QUOTE = 34;

/**
 * The data records of a CSV file as text, in batches, without line ends and blank lines. Only for files that a reader has
 * accepted: quotes are not checked again.
 */
export async function* csvRecords(
  files: Files,
  source: CsvSource,
): AsyncGenerator<readonly string[]> {
  const { dialect } = source;
  const newline = dialect.newline === 'cr' ? CR : LF;
  const utf8 = new TextDecoder('utf-8');
  let held: Uint8Array = new Uint8Array(0);
  let quoted = false;
  let seen = 0; // bytes of `held` already scanned
  let header = dialect.headerBytes;
  const text = (bytes: Uint8Array) => {
    const line = utf8.decode(bytes);
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  };
  for await (const chunk of utf8Chunks(files, source)) {
    const bytes = chunk.subarray(header);
    header = Math.max(0, header - chunk.length);
    const joined = new Uint8Array(held.length + bytes.length);
    joined.set(held);
    joined.set(bytes, held.length);
    const records: string[] = [];
    let start = 0;
    for (let at = seen; at < joined.length; at++) {
      if (joined[at] === QUOTE) quoted = !quoted;
      if (quoted || joined[at] !== newline) continue;
      const line = text(joined.subarray(start, at));
      if (line !== '') records.push(line);
      start = at + 1;
    }
    held = joined.slice(start);
    seen = held.length;
    yield records;
  }
  const last = text(held);
  if (last !== '') yield [last];
}

async function* utf8Chunks(files: Files, source: CsvSource): AsyncGenerator<Uint8Array> {
  const { encoding } = source;
  const decoder = encoding === 'utf-8' ? undefined : transcode(encoding, source.name);
  const reader = await files.open(source.file);
  const space = new Uint8Array(CHUNK);
  let position = 0;
  try {
    for (;;) {
      const read = await reader.read(space, position);
      if (read === 0) break;
      position += read;
      const bytes = space.subarray(0, read);
      yield decoder === undefined ? bytes : decoder.push(bytes);
    }
    if (decoder !== undefined) yield decoder.end();
  } finally {
    await reader.close();
  }
}
