import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '../../coordinator/store.ts';
import { FailureError } from '../../failure.ts';
import { NetworkFailure } from '../../protocol/network-failure.ts';
import type { UpgradeOptions } from '../store/upgrade-copy.ts';

/** Where a server keeps its data: a folder with SQLite, or a PostgreSQL database. */
export interface StorePlace {
  readonly data: string;
  readonly database?: string | undefined;
  /** What happens before the tables of an SQLite store are upgraded. */
  readonly upgrade?: UpgradeOptions;
  /** Called where the folder had no store, and has one now. */
  readonly onNew?: () => void;
}

/** Opens the store of a coordinator or a helper; makes it at first use. */
export async function openStore({ data, database, upgrade, onNew }: StorePlace): Promise<Store> {
  if (database === undefined) return openEmbedded(data, upgrade, onNew);
  const { openPostgresStore } = await import('../store/postgres-store.ts');
  const { tlsFailure } = await import('../store/postgres-tls.ts');
  try {
    return await openPostgresStore(database);
  } catch (failure) {
    const named = failure instanceof FailureError ? failure : tlsFailure(failure);
    if (named !== undefined) throw named;
    // The message of the failure may quote the address and its password.
    const code = failure instanceof Error && 'code' in failure ? ` (${failure.code})` : '';
    throw new NetworkFailure(
      `the database cannot be used${code}`,
      'check the address, that the database is running, and that the user may create tables',
    );
  }
}

/** The store in a folder, for this process alone. */
async function openEmbedded(
  data: string,
  upgrade: StorePlace['upgrade'],
  onNew: StorePlace['onNew'] = () => {},
): Promise<Store> {
  const { openSqliteStore } = await import('../store/sqlite-store.ts');
  const { lockStore } = await import('../store/store-lock.ts');
  const path = join(data, 'suffice.db');
  const lock = await lockStore(data);
  try {
    const isNew = bytesOf(path) === 0;
    if (isNew && bytesOf(`${path}-wal`) > 0) throw emptied(path);
    const store = await openSqliteStore(path, upgrade);
    if (isNew) onNew();
    return { ...store, close: () => store.close().finally(lock.release) };
  } catch (failure) {
    lock.release();
    throw failure;
  }
}

/** Bytes of a file; none where there is no file. */
function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** The refusal of an empty file with a log: SQLite would throw the log away. */
function emptied(path: string): FailureError {
  return new FailureError('data', {
    problem: 'the file of the store is empty, and the log beside it is not',
    remedy: 'keep a copy of the folder, then restore the newest backup: docs/backup.md',
    place: { file: path },
  });
}
