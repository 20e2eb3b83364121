import type { Client, InValue, Transaction } from '@libsql/client';
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

/** Kysely over one libSQL connection. Work that needs the connection for itself waits in line. */
export function libsqlDialect(client: Client, pragmas: string): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new LibsqlDriver(client, pragmas),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

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

  async begin(): Promise<void> {
    // The client replaces a connection that failed to roll back: the new one needs them too.
    await this.#client.executeMultiple(this.#pragmas);
    this.#transaction = await this.#client.transaction('write');
  }

  async commit(): Promise<void> {
    const transaction = this.#transaction;
    this.#transaction = undefined;
    await transaction?.commit();
  }

  async rollback(): Promise<void> {
    const transaction = this.#transaction;
    this.#transaction = undefined;
    await transaction?.rollback();
  }
}

function fromStore(value: unknown): unknown {
  return value instanceof ArrayBuffer ? new Uint8Array(value) : value;
}
