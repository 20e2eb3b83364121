import { closeSync, fstatSync, openSync, read, readdirSync, readSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { DataError } from '../../data-error.ts';
import type { Host } from '../../rows/host.ts';
import { npmSource } from '../files/npm-source.ts';
import { readPinned } from '../files/pinned-file.ts';
import { chooseBlas } from './choose-blas.ts';

/** From this number of columns a fast BLAS of the system is faster than the WASM kernels. */
export const WORTH_BLAS = 200;

const readAside = promisify(read);

/** Reads files by path, synchronously; uses BLAS for wide statistics. */
export const nodeHost: Host = {
  open({ path }) {
    const descriptor = openSync(path, 'r');
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
    return readdirSync(path, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((file) => ({ path: join(path, file) }))
      .filter((file) => statSync(file.path).isFile());
  },
  sources: [npmSource],
  pinned: async (file) => readPinned(file),
  grams: async (columns) => (columns < WORTH_BLAS ? undefined : (await chooseBlas()).blas),
};
