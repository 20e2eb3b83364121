import { existsSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';
import { UsageError } from '../../usage-error.ts';
import { isBusy, refuseUnopened } from './sqlite-errors.ts';

/** How long to wait for a process that is about to end, in milliseconds. */
const PATIENCE_MS = 1000;
const PAUSE_MS = 50;

/**
 * Takes the embedded store of a folder for this process, or refuses: what one process has not yet written to the disk, another
 * one would give out as done. The lock is SQLite's own on a file beside the store, so it ends with the process, however that ends.
 */
export async function lockStore(data: string): Promise<{ release(): void }> {
  const path = join(data, 'suffice.lock');
  try {
    await mkdir(data, { recursive: true, mode: 0o700 });
    // An existing file is not opened here: to close it would give up a lock of this process.
    if (!existsSync(path)) await (await open(path, 'a', 0o600)).close();
    for (let waited = 0; ; waited += PAUSE_MS) {
      const lock = new Database(path);
      try {
        lock.exec('begin exclusive');
        return { release: () => lock.close() };
      } catch (error) {
        lock.close();
        if (!isBusy(error)) throw error;
        if (waited >= PATIENCE_MS) throw inUse(data);
      }
      await sleep(PAUSE_MS);
    }
  } catch (error) {
    return refuseUnopened(error, existsSync(path) ? path : join(data, 'suffice.db'));
  }
}

function inUse(data: string): UsageError {
  return new UsageError(
    `another process serves the store in ${data}`,
    'stop it first, or give another folder; several coordinators can share a PostgreSQL database',
  );
}
