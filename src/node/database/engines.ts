import type { DatabaseAddress } from '../../rows/database-address.ts';
import { UsageError } from '../../usage-error.ts';
import type { DatabaseEngine } from './engine.ts';

/** The databases by the scheme of their addresses. Each is loaded when it is first needed. */
const engines: Readonly<Record<string, () => Promise<DatabaseEngine>>> = {
  postgres: async () => (await import('./postgres.ts')).postgres,
  duckdb: async () => (await import('./duckdb.ts')).duckdb,
  clickhouse: async () => (await import('./clickhouse.ts')).clickhouse,
};

/** The engine of an address. */
export function engineOf({ scheme, place }: DatabaseAddress): Promise<DatabaseEngine> {
  const load = engines[scheme];
  if (load !== undefined) return load();
  throw new UsageError(
    `${place}: tables of MySQL and MariaDB are not read here`,
    'write the query with suffice sql STUDY.json --dialect mariadb, run it there, and give its result to suffice join --from-result; or export the table as CSV',
  );
}
