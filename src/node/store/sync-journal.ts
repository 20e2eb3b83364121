import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';

const synced = promisify(fdatasync);

/**
 * Waits until the write-ahead log of an SQLite file is on the disk: every commit before the call is then durable. Another
 * thread waits, so requests are answered meanwhile; SQLite itself would stop the process. Opening and closing do not wait for
 * the disk. SQLite locks the database file and its index of the log, never the log, so no lock is lost when this closes it.
 */
export async function syncJournal(path: string): Promise<void> {
  const file = openSync(`${path}-wal`, 'r+');
  try {
    await synced(file);
  } finally {
    closeSync(file);
  }
}
