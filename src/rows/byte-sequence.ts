import { DataError } from '../data-error.ts';

const nothing: Uint8Array = new Uint8Array(0);

/** Bytes that are read in order. */
export interface ByteSequence {
  /** The next bytes; fewer only at the end. */
  next(count: number): Promise<Uint8Array>;
  /** Leaves bytes out. */
  skip(count: number): Promise<void>;
  /** Whether no bytes are left, and none was damaged. */
  ended(): Promise<boolean>;
  close(): void;
}

/** Bytes from a place on; none at the end. */
type ChunkAt = (at: number) => Promise<Uint8Array>;

/** Whether a file is compressed by gzip. */
export function isPacked(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/** The bytes of a file. */
export function bytesInOrder(chunkAt: ChunkAt): ByteSequence {
  let at = 0;
  return sequence(
    async () => {
      const chunk = await chunkAt(at);
      at += chunk.length;
      return chunk;
    },
    () => false,
    () => {},
  );
}

/** The bytes that were compressed, by gzip or as zlib does (`deflate`); they end early where something is damaged. */
export function unpackedBytes(chunkAt: ChunkAt, format: 'gzip' | 'deflate'): ByteSequence {
  let at = 0;
  let damaged = false;
  const packed = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const chunk = await chunkAt(at);
      at += chunk.length;
      if (chunk.length === 0) controller.close();
      else controller.enqueue(chunk as Uint8Array<ArrayBuffer>);
    },
  });
  const reader = packed.pipeThrough(new DecompressionStream(format)).getReader();
  return sequence(
    async () => {
      try {
        return (await reader.read()).value ?? nothing;
      } catch (failure) {
        if (failure instanceof DataError) throw failure; // the file itself cannot be read
        damaged = true;
        return nothing;
      }
    },
    () => damaged,
    () => void reader.cancel().catch(() => {}),
  );
}

function sequence(
  pull: () => Promise<Uint8Array>,
  isDamaged: () => boolean,
  close: () => void,
): ByteSequence {
  let held = nothing;
  const take = (count: number) => {
    const taken = held.subarray(0, count);
    held = held.subarray(taken.length);
    return taken;
  };
  return {
    async next(count) {
      if (held.length >= count) return take(count);
      const bytes = new Uint8Array(count);
      let filled = 0;
      while (filled < count) {
        if (held.length === 0) held = await pull();
        if (held.length === 0) break;
        const part = take(count - filled);
        bytes.set(part, filled);
        filled += part.length;
      }
      return bytes.subarray(0, filled);
    },
    async skip(count) {
      for (let left = count; left > 0; left -= take(left).length) {
        if (held.length === 0) held = await pull();
        if (held.length === 0) return;
      }
    },
    async ended() {
      if (held.length === 0) held = await pull();
      return held.length === 0 && !isDamaged();
    },
    close,
  };
}
