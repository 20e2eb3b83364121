import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { CLASS_COLUMN, type ImageData } from '../study/image-study.ts';
import { HEAD_BYTES } from '../table/dialect.ts';
import type { DecimalMark } from '../table/notation.ts';
import { cifarSource } from './cifar-source.ts';
import { csvSource } from './csv-source.ts';
import { elsewhereSource } from './elsewhere-source.ts';
import type { ByteReader, FileHandle } from './files.ts';
import type { Host } from './host.ts';
import { idxSource } from './idx-source.ts';
import { matSource } from './mat-source.ts';
import { parquetSource } from './parquet-source.ts';
import { withPixelNames } from './pixel-names.ts';
import { pngSource } from './png-source.ts';
import { ppmSource } from './ppm-source.ts';
import type { Address, ImageSize, Opening, Source, SourceReader, SourceVersion } from './source.ts';
import { hasColumn } from './wording.ts';

/** The kinds of sources that every platform reads, in the order in which they are tried. */
const sources: readonly SourceReader[] = [
  elsewhereSource,
  idxSource,
  matSource,
  cifarSource,
  ppmSource,
  pngSource, // any folder
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

/**
 * Opens the source at an address; `wanted` columns must be there. A person may state the encoding and decimal mark of a text
 * file, a study what its images look like.
 */
export function openSource(
  host: Host,
  address: Address,
  wanted: readonly string[],
  encoding?: string,
  decimal?: DecimalMark,
  images?: ImageData,
): Promise<Source> {
  const stated = { ...defined({ encoding, decimal }), ...askedFor(wanted, images) };
  return whileOpen(host, address, stated, async (opening, reader) => {
    const opened = await reader.open(opening);
    const source = images === undefined ? opened : withPixelNames(opened, images);
    const absent = wanted.find((name) => !hasColumn(source, name));
    if (absent === undefined) return source;
    throw new DataError(
      'no such column in the file',
      { file: source.name, column: absent },
      `rename the column or correct the formula; the file has ${someOf(source.header)}`,
    );
  });
}

/** Opens the source at an address for the draft of a study of images, which may bring them to one size. */
export function openForDraft(host: Host, address: Address, resizeTo?: ImageSize): Promise<Source> {
  const asked = { wanted: [], ...defined({ resizeTo }) };
  return whileOpen(host, address, asked, (opening, reader) => reader.open(opening));
}

/** The columns of a table must be there; a table of pixels may name them otherwise, so it is looked at after it is opened. */
function askedFor(
  wanted: readonly string[],
  images: ImageData | undefined,
): Pick<Opening, 'wanted' | 'images'> {
  if (images === undefined) return { wanted };
  const labels = wanted.includes(CLASS_COLUMN) ? 'needed' : 'ignored';
  return { wanted: [], images: { ...images, labels } };
}

const MOST_NAMES = 30;

function someOf(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES;
  const shown = names.slice(0, MOST_NAMES).join(', ');
  return rest > 0 ? `${shown} and ${rest} more` : shown;
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
  { path, blob, files: parts }: Address,
  asked: Pick<Opening, 'wanted' | 'encoding' | 'decimal' | 'images' | 'resizeTo'>,
  look: (opening: Opening, reader: SourceReader) => Promise<T>,
): Promise<T> {
  const address: Address = { path, ...defined({ blob, files: parts }) };
  let file: Promise<ByteReader> | undefined;
  let head: Promise<Uint8Array> | undefined;
  let below: { readonly files: readonly FileHandle[] | undefined } | undefined;
  const open = async () => host.open(address);
  const opening: Opening = {
    address,
    ...asked,
    files: host,
    list() {
      below ??= { files: parts ?? host.list?.(address) };
      return below.files;
    },
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
      'give a CSV or Parquet file, or a folder of images',
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
