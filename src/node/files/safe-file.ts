import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Age from which a draft was left by a process that has ended. */
const DRAFT_MS = 60_000;
const draftOf = (path: string) => `${path}.${randomBytes(6).toString('hex')}.draft`;

/** Makes new names in a folder durable: a power cut must not undo a rename. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined); // Windows opens no folders
  if (handle === undefined) return;
  try {
    await handle.sync();
  } catch (failure) {
    const { code = '' } = failure as NodeJS.ErrnoException;
    if (!['EINVAL', 'EPERM', 'EISDIR', 'ENOTSUP'].includes(code)) throw failure; // a file system without it
  } finally {
    await handle.close();
  }
}

/** Creates a complete file, unless there is one already. */
export async function publishFile(path: string, text: string, mode: number): Promise<void> {
  const draft = draftOf(path);
  try {
    await writeDurably(draft, text, mode);
    await link(draft, path).catch((failure: NodeJS.ErrnoException) => {
      if (failure.code === 'EEXIST') return;
      return copyFile(draft, path, constants.COPYFILE_EXCL).catch(ignoreExisting); // a file system without hard links
    });
    await syncFolder(dirname(path));
  } finally {
    await rm(draft, { force: true });
  }
}

function ignoreExisting(failure: NodeJS.ErrnoException): void {
  if (failure.code !== 'EEXIST') throw failure;
}

/** Replaces a file at once: a reader, also after a crash, sees the old content or the new one. */
export async function writeSafely(
  path: string,
  data: string | Uint8Array,
  mode: number,
): Promise<void> {
  const draft = draftOf(path);
  try {
    await writeDurably(draft, data, mode);
    await rename(draft, path);
    await syncFolder(dirname(path));
  } catch (failure) {
    await rm(draft, { force: true });
    throw failure;
  }
}

async function writeDurably(path: string, data: string | Uint8Array, mode: number): Promise<void> {
  const handle = await open(path, 'wx', mode);
  try {
    await handle.writeFile(data);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes drafts that a crash left in a folder. */
export async function removeOldDrafts(folder: string): Promise<void> {
  const oldest = Date.now() - DRAFT_MS;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (!name.endsWith('.draft')) continue;
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (mtimeMs < oldest) await rm(path, { force: true });
  }
}

/** The text of a file; undefined if there is no file. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw failure;
  }
}
