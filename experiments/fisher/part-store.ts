import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { writeSafely } from '../../src/node/files/safe-file.ts';

/** Finished parts of a run by their names: what is there need not be computed again. */
export interface PartStore {
  /** The part, from the store or from `compute`, whose answer is then stored. */
  part<T>(name: string, compute: () => Promise<T>): Promise<T>;
}

/** Parts that end with the process. */
export function partsInMemory(): PartStore {
  const parts = new Map<string, Promise<unknown>>();
  return {
    part<T>(name: string, compute: () => Promise<T>) {
      const found = (parts.get(name) as Promise<T> | undefined) ?? compute();
      parts.set(name, found);
      return found;
    },
  };
}

const ENDING = '.part';

/** Parts in a folder, each whole or not there; a run of the same version that was killed goes on with them. */
export function partsInFolder(folder: string, version: string): PartStore {
  const underWay = new Map<string, Promise<unknown>>();
  const fromFile = async <T>(name: string, compute: () => Promise<T>): Promise<T> => {
    const file = join(folder, `${version}-${name}${ENDING}`);
    const stored = await readPart(file);
    if (stored !== undefined) return stored as T;
    const found = await compute();
    await mkdir(folder, { recursive: true });
    await writeSafely(file, serialize(found), 0o644);
    return found;
  };
  return {
    part<T>(name: string, compute: () => Promise<T>) {
      const waiting = underWay.get(name) as Promise<T> | undefined;
      if (waiting !== undefined) return waiting;
      const found = fromFile(name, compute).finally(() => underWay.delete(name));
      underWay.set(name, found);
      return found;
    },
  };
}

/** A stored part; undefined if there is none that can be read. */
async function readPart(file: string): Promise<unknown> {
  if (!existsSync(file)) return undefined;
  const bytes = await readFile(file);
  try {
    return deserialize(bytes);
  } catch {
    return undefined;
  }
}

/** Removes the parts of a run that has ended, and their folder if nothing else is there. */
export async function removeParts(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const names = (await readdir(folder)).filter((name) => name.endsWith(ENDING));
  for (const name of names) await rm(join(folder, name), { force: true });
  await rmdir(folder).catch(() => {});
}
