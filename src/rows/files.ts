import { DataError } from '../data-error.ts';

/** A file or a folder: its path or name; in a browser also its bytes, or the files in it. */
export interface FileHandle {
  readonly path: string;
  readonly blob?: Blob;
  /** The files below a folder that was given to a browser tab, by paths that begin with its own. */
  readonly files?: readonly FileHandle[];
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
  /** All files below a folder, in the order of their paths; undefined where it is no folder. */
  list?(folder: FileHandle): readonly FileHandle[] | undefined;
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

/** All bytes of a file; refuses a file of more than `most`. */
export function fileBytes(files: Files, file: FileHandle, most: number): Promise<Uint8Array> {
  return withReader(files, file, async (reader) => {
    const { size } = reader;
    if (size <= most) return new Uint8Array(await reader.slice(0, size));
    throw new DataError(
      `the file has ${size} bytes`,
      { file: file.path },
      `give files of at most ${most} bytes`,
    );
  });
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.slice(folderLength(path));
}

/** The path up to its last part, with the mark that ends it. */
export function folderOf(path: string): string {
  return path.slice(0, folderLength(path));
}

function folderLength(path: string): number {
  return Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1;
}

/** Endings of the files that the readers in `sources.ts` know, for a file chooser. */
export const fileEndings = '.csv,.tsv,.txt,.parquet';
