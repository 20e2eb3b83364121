import { DataError } from '../data-error.ts';
import { IDX_HEADER_BYTES, type IdxHeader, idxHeader } from '../images/idx.ts';
import { type ByteSequence, bytesInOrder, isPacked, unpackedBytes } from './byte-sequence.ts';
import { type FileHandle, type Files, withReader } from './files.ts';

/** An IDX file, perhaps compressed by gzip. */
export interface IdxFile extends IdxHeader {
  readonly file: FileHandle;
  readonly packed: boolean;
  /** Bytes of the file, and when it was written. */
  readonly length: number;
  readonly modified: number;
  /** Its absolute path. */
  readonly fullPath: string;
}

/** Reads the header of an IDX file; undefined where the file is something else. */
export function idxFile(files: Files, file: FileHandle): Promise<IdxFile | undefined> {
  return withReader(files, file, async (reader) => {
    const start = new Uint8Array(await reader.slice(0, Math.min(reader.size, 2 ** 16)));
    const packed = isPacked(start);
    const head = packed ? await firstBytes(start) : start.subarray(0, IDX_HEADER_BYTES);
    const header = idxHeader(head, file.path);
    if (header === undefined) return undefined;
    const { size: length, modified = 0, fullPath = file.path } = reader;
    const found = { ...header, file, packed, length, modified, fullPath };
    if (!packed && length !== header.start + valuesIn(header)) throw wrongLength(found);
    return found;
  });
}

/** The first bytes of what a compressed file holds; empty where it cannot be read. */
async function firstBytes(packed: Uint8Array): Promise<Uint8Array> {
  const bytes = unpackedBytes(async (at) => packed.subarray(at), 'gzip');
  return bytes.next(IDX_HEADER_BYTES).finally(bytes.close);
}

function valuesIn({ sides }: IdxHeader): number {
  return sides.reduce((product, side) => product * side, 1);
}

/** The refusal of a file that has not as many values as its header says. */
export function wrongLength({ file, sides }: Pick<IdxFile, 'file' | 'sides'>): DataError {
  return new DataError(
    `the file does not hold what its header says: ${sides.join(' × ')} values of one byte`,
    { file: file.path },
    'the file is damaged or incomplete: fetch or write it again',
  );
}

/** The values of a file from one of its images or labels on, in order. */
export async function withValues<T>(
  files: Files,
  { file, packed, start, sides }: IdxFile,
  from: number,
  work: (values: ByteSequence) => Promise<T>,
): Promise<T> {
  const each = valuesIn({ sides: sides.slice(1), start });
  return withReader(files, file, async (reader) => {
    const skip = start + from * each;
    const bytes = packed
      ? unpackedBytes((at) => chunkAt(reader, at), 'gzip')
      : bytesInOrder((at) => chunkAt(reader, skip + at));
    try {
      if (packed) await bytes.skip(skip);
      return await work(bytes);
    } finally {
      bytes.close();
    }
  });
}

const CHUNK = 2 ** 18;

async function chunkAt(
  reader: { read(space: Uint8Array, position: number): number | Promise<number> },
  at: number,
): Promise<Uint8Array> {
  const space = new Uint8Array(CHUNK);
  return space.subarray(0, await reader.read(space, at));
}
