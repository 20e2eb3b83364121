import { DataError } from '../data-error.ts';
import {
  ARRAY_HEAD_BYTES,
  lowBytesFirst,
  MAT_COMPRESSED,
  MAT_HEADER_BYTES,
  type MatArray,
  matArray,
  matTag,
} from '../images/mat.ts';
import { type ByteSequence, bytesInOrder, unpackedBytes } from './byte-sequence.ts';
import { type ByteReader, type FileHandle, type Files, withReader } from './files.ts';

/** An array in a MAT-file, and the bytes of the file that hold its element. */
export interface PlacedArray extends MatArray {
  readonly packed: boolean;
  readonly from: number;
  readonly to: number;
}

/** A MAT-file may have many variables; more than this many are a damaged file. */
const MOST_ELEMENTS = 100;
/** Bytes that a compressed byte stands for, at most (RFC 1951: 258 bytes in two bits). */
const MOST_RATIO = 1032;

/** The arrays of numbers in a MAT-file, found by their heads: nothing else is read. */
export function matArrays(files: Files, file: FileHandle): Promise<PlacedArray[]> {
  return withReader(files, file, async (reader) => {
    const low = lowBytesFirst(await sliceOf(reader, 0, MAT_HEADER_BYTES));
    if (low === undefined) {
      throw new DataError(
        'the MAT-file is not of level 5',
        { file: file.path },
        'in MATLAB, save it again with the option -v7; in Python, scipy.io.savemat writes such files',
      );
    }
    const found: PlacedArray[] = [];
    let at = MAT_HEADER_BYTES;
    for (let k = 0; at < reader.size; k++) {
      const tag = matTag(viewOf(await sliceOf(reader, at, 8)), 0, low);
      if (tag === undefined || k === MOST_ELEMENTS) throw damaged(file);
      const packed = tag.kind === MAT_COMPRESSED;
      const from = packed ? at + tag.start : at;
      const to = at + (packed ? tag.start + tag.bytes : tag.next);
      if (to > reader.size) throw damaged(file);
      const start = await sliceOf(reader, from, Math.min(to - from, ARRAY_HEAD_BYTES));
      const array = matArray(packed ? await unpackedHead(start) : start, low);
      if (array === undefined) throw damaged(file);
      if (array !== 'other') {
        const most = packed ? MOST_RATIO * (to - from) : to - from;
        if (array.length > most) throw damaged(file);
        found.push({ ...array, packed, from, to });
      }
      at = to;
    }
    return found;
  });
}

/** The first bytes of what an element holds, from its first bytes; fewer where they are damaged. */
async function unpackedHead(start: Uint8Array): Promise<Uint8Array> {
  const bytes = unpackedBytes(async (at) => start.subarray(at), 'deflate');
  return bytes.next(ARRAY_HEAD_BYTES).finally(bytes.close);
}

async function sliceOf(reader: ByteReader, from: number, count: number): Promise<Uint8Array> {
  return new Uint8Array(await reader.slice(from, Math.min(from + count, reader.size)));
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** The refusal of a file whose elements are not as they say. */
export function damaged({ path }: FileHandle): DataError {
  return new DataError(
    'the MAT-file is damaged: an element ends early or is not as written',
    { file: path },
    'fetch or save the file again',
  );
}

/** Small, because a browser unpacks a chunk as a whole. */
const CHUNK = 2 ** 15;

/** The values of an array from one of them on, in order. */
export function withArray<T>(
  files: Files,
  file: FileHandle,
  { packed, from, to, values }: PlacedArray,
  skip: number,
  work: (bytes: ByteSequence) => Promise<T>,
): Promise<T> {
  return withReader(files, file, async (reader) => {
    const before = values.start + skip;
    const first = packed ? from : from + before;
    const chunkAt = async (at: number) => {
      const space = new Uint8Array(Math.max(0, Math.min(CHUNK, to - first - at)));
      if (space.length === 0) return space;
      return space.subarray(0, await reader.read(space, first + at));
    };
    const bytes = packed ? unpackedBytes(chunkAt, 'deflate') : bytesInOrder(chunkAt);
    try {
      if (packed) await bytes.skip(before);
      return await work(bytes);
    } finally {
      bytes.close();
    }
  });
}
