import type { DatabaseAddress } from '../../rows/database-address.ts';
import { UsageError } from '../../usage-error.ts';
import type { DatabaseEngine } from './engine.ts';

/** The databases by the scheme of their addresses. Each is loaded when it is first needed. */
const engines: Readonly<Record<string, () => Promise<DatabaseEngine>>> = {
  postgres: async () => (await import('./postgres.ts')).postgresEngine,
  duckdb: async () => (await import('./duckdb.ts')).duckdbEngine,
  clickhouse: async () => (await import('./clickhouse.ts')).clickhouseEngine,
};

/** The engine of an address. */
export function engineOf({ scheme, place }: DatabaseAddress): Promise<DatabaseEngine> {
  const load = engines[scheme];
  if (load !== undefined) return load();
  throw new UsageError(
    `${place}: tables of MySQL and MariaDB are not read here`,
    'export the table as CSV and give that file, or let the database compute the statistic: docs/databases.md says how',
  );
}
