import type { DatabaseAddress } from '../../rows/database-address.ts';
import type { DatabaseEngine } from './engine.ts';

/** The databases by the scheme of their addresses. Each is loaded when it is first needed. */
const engines: Readonly<Record<string, () => Promise<DatabaseEngine>>> = {
  postgres: async () => (await import('./postgres.ts')).postgresEngine,
  duckdb: async () => (await import('./duckdb.ts')).duckdbEngine,
  clickhouse: async () => (await import('./clickhouse.ts')).clickhouseEngine,
  mysql: async () => (await import('./mysql.ts')).mysqlEngine,
};

/** The engine of an address. */
export function engineOf({ scheme }: DatabaseAddress): Promise<DatabaseEngine> {
  return engines[scheme]!();
}
