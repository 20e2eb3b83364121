import type { DatabaseAddress } from '../../rows/database-address.ts';
import type { DialectName } from '../../sql/dialect-name.ts';
import type { SqlAnswer } from '../../sql/sql-answer.ts';

/** What the cells of a column are, whatever the engine calls their type. */
export type CellKind = 'number' | 'logical' | 'text' | 'date' | 'other';

/** A column of an open table. */
export interface DatabaseColumn {
  readonly name: string;
  readonly kind: CellKind;
  /** The type as the engine names it, for messages. */
  readonly type: string;
}

/** A column to read, and how two of its cells are written. */
export interface AskedColumn {
  readonly name: string;
  /** For a logical column: the words for true and false. */
  readonly words?: readonly [string, string];
  /** What is written for NULL; nothing unless given. */
  readonly missing?: string;
}

/** Rows that other servers hold for the one that is asked. */
export interface RowsElsewhere {
  /** What to ask, each by a select of its own, which the server with the rows can compute: quoted names. */
  readonly parts: readonly string[];
  /** Why rows would travel for a query over the parts; undefined where only its sums do. */
  whyFetched(sql: string): Promise<string | undefined>;
}

/** A table of a database that can be read until it is closed, in one state wherever the engine has snapshots. */
export interface OpenTable {
  readonly columns: readonly DatabaseColumn[];
  /** Rows in this state. */
  readonly rows: number;
  /** Facts that are others once the rows are others. */
  readonly state: Readonly<Record<string, string | number>>;
  /** Writes the columns of all rows as CSV without a header line, piece by piece; ends the query where `push` throws. */
  read(columns: readonly AskedColumn[], push: (bytes: Uint8Array) => void): Promise<void>;
  /** Runs one query in the same state. */
  query(sql: string): Promise<SqlAnswer>;
  /** The rows as a query reads them: a quoted name, or a select in parentheses with a name. */
  readonly from: string;
  /** Where the rows are, unless the server that is asked holds them all. */
  readonly elsewhere?: RowsElsewhere;
  /** The dialect of its queries, where it is not named as the scheme of addresses. */
  readonly dialect?: DialectName;
  /** Ends the query that runs, at the server; absent where it ends with this process. */
  cancel?(): Promise<void>;
  /** Says whether the process may end while the table is open. */
  hold(held: boolean): void;
  close(): Promise<void>;
}

/** A database that can be read: an entry of the registry in `engines.ts`. */
export interface DatabaseEngine {
  readonly name: string;
  open(address: DatabaseAddress): Promise<OpenTable>;
}
