import { sql, type Transaction } from 'kysely';
import type { Tables } from './tables.ts';

type Db = Transaction<Tables>;

/** Runs one transaction under the lock of `key`; returns after it is durable. */
export type Transact = (key: string, work: (db: Db) => Promise<void>) => Promise<void>;

interface Job {
  readonly work: (db: Db) => Promise<unknown>;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** How a job ended, told to its caller only after the commit. */
type Settle = () => void;

type Run = (db: Db, job: Job) => Promise<Settle>;

const MOST_JOBS = 64;

/**
 * Writes that wait while a transaction of the same key runs share the next one: one flush to disk
 * acknowledges many. Should one throw, the transaction starts over with each behind its own
 * savepoint, and that write alone is undone, unless `breaks` says that the whole transaction is
 * lost with it; nobody is answered before the commit. `gather` is waited for before each
 * transaction: it lets writes arrive where a transaction does not.
 */
export function groupCommit(
  transact: Transact,
  breaks: (error: unknown) => boolean,
  gather?: () => Promise<void>,
): <T>(key: string, work: (db: Db) => Promise<T>) => Promise<T> {
  const queues = new Map<string, Job[]>();

  const drain = async (key: string, queue: Job[]) => {
    while (queue.length > 0) {
      await gather?.();
      const jobs = queue.splice(0, MOST_JOBS);
      let settled: Settle[] = [];
      let thrown = false;
      const together = (run: Run) =>
        transact(key, async (db) => {
          settled = []; // a transaction that is tried again starts afresh
          thrown = false;
          for (const job of jobs) {
            settled.push(
              await run(db, job).catch((error) => {
                thrown = true;
                throw error;
              }),
            );
          }
        });
      try {
        await together(plainly).catch((error) => {
          if (!thrown || jobs.length === 1 || breaks(error)) throw error;
          return together((db, job) => behindSavepoint(db, job, breaks));
        });
        for (const settle of settled) settle();
      } catch (error) {
        for (const job of jobs) job.reject(error);
      }
    }
    queues.delete(key);
  };

  return (key, work) =>
    new Promise((resolve, reject) => {
      const job: Job = { work, resolve, reject };
      const queue = queues.get(key);
      if (queue !== undefined) {
        queue.push(job);
        return;
      }
      const fresh = [job];
      queues.set(key, fresh);
      void drain(key, fresh);
    });
}

/** A throw undoes all that is in the transaction. */
async function plainly(db: Db, job: Job): Promise<Settle> {
  const value = await job.work(db);
  return () => job.resolve(value as never);
}

async function behindSavepoint(
  db: Db,
  job: Job,
  breaks: (error: unknown) => boolean,
): Promise<Settle> {
  await sql`savepoint one`.execute(db);
  try {
    const value = await job.work(db);
    await sql`release savepoint one`.execute(db);
    return () => job.resolve(value as never);
  } catch (error) {
    if (breaks(error)) throw error;
    await sql`rollback to savepoint one`.execute(db);
    await sql`release savepoint one`.execute(db);
    return () => job.reject(error);
  }
}
