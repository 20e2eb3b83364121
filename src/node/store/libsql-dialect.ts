import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { EachRow } from '../../coordinator/write-rows.ts';
import { type SqliteConnection, TransactionEnded } from './sqlite-connection.ts';
import { isBusy } from './sqlite-errors.ts';

/** Kysely on one libSQL connection. Work that needs the connection for itself waits in a queue. */
export function libsqlDialect(connection: SqliteConnection): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new LibsqlDriver(connection),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Most attempts to begin a transaction: about twenty seconds. */
const MOST_WAITS = 500;

class LibsqlDriver implements Driver {
  readonly #connection: LibsqlConnection;
  readonly #sqlite: SqliteConnection;
  #free: Promise<void> = Promise.resolve();
  #release: () => void = () => {};

  constructor(sqlite: SqliteConnection) {
    this.#sqlite = sqlite;
    this.#connection = new LibsqlConnection(sqlite);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#free;
    let release = () => {};
    this.#free = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    this.#release = release;
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    this.#release();
  }

  beginTransaction(): Promise<void> {
    return this.#connection.begin();
  }

  commitTransaction(): Promise<void> {
    return this.#connection.commit();
  }

  rollbackTransaction(): Promise<void> {
    return this.#connection.rollback();
  }

  async destroy(): Promise<void> {
    this.#sqlite.close();
  }
}

class LibsqlConnection implements DatabaseConnection {
  readonly #sqlite: SqliteConnection;
  #begun = false;

  constructor(sqlite: SqliteConnection) {
    this.#sqlite = sqlite;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    // Without this, a statement after a full disk would be a transaction of its own.
    if (this.#begun && !this.#sqlite.inTransaction) throw new TransactionEnded();
    const [first] = parameters;
    if (first instanceof EachRow) {
      for (const row of first.rows) this.#sqlite.run(sql, row);
      return { rows: [] };
    }
    const { rows, changes } = this.#sqlite.run(sql, parameters);
    return { rows: rows as R[], numAffectedRows: BigInt(changes) };
  }

  // biome-ignore lint/correctness/useYield: part of the interface; nothing here streams.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('a libSQL connection does not stream');
  }

  /** Begins a transaction. While another process writes, it waits without blocking this process. */
  async begin(): Promise<void> {
    for (let waited = 0; ; waited++) {
      this.#sqlite.run('pragma busy_timeout = 20');
      try {
        this.#sqlite.run('begin immediate');
        this.#sqlite.run('pragma busy_timeout = 5000');
        this.#begun = true;
        return;
      } catch (error) {
        // libSQL leaves a refused BEGIN open, and no commit succeeds until the connection is replaced.
        this.#sqlite.reopen();
        if (!isBusy(error) || waited === MOST_WAITS) throw error;
        await sleep(5 + Math.random() * 40);
      }
    }
  }

  async commit(): Promise<void> {
    this.#end('commit');
  }

  /** A full disk has undone the transaction already; the error of undoing it again would hide the first. */
  async rollback(): Promise<void> {
    try {
      this.#end('rollback');
    } catch {}
  }

  /** Ends the transaction. If that fails, the connection is replaced, which undoes the transaction. */
  #end(how: 'commit' | 'rollback'): void {
    if (!this.#begun) return;
    this.#begun = false;
    try {
      if (!this.#sqlite.inTransaction) throw new TransactionEnded();
      this.#sqlite.run(how);
    } catch (error) {
      this.#sqlite.reopen();
      throw error;
    }
  }
}
