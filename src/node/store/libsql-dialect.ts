import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type InValue, LibsqlError, type Transaction } from '@libsql/client';
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

/** Kysely on one libSQL connection. Work that needs the connection for itself waits in a queue. */
export function libsqlDialect(client: Client, pragmas: string): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new LibsqlDriver(client, pragmas),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** Most attempts to begin a transaction: about twenty seconds. */
const MOST_WAITS = 500;

class LibsqlDriver implements Driver {
  readonly #connection: LibsqlConnection;
  readonly #client: Client;
  #free: Promise<void> = Promise.resolve();
  #release: () => void = () => {};

  constructor(client: Client, pragmas: string) {
    this.#client = client;
    this.#connection = new LibsqlConnection(client, pragmas);
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
    this.#client.close();
  }
}

class LibsqlConnection implements DatabaseConnection {
  readonly #client: Client;
  readonly #pragmas: string;
  #transaction: Transaction | undefined;

  constructor(client: Client, pragmas: string) {
    this.#client = client;
    this.#pragmas = pragmas;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const target = this.#transaction ?? this.#client;
    const { columns, rows, rowsAffected } = await target.execute({
      sql,
      args: parameters as InValue[],
    });
    return {
      rows: rows.map(
        (row) =>
          Object.fromEntries(columns.map((name, k) => [name, fromStore(row[k])])) as unknown as R,
      ),
      numAffectedRows: BigInt(rowsAffected),
    };
  }

  // biome-ignore lint/correctness/useYield: part of the interface; nothing here streams.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('a libSQL connection does not stream');
  }

  /** Begins a transaction. While another process writes, it waits without blocking this process. */
  async begin(): Promise<void> {
    for (let waited = 0; ; waited++) {
      await this.#client.executeMultiple(`${this.#pragmas}; pragma busy_timeout = 20`);
      try {
        this.#transaction = await this.#client.transaction('write');
        await this.#transaction.executeMultiple('pragma busy_timeout = 5000');
        return;
      } catch (error) {
        if (!isBusy(error) || waited === MOST_WAITS) throw error;
        // libSQL leaves a refused BEGIN open, and no commit succeeds until the connection is replaced.
        await this.#client.reconnect();
        await sleep(5 + Math.random() * 40);
      }
    }
  }

  async commit(): Promise<void> {
    await this.#end((transaction) => transaction.commit());
  }

  /** A full disk has undone the transaction already; the error of undoing it again would hide the first. */
  async rollback(): Promise<void> {
    await this.#end((transaction) => transaction.rollback()).catch(() => {});
  }

  /** Ends the transaction. If that fails, the connection is replaced, which undoes the transaction. */
  async #end(how: (transaction: Transaction) => Promise<void>): Promise<void> {
    const transaction = this.#transaction;
    this.#transaction = undefined;
    if (transaction === undefined) return;
    try {
      await how(transaction);
    } catch (error) {
      await this.#client.reconnect();
      throw error;
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof LibsqlError && error.code === 'SQLITE_BUSY';
}

function fromStore(value: unknown): unknown {
  return value instanceof ArrayBuffer ? new Uint8Array(value) : value;
}
