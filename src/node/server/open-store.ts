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
}

/** Opens the store of a coordinator or a helper; makes it at first use. */
export async function openStore({ data, database, upgrade }: StorePlace): Promise<Store> {
  if (database === undefined) {
    const { openSqliteStore } = await import('../store/sqlite-store.ts');
    return openSqliteStore(join(data, 'suffice.db'), upgrade);
  }
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
