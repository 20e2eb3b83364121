import type { CompiledQuery, Kysely, Transaction } from 'kysely';
import type { Tables } from './tables.ts';

/** The notification that a study's audit log has grown. */
export interface Growth {
  readonly study: string;
  readonly position: number;
}

/** Stands for all studies in a notification: some notifications may have been lost. */
export const everyStudy = '';

/** The site that a write is about. */
export interface WriteSubject {
  readonly study: string;
  readonly site: string;
}

/** Writes that share a transaction. */
export interface WriteGroup {
  /** What they are about. */
  readonly subjects: readonly WriteSubject[];
  /** Work that the writes have left for the end of the group, by a name. */
  readonly pending: Map<string, { save(): Promise<void> }>;
}

/** The database of a coordinator. Several processes may share one if `kind` is `postgres`. */
export interface Store {
  readonly kind: 'sqlite' | 'postgres';
  /** For reading. */
  readonly db: Kysely<Tables>;
  /** The first row of a query, as of the last commit; for queries that come by the thousand. */
  first<Row>(query: CompiledQuery<Row>): Promise<Row | undefined>;
  /**
   * Runs `work` in one transaction, without another write to the same study at the same time, and
   * returns after it is durable. An error undoes everything. A write with a subject may share its reads and writes with others
   * of its group.
   */
  write<T>(
    study: string,
    work: (db: Transaction<Tables>, group?: WriteGroup) => Promise<T>,
    subject?: WriteSubject,
  ): Promise<T>;
  /** Ends when every write that a read may have seen so far is durable. */
  durable(): Promise<void>;
  /**
   * Runs `work` unless other work with the same name is running; then it returns undefined. A crash
   * frees the name. Covers all processes if `kind` is `postgres`, otherwise one process only.
   */
  alone<T>(name: string, work: () => Promise<T>): Promise<T | undefined>;
  /** The time by which deadlines are judged: the database's if several processes may share it, otherwise this machine's. */
  now(db?: Kysely<Tables>): Promise<Date>;
  /** Notifies all processes that a log has grown. Call it inside a write; it is sent with the commit. */
  announce(db: Transaction<Tables>, growth: Growth): Promise<void>;
  /**
   * Calls the listener for every notification, from all processes if `kind` is `postgres`. Returns
   * a function that stops it. After a lost connection the listener gets `everyStudy`.
   */
  listen(listener: (growth: Growth) => void): () => void;
  /** Removes copies of erased bodies from free pages and the journal. */
  scrub(): Promise<void>;
  close(): Promise<void>;
}
