/** A file: its path or name, and its bytes in a browser. */
export interface FileHandle {
  readonly path: string;
  readonly blob?: Blob;
}

/** The bytes of an open file. */
export interface ByteReader {
  readonly size: number;
  /** Its absolute path, where `path` is relative. */
  readonly fullPath?: string;
  /** When it was last written, in milliseconds since 1970, where that is known. */
  readonly modified?: number;
  /** Reads bytes from `position` on into `space`; returns their number, 0 at the end. */
  read(space: Uint8Array, position: number): number | Promise<number>;
  slice(from: number, to: number): Promise<ArrayBuffer>;
  close(): void | Promise<void>;
}

/** Where files are opened. */
export interface Files {
  open(file: FileHandle): ByteReader | Promise<ByteReader>;
}

/** Opens a file, runs `work`, and closes the file. */
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

/** Endings of the files that the readers in `sources.ts` know, for a file chooser. */
export const fileEndings = '.csv,.tsv,.txt,.parquet';
