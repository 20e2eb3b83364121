import { DataError } from '../../src/data-error.ts';
import type { ByteReader } from '../../src/rows/files.ts';
import type { Host } from '../../src/rows/host.ts';

/** Files that a person gave the tab. */
export const blobHost: Host = {
  open({ path, blob }) {
    if (blob === undefined) throw new RangeError('a file of the tab has its bytes with it');
    return readerOf(path, blob);
  },
};

const CHUNK_BYTES = 2 ** 21;

type Bytes = Uint8Array<ArrayBuffer>;

interface Chunk {
  readonly from: number;
  readonly bytes: Bytes;
}

const nothing: Chunk = { from: 0, bytes: new Uint8Array(0) };

/** Fetches the next bytes while those before them are parsed; most reads are answered at once. */
function readerOf(path: string, blob: Blob): ByteReader {
  const { size } = blob;
  const toldAsData = async <T>(reading: Promise<T>): Promise<T> => {
    try {
      return await reading;
    } catch {
      throw new DataError(
        'the file cannot be read any more',
        { file: path },
        'it was moved or changed since it was chosen: choose it again',
      );
    }
  };
  let stream: ByteStream | undefined;
  let present = nothing;
  let coming: { readonly from: number; readonly chunk: Promise<Chunk> } | undefined;
  const copy = (space: Uint8Array, position: number): number => {
    const at = position - present.from;
    if (at < 0 || at >= present.bytes.length) return 0;
    const bytes = present.bytes.subarray(at, at + space.length);
    space.set(bytes);
    return bytes.length;
  };
  const fetchNext = (from: number, spent: Bytes) => {
    const chunk = stream!.next(spent).then((bytes) => {
      if (bytes.length === 0) throw new RangeError('it has become shorter');
      return { from, bytes };
    });
    chunk.catch(() => {}); // heard of when it is read
    return { from, chunk };
  };
  const turnTo = async (position: number): Promise<void> => {
    if (coming?.from !== position) {
      stream?.end();
      stream = byteStream(blob.slice(position));
      coming = fetchNext(position, nothing.bytes);
    }
    const spent = present.bytes;
    present = await toldAsData(coming.chunk);
    await breath();
    const next = present.from + present.bytes.length;
    coming = next < size ? fetchNext(next, spent) : undefined;
  };
  return {
    size,
    ...(blob instanceof File ? { modified: blob.lastModified } : {}),
    read(space, position) {
      const count = copy(space, position);
      if (count > 0 || position >= size) return count;
      return turnTo(position).then(() => copy(space, position));
    },
    slice: (from, to) => toldAsData(blob.slice(from, to).arrayBuffer()),
    close() {
      stream?.end();
      present = nothing;
      coming = undefined;
    },
  };
}

/** Milliseconds for which a file is read before whoever asks for it to stop is heard. */
const LONGEST_BREATH = 30;
let lastBreath = 0;

/** Bytes that are there already are given at once, and messages would wait until the whole file is read. */
async function breath(): Promise<void> {
  const now = performance.now();
  if (now - lastBreath < LONGEST_BREATH) return;
  lastBreath = now;
  await new Promise((resolve) => setTimeout(resolve));
}

/** Bytes one after the other: one request to the browser for all of them, where slices would be one each. */
interface ByteStream {
  /** The next bytes; `spent` are bytes of before that nobody needs any more. */
  next(spent: Bytes): Promise<Bytes>;
  end(): void;
}

function byteStream(blob: Blob): ByteStream {
  const stream = blob.stream();
  try {
    const reader = stream.getReader({ mode: 'byob' });
    return {
      async next({ buffer }) {
        const room = buffer.byteLength === CHUNK_BYTES ? buffer : new ArrayBuffer(CHUNK_BYTES);
        const { value } = await reader.read(new Uint8Array(room));
        return value ?? nothing.bytes;
      },
      end: () => void reader.cancel().catch(() => {}),
    };
  } catch {
    // A browser whose files are no byte streams: a new buffer each time.
    const reader = stream.getReader();
    return {
      next: async () => (await reader.read()).value ?? nothing.bytes,
      end: () => void reader.cancel().catch(() => {}),
    };
  }
}
