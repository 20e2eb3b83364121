import type { Grams } from '../statistic/cross-product.ts';

/** A file: what it is called, and its bytes where it has no path, as in a browser. */
export interface FileHandle {
  readonly path: string;
  readonly blob?: Blob;
}

/** The bytes of an open file. */
export interface ByteReader {
  readonly size: number;
  /** Fills as much of `space` as it likes from `position` on, and says how much; 0 at the end. */
  read(space: Uint8Array, position: number): number | Promise<number>;
  slice(from: number, to: number): Promise<ArrayBuffer>;
  close(): void | Promise<void>;
}

/** What reading needs of where it runs. */
export interface Host {
  open(file: FileHandle): ByteReader | Promise<ByteReader>;
  /** A faster multiplier than the embedded kernels for statistics of so many columns, if there is one. */
  grams?(columns: number): Promise<Grams | undefined>;
}

/** Does something with an open file, and closes it. */
export async function withReader<T>(
  host: Host,
  file: FileHandle,
  work: (reader: ByteReader) => T | Promise<T>,
): Promise<T> {
  const reader = await host.open(file);
  try {
    return await work(reader);
  } finally {
    await reader.close();
  }
}
