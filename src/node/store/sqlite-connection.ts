import Database from 'libsql';

/** What a statement gave back. */
export interface StatementResult {
  readonly rows: readonly Record<string, unknown>[];
  readonly changes: number;
}

interface Prepared {
  readonly statement: ReturnType<InstanceType<typeof Database>['prepare']>;
  /** Names of the result's columns; undefined if the statement returns no rows. */
  readonly columns: readonly string[] | undefined;
}

/** Statements that stay prepared; the one that was not used longest is given up. */
const MOST_PREPARED = 200;

/** The error of a statement whose transaction the database has ended by itself, as a full disk does. */
export class TransactionEnded extends Error {
  constructor() {
    super('the transaction has ended');
  }
}

/**
 * One connection to an SQLite file. Each text of a statement is prepared once, and the settings are
 * made once: both cost more than running a short statement.
 */
export class SqliteConnection {
  readonly #path: string;
  readonly #settings: string;
  readonly #prepared = new Map<string, Prepared>();
  #database: InstanceType<typeof Database> | undefined;

  constructor(path: string, settings: string) {
    this.#path = path;
    this.#settings = settings;
    this.reopen();
  }

  /** Replaces the connection, which undoes its transaction. */
  reopen(): void {
    this.close();
    const database = new Database(this.#path);
    try {
      database.exec(this.#settings);
    } catch (error) {
      database.close();
      throw error;
    }
    this.#database = database;
  }

  close(): void {
    this.#prepared.clear();
    this.#database?.close();
    this.#database = undefined;
  }

  get inTransaction(): boolean {
    return this.#database?.inTransaction === true;
  }

  /** Runs statements without parameters and without a result. */
  script(text: string): void {
    this.#opened().exec(text);
  }

  run(text: string, parameters: readonly unknown[] = []): StatementResult {
    const { statement, columns } = this.#prepare(text);
    try {
      if (columns === undefined) {
        return { rows: [], changes: statement.run(parameters as unknown[]).changes };
      }
      const rows = statement.all(parameters as unknown[]) as unknown[][];
      return { rows: rows.map((row) => record(columns, row)), changes: 0 };
    } catch (error) {
      this.#prepared.delete(text); // a statement that failed is not in a state to run again
      throw error;
    }
  }

  /** The first row of a query. */
  first(text: string, parameters: readonly unknown[]): Record<string, unknown> | undefined {
    const { statement, columns = [] } = this.#prepare(text);
    try {
      const row = statement.get(parameters as unknown[]) as unknown[] | undefined;
      return row === undefined ? undefined : record(columns, row);
    } catch (error) {
      this.#prepared.delete(text);
      throw error;
    }
  }

  #opened(): InstanceType<typeof Database> {
    if (this.#database === undefined) throw new Error('the store is closed');
    return this.#database;
  }

  #prepare(text: string): Prepared {
    const known = this.#prepared.get(text);
    if (known !== undefined) {
      this.#prepared.delete(text);
      this.#prepared.set(text, known);
      return known;
    }
    const statement = this.#opened().prepare(text);
    const columns = statement.columns().map(({ name }) => name);
    if (columns.length > 0) statement.raw(true);
    const prepared = { statement, columns: columns.length === 0 ? undefined : columns };
    this.#prepared.set(text, prepared);
    if (this.#prepared.size > MOST_PREPARED) {
      this.#prepared.delete(this.#prepared.keys().next().value as string);
    }
    return prepared;
  }
}

function record(columns: readonly string[], row: readonly unknown[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [k, name] of columns.entries()) fields[name] = plain(row[k]);
  return fields;
}

/** Bytes without the methods of Node's Buffer. */
function plain(value: unknown): unknown {
  if (!(value instanceof Uint8Array)) return value;
  return new Uint8Array(value.buffer, value.byteOffset, value.length);
}
