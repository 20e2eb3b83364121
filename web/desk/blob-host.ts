import type { ByteReader, Host } from '../../src/rows/host.ts';
import { DataError } from '../../src/table/data-error.ts';

/** Files that a person gave the tab. */
export const blobHost: Host = {
  open({ path, blob }) {
    if (blob === undefined) throw new RangeError('a file of the tab has its bytes with it');
    return readerOf(path, blob);
  },
};

const CHUNK_BYTES = 2 ** 21;

interface Chunk {
  readonly from: number;
  readonly bytes: Uint8Array;
}

/** Fetches the next bytes while those before them are parsed; most reads are answered at once. */
function readerOf(path: string, blob: Blob): ByteReader {
  const { size } = blob;
  const bytesOf = async (from: number, to: number): Promise<ArrayBuffer> => {
    try {
      return await blob.slice(from, to).arrayBuffer();
    } catch {
      throw new DataError(
        'the file cannot be read any more',
        { file: path },
        'it was moved or changed since it was chosen: choose it again',
      );
    }
  };
  const fetchChunk = (from: number) => {
    const chunk = bytesOf(from, from + CHUNK_BYTES).then((bytes) => ({
      from,
      bytes: new Uint8Array(bytes),
    }));
    chunk.catch(() => {}); // heard of when it is read
    return { from, chunk };
  };
  let present: Chunk = { from: 0, bytes: new Uint8Array(0) };
  let coming: ReturnType<typeof fetchChunk> | undefined;
  const copy = (space: Uint8Array, position: number): number => {
    const at = position - present.from;
    if (at < 0 || at >= present.bytes.length) return 0;
    const bytes = present.bytes.subarray(at, at + space.length);
    space.set(bytes);
    return bytes.length;
  };
  const turnTo = async (position: number): Promise<void> => {
    const { chunk } = coming?.from === position ? coming : fetchChunk(position);
    present = await chunk;
    const next = present.from + present.bytes.length;
    coming = next < size ? fetchChunk(next) : undefined;
  };
  return {
    size,
    read(space, position) {
      const count = copy(space, position);
      if (count > 0 || position >= size) return count;
      return turnTo(position).then(() => copy(space, position));
    },
    slice: bytesOf,
    close() {
      present = { from: 0, bytes: new Uint8Array(0) };
      coming = undefined;
    },
  };
}
