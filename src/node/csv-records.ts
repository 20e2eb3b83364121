import { closeSync, openSync, readSync } from 'node:fs';
import { transcode } from '../table/encoding.ts';
import type { CsvFormat } from './table-file.ts';

const CHUNK = 2 ** 18;
const LF = 10;
const CR = 13;
const QUOTE = 34;

/**
 * The data records of a CSV file as they are written, without their line ends; blank lines are
 * left out. For files a reader has already accepted: quotes are taken at their word.
 */
export function* csvRecords(path: string, { dialect, encoding }: CsvFormat): Generator<string> {
  const newline = dialect.newline === 'cr' ? CR : LF;
  const utf8 = new TextDecoder('utf-8');
  let held: Uint8Array = new Uint8Array(0);
  let quoted = false;
  let seen = 0; // bytes of `held` already looked at
  let header = dialect.headerBytes;
  const text = (bytes: Uint8Array) => {
    const line = utf8.decode(bytes);
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  };
  for (const chunk of utf8Chunks(path, encoding)) {
    const bytes = chunk.subarray(header);
    header = Math.max(0, header - chunk.length);
    const joined = new Uint8Array(held.length + bytes.length);
    joined.set(held);
    joined.set(bytes, held.length);
    let start = 0;
    for (let at = seen; at < joined.length; at++) {
      if (joined[at] === QUOTE) quoted = !quoted;
      if (quoted || joined[at] !== newline) continue;
      const line = text(joined.subarray(start, at));
      if (line !== '') yield line;
      start = at + 1;
    }
    held = joined.slice(start);
    seen = held.length;
  }
  const last = text(held);
  if (last !== '') yield last;
}

function* utf8Chunks(path: string, encoding: CsvFormat['encoding']): Generator<Uint8Array> {
  const decoder = encoding === 'utf-8' ? undefined : transcode(encoding, path);
  const descriptor = openSync(path, 'r');
  const space = new Uint8Array(CHUNK);
  try {
    for (;;) {
      const read = readSync(descriptor, space, 0, CHUNK, null);
      if (read === 0) break;
      const bytes = space.subarray(0, read);
      yield decoder === undefined ? bytes : decoder.push(bytes);
    }
    if (decoder !== undefined) yield decoder.end();
  } finally {
    closeSync(descriptor);
  }
}
