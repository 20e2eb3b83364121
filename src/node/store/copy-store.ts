import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FailureError } from '../../failure.ts';
import { syncFolder } from '../files/safe-file.ts';
import { sqliteCode } from './sqlite-errors.ts';
import { type SqliteFile, withSqliteFile } from './sqlite-file.ts';

/**
 * Writes a store's file, as it is at this moment, to another file that only its owner can read. A
 * coordinator may run on it meanwhile. The copy has what is in the journal, and no erased page. It appears under its
 * name when it is complete and `finish` has accepted it; nothing is overwritten.
 */
export async function copyStore<T>(
  from: string,
  to: string,
  finish: (copy: SqliteFile) => Promise<T>,
): Promise<T> {
  const draft = `${to}.${randomBytes(6).toString('hex')}.draft`;
  try {
    const handle = await open(draft, 'wx', 0o600).catch((failure) => refusePlace(failure, to));
    await handle.close();
    await withSqliteFile(from, async ({ connection }) => {
      try {
        connection.run('vacuum into ?', [draft]);
      } catch (error) {
        refuseFull(error, to);
      }
    });
    const result = await withSqliteFile(draft, finish);
    await placeFile(draft, to);
    return result;
  } finally {
    for (const rest of ['', '-journal', '-wal', '-shm'])
      await rm(`${draft}${rest}`, { force: true });
  }
}

/** The folder of the copy is not there, or is not this user's to write to. */
function refusePlace(failure: NodeJS.ErrnoException, file: string): never {
  const isMissing = failure.code === 'ENOENT' || failure.code === 'ENOTDIR';
  if (!isMissing && failure.code !== 'EACCES') throw failure;
  throw new FailureError('data', {
    problem: isMissing
      ? 'the folder of the copy is not there'
      : 'the copy cannot be written (EACCES)',
    remedy: 'make its folder, and make it writable for this user; or write the copy elsewhere',
    place: { file },
  });
}

/** A disk that is full is that of the copy: the store itself is only read. */
function refuseFull(error: unknown, file: string): never {
  if (!/^SQLITE_(FULL|IOERR)/.test(sqliteCode(error) ?? '')) throw error;
  throw new FailureError('data', {
    problem: 'there is no room for the copy, or its disk does not work',
    remedy: 'make room, or write the copy to another disk; the store is as it was',
    place: { file },
  });
}

/** Gives a complete file its name, durably; refuses a name that is taken. */
export async function placeFile(draft: string, to: string): Promise<void> {
  const handle = await open(draft, 'r+');
  await handle.sync().finally(() => handle.close());
  await link(draft, to).catch(async (failure: NodeJS.ErrnoException) => {
    if (failure.code === 'EEXIST' || existsSync(to)) throw taken(to);
    await rename(draft, to); // a file system without hard links
  });
  await syncFolder(dirname(to));
}

/** The failure for a name that a copy must not take. */
export function taken(file: string): FailureError {
  return new FailureError('data', {
    problem: 'the file is there already, and nothing is overwritten',
    remedy: 'give another name, or move that file away',
    place: { file },
  });
}
