/** A file: what it is called, and its bytes where it has no path, as in a browser. */
export interface FileHandle {
  readonly path: string;
  readonly blob?: Blob;
}

/** The bytes of an open file. */
export interface ByteReader {
  readonly size: number;
  /** Its path from the root, where it was called otherwise. */
  readonly fullPath?: string;
  /** When it was last written, in milliseconds since 1970, where that is known. */
  readonly modified?: number;
  /** Fills as much of `space` as it likes from `position` on, and says how much; 0 at the end. */
  read(space: Uint8Array, position: number): number | Promise<number>;
  slice(from: number, to: number): Promise<ArrayBuffer>;
  close(): void | Promise<void>;
}

/** Where files are opened. */
export interface Files {
  open(file: FileHandle): ByteReader | Promise<ByteReader>;
}

/** Does something with an open file, and closes it. */
export async function withReader<T>(
  files: Files,
  file: FileHandle,
  work: (reader: ByteReader) => T | Promise<T>,
): Promise<T> {
  const reader = await files.open(file);
  try {
    return await work(reader);
  } finally {
    await reader.close();
  }
}
