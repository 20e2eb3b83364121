import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  openSync,
  read,
  readdirSync,
  readSync,
  statSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { DataError } from '../../data-error.ts';
import type { Host } from '../../rows/host.ts';
import { databaseSource } from '../database/database-source.ts';
import { npmSource } from '../files/npm-source.ts';
import { readPinned } from '../files/pinned-file.ts';
import { chooseBlas, isWorthBlas } from './choose-blas.ts';

const readAside = promisify(read);

/** Opens without waiting: a named pipe would wait for its writer. Windows has no such flag. */
const AT_ONCE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Reads files by path, synchronously; uses BLAS for wide statistics. */
export const nodeHost: Host = {
  open({ path }) {
    const descriptor = openSync(path, AT_ONCE);
    const status = fstatSync(descriptor);
    if (!status.isFile()) {
      closeSync(descriptor);
      throw new DataError('not a regular file', { file: path }, 'give the path of a table');
    }
    return {
      size: status.size,
      fullPath: resolve(path),
      modified: status.mtimeMs,
      read: (space, position) => readSync(descriptor, space, 0, space.length, position),
      async slice(from, to) {
        const bytes = new Uint8Array(to - from);
        const { bytesRead } = await readAside(descriptor, bytes, 0, bytes.length, from);
        return bytesRead === bytes.length ? bytes.buffer : bytes.buffer.slice(0, bytesRead);
      },
      close: () => closeSync(descriptor),
    };
  },
  list({ path }) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined;
    const found: string[] = [];
    collectFiles(path, '', found);
    return found.sort().map((file) => ({ path: join(path, file) }));
  },
  sources: [npmSource, databaseSource],
  pinned: async (file) => readPinned(file),
  grams: async (size) => (isWorthBlas(size) ? (await chooseBlas()).blas : undefined),
};

/** Files of a folder that are listed at most: more would fill the memory before anyone sees that it is the wrong folder. */
const MOST_FILES = 1_000_000;

/** Adds the paths of all files below a folder; refuses links that do not lead to a file, since what they stand for would be missed. */
function collectFiles(folder: string, below: string, found: string[]): void {
  for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) collectFiles(folder, path, found);
    else if (entry.isFile() || isLinkToFile(folder, path, entry)) found.push(path);
    else if (entry.isSymbolicLink()) {
      throw new DataError(
        'a link that does not lead to a file',
        { file: join(folder, path) },
        'put the files themselves there: links to folders are not followed',
      );
    }
    if (found.length > MOST_FILES) {
      throw new DataError(
        `the folder has more than ${MOST_FILES} files`,
        { file: folder },
        'give the folder with the images alone',
      );
    }
  }
}

function isLinkToFile(folder: string, path: string, entry: Dirent): boolean {
  if (!entry.isSymbolicLink()) return false;
  return statSync(join(folder, path), { throwIfNoEntry: false })?.isFile() === true;
}
