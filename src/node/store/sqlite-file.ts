import { accessSync, constants, statSync } from 'node:fs';
import { Kysely } from 'kysely';
import type { Tables } from '../../coordinator/tables.ts';
import { FailureError } from '../../failure.ts';
import { libsqlDialect } from './libsql-dialect.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { refuseUnopened } from './sqlite-errors.ts';

/** A store's file, opened as it is: no table is made or changed. */
export interface SqliteFile {
  readonly connection: SqliteConnection;
  readonly db: Kysely<Tables>;
}

/** Runs `work` on the file of a store, beside the coordinator that may be running on it. Messages name a damaged copy by its `original`. */
export async function withSqliteFile<T>(
  path: string,
  work: (file: SqliteFile) => Promise<T>,
  original: string = path,
): Promise<T> {
  requireFile(path);
  let connection: SqliteConnection | undefined;
  try {
    accessSync(path, constants.R_OK); // libsql says no more than that it cannot connect
    connection = new SqliteConnection(path, 'pragma busy_timeout = 5000');
    const db = new Kysely<Tables>({ dialect: libsqlDialect(connection) });
    return await work({ connection, db });
  } catch (error) {
    return refuseUnopened(error, path, original);
  } finally {
    connection?.close();
  }
}

/** SQLite would make a file that is not there. */
function requireFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() && found.size > 0) return;
  const problem = found === undefined ? 'there is no store' : 'this is no store';
  throw new FailureError('data', {
    problem,
    remedy: 'give the data folder of a coordinator or a helper',
    place: { file: path },
  });
}

/** What SQLite itself says of the file: pages, indexes, references between tables. Empty if it is whole. */
export async function damageIn({ connection }: SqliteFile): Promise<readonly string[]> {
  const { rows: pages } = connection.run('pragma integrity_check(20)');
  const found = pages.map((row) => String(row.integrity_check)).filter((text) => text !== 'ok');
  if (found.length > 0) return found.map((text) => `SQLite: ${text}`);
  const { rows: references } = connection.run('pragma foreign_key_check');
  return references.length === 0 ? [] : [`SQLite: ${references.length} rows refer to no other row`];
}
