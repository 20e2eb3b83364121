import { DataError } from '../../src/data-error.ts';
import { assetName, nameOf, otherFile, type PinnedFile } from '../../src/features/pinned-file.ts';
import type { ByteReader } from '../../src/rows/files.ts';
import type { Host } from '../../src/rows/host.ts';
import { PageFailureError, unloaded } from '../page-failure.ts';

/** Files that a person chose in this tab. */
export const blobHost: Host = {
  open({ path, blob }) {
    if (blob === undefined) throw new RangeError('a file in the tab needs its blob');
    return readerOf(path, blob);
  },
  async pinned(file) {
    // Beside the worker's own script.
    const answer = await fetch(new URL(assetName(file), self.location.href)).catch(() => undefined);
    if (answer === undefined) throw new PageFailureError(unloaded);
    if (answer.ok) return bodyOf(answer, file);
    throw new DataError(
      `the study needs ${nameOf(file)} of the npm package ${file.package}, and this coordinator does not offer it`,
      {},
      `ask the operator of the coordinator to run npm install ${file.package}@${file.version} beside it; then reload the page`,
    );
  },
};

/** The bytes of an answer, which may be endless: no more are taken than the file has. */
async function bodyOf(answer: Response, file: PinnedFile): Promise<Uint8Array> {
  const bytes = new Uint8Array(file.bytes);
  const reader = answer.body!.getReader();
  for (let filled = 0; ; ) {
    const { value } = await reader.read().catch(() => {
      throw new PageFailureError(unloaded);
    });
    if (value === undefined) return bytes.subarray(0, filled);
    if (filled + value.length > bytes.length) {
      await reader.cancel();
      throw otherFile(file, 'it is longer');
    }
    bytes.set(value, filled);
    filled += value.length;
  }
}

const CHUNK_BYTES = 2 ** 21;

type Bytes = Uint8Array<ArrayBuffer>;

interface Chunk {
  readonly from: number;
  readonly bytes: Bytes;
}

const nothing: Chunk = { from: 0, bytes: new Uint8Array(0) };

/** Reads ahead: the next chunk is fetched while the present one is parsed, so most reads return at once. */
function readerOf(path: string, blob: Blob): ByteReader {
  const { size } = blob;
  const asDataError = async <T>(reading: Promise<T>): Promise<T> => {
    try {
      return await reading;
    } catch {
      throw new DataError(
        'the file can no longer be read',
        { file: path },
        'it was moved or changed after you chose it: choose it again',
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
    chunk.catch(() => {}); // thrown when the chunk is read
    return { from, chunk };
  };
  const turnTo = async (position: number): Promise<void> => {
    if (coming?.from !== position) {
      stream?.end();
      stream = byteStream(blob.slice(position));
      coming = fetchNext(position, nothing.bytes);
    }
    const spent = present.bytes;
    present = await asDataError(coming.chunk);
    await letMessagesIn();
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
    slice: (from, to) => asDataError(blob.slice(from, to).arrayBuffer()),
    close() {
      stream?.end();
      present = nothing;
      coming = undefined;
    },
  };
}

/** Milliseconds of reading after which a cancel message is let in. */
const LONGEST_READING = 30;
let lastPause = 0;

/** Chunks that are already there resolve without a pause, so messages would wait for the end of the file. */
async function letMessagesIn(): Promise<void> {
  const now = performance.now();
  if (now - lastPause < LONGEST_READING) return;
  lastPause = now;
  await new Promise((resolve) => setTimeout(resolve));
}

/** The bytes of a file in order, through one stream: a slice for each chunk would cost one request each. */
interface ByteStream {
  /** The next bytes; the memory of `spent` is used again. */
  next(spent: Bytes): Promise<Bytes>;
  end(): void;
}

function byteStream(blob: Blob): ByteStream {
  const stream = blob.stream();
  try {
    const reader = stream.getReader({ mode: 'byob' });
    return {
      async next({ buffer }) {
        const space = buffer.byteLength === CHUNK_BYTES ? buffer : new ArrayBuffer(CHUNK_BYTES);
        const { value } = await reader.read(new Uint8Array(space));
        return value ?? nothing.bytes;
      },
      end: () => void reader.cancel().catch(() => {}),
    };
  } catch {
    // This browser has no byte streams for files: a new buffer each time.
    const reader = stream.getReader();
    return {
      next: async () => (await reader.read()).value ?? nothing.bytes,
      end: () => void reader.cancel().catch(() => {}),
    };
  }
}
