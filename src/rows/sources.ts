import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { HEAD_BYTES } from '../table/dialect.ts';
import type { DecimalMark } from '../table/notation.ts';
import { csvSource } from './csv-source.ts';
import type { ByteReader } from './files.ts';
import type { Host } from './host.ts';
import { parquetSource } from './parquet-source.ts';
import type { Address, Opening, Source, SourceReader, SourceVersion } from './source.ts';

/** The kinds of sources that every platform reads, in the order in which they are tried. */
const sources: readonly SourceReader[] = [
  parquetSource,
  csvSource, // last: any file may be text
];

function readersOf({ sources: own = [] }: Host): readonly SourceReader[] {
  return [...own, ...sources];
}

/** The reader of a source. */
export function readerOf(host: Host, { kind }: Source): SourceReader {
  const reader = readersOf(host).find((one) => one.kind === kind);
  if (reader === undefined) throw new RangeError(`no reader of sources of kind "${kind}" here`);
  return reader;
}

/** Opens the source at an address; `wanted` columns must be there. A person may state the encoding and decimal mark of a text file. */
export function openSource(
  host: Host,
  address: Address,
  wanted: readonly string[],
  encoding?: string,
  decimal?: DecimalMark,
): Promise<Source> {
  const stated = defined({ encoding, decimal });
  return whileOpen(host, address, { wanted, ...stated }, async (opening, reader) => {
    const source = await reader.open(opening);
    const absent = wanted.find((name) => !source.header.includes(name));
    if (absent === undefined) return source;
    throw new DataError(
      'no such column in the file',
      { file: source.name, column: absent },
      `rename the column or correct the formula; the file has ${source.header.join(', ')}`,
    );
  });
}

/** The state of the source at an address; its content need not be valid. */
export function versionAt(host: Host, address: Address): Promise<SourceVersion> {
  return whileOpen(host, address, { wanted: [] }, (opening, reader) => reader.version(opening));
}

/** Loads what reading any source needs, so that no network request follows later. */
export async function loadSources(host: Host): Promise<void> {
  await Promise.all(readersOf(host).map((reader) => reader.load?.()));
}

/** Finds the reader of an address and calls `look`; the file is opened on first use, and closed at the end. */
async function whileOpen<T>(
  host: Host,
  { path, blob }: Address,
  asked: Pick<Opening, 'wanted' | 'encoding' | 'decimal'>,
  look: (opening: Opening, reader: SourceReader) => Promise<T>,
): Promise<T> {
  const address: Address = blob === undefined ? { path } : { path, blob };
  let file: Promise<ByteReader> | undefined;
  let head: Promise<Uint8Array> | undefined;
  const open = async () => host.open(address);
  const opening: Opening = {
    address,
    ...asked,
    file() {
      file ??= open();
      return file;
    },
    head() {
      head ??= opening.file().then(headOf);
      return head;
    },
  };
  try {
    for (const reader of readersOf(host)) {
      if (await reader.matches(opening)) return await look(opening, reader);
    }
    throw new DataError(
      'no reader for this kind of file',
      { file: path },
      'give a CSV or Parquet file',
    );
  } finally {
    await (await file?.catch(() => undefined))?.close();
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
