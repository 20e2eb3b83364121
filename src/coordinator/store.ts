import type { Kysely, Transaction } from 'kysely';
import type { Tables } from './tables.ts';

/** What tells watchers that a study's audit log has grown. */
export interface Growth {
  readonly study: string;
  readonly position: number;
}

/** The study of an announcement that concerns all: some may have been missed. */
export const everyStudy = '';

/** Where a coordinator keeps everything. Several processes may share one where `kind` is `postgres`. */
export interface Store {
  readonly kind: 'sqlite' | 'postgres';
  /** For reading. */
  readonly db: Kysely<Tables>;
  /**
   * Runs `work` in one transaction that no other write to the same study overlaps, and returns
   * after it is durable. A throw undoes everything.
   */
  write<T>(study: string, work: (db: Transaction<Tables>) => Promise<T>): Promise<T>;
  /**
   * Runs `work` unless somebody is inside with the same name; undefined then. Freed by a crash.
   * Holds across processes where `kind` is `postgres`, within the process elsewhere.
   */
  alone<T>(name: string, work: () => Promise<T>): Promise<T | undefined>;
  /** Tells every process that a log grew; called inside a write, heard after its commit. */
  announce(db: Transaction<Tables>, growth: Growth): Promise<void>;
  /**
   * Hears announcements, of all processes where `kind` is `postgres`; gives the way to stop.
   * After a break, listeners are told of `everyStudy`.
   */
  hear(listener: (growth: Growth) => void): () => void;
  /** Leaves no copy of erased bodies behind in free pages or the journal. */
  scrub(): Promise<void>;
  close(): Promise<void>;
}
