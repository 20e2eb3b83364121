import { DataError } from '../data-error.ts';
import { digestBytes } from '../study/digest.ts';

/** A public file that a feature map needs to map rows. A study names it by its digest, so every site has the same bytes. */
export interface PinnedFile {
  /** The npm package it comes in, with a version that has it: never part of this package. */
  readonly package: string;
  readonly version: string;
  /** Its path in the package. */
  readonly path: string;
  /** 64 hex digits. */
  readonly sha256: string;
  /** Its length: a longer file is not read. */
  readonly bytes: number;
}

/** Files of this thread, by digest. */
const loaded = new Map<string, Uint8Array>();

/** Keeps the bytes of a file for this thread. The one place that compares them with the digest; throws if they are others. */
export function keepPinned(file: PinnedFile, bytes: Uint8Array): void {
  if (digestBytes(bytes) !== `sha256:${file.sha256}`) throw otherFile(file, 'its SHA-256 differs');
  loaded.set(file.sha256, bytes);
}

/** The refusal of a file that is not the study's. */
export function otherFile(file: PinnedFile, difference: string): DataError {
  return new DataError(
    `${nameOf(file)} of ${file.package} is not the file of the study: ${difference}`,
    {},
    `get the file of ${file.package} ${file.version} again; nothing was read and nothing was sent`,
  );
}

/** Whether this thread has the file. */
export function hasPinned({ sha256 }: PinnedFile): boolean {
  return loaded.has(sha256);
}

/** The bytes of a file that was loaded before (`loadPinned`). Throws if it was not. */
export function pinnedBytes(file: PinnedFile): Uint8Array {
  const bytes = loaded.get(file.sha256);
  if (bytes !== undefined) return bytes;
  throw new DataError(
    `${nameOf(file)} of ${file.package} is not loaded`,
    {},
    'load the files of the study before its rows are read',
  );
}

/** The name of the file without its folder. */
export function nameOf({ path }: PinnedFile): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Where a coordinator offers the file, beside the scripts of its pages. */
export function assetName({ sha256 }: PinnedFile): string {
  return `${sha256}.bin`;
}
