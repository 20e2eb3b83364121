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

/** Resolves or rejects the promise of a job; called only after the commit. */
type Settle = () => void;

type Run = (db: Db, job: Job) => Promise<Settle>;

const MOST_JOBS = 64;

/**
 * Group commit: writes that arrive while a transaction with the same key runs share the next
 * transaction, so one flush to disk acknowledges many. If one write throws, the transaction starts
 * again with a savepoint for each write, and only that write is undone, unless `breaks` says that
 * the error ends the whole transaction. No caller gets an answer before the commit. `gather` runs
 * before each transaction and gives more writes time to arrive.
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
      let settles: Settle[] = [];
      let thrown = false;
      const together = (run: Run) =>
        transact(key, async (db) => {
          settles = []; // a transaction may be tried again
          thrown = false;
          for (const job of jobs) {
            settles.push(
              await run(db, job).catch((error) => {
                thrown = true;
                throw error;
              }),
            );
          }
        });
      try {
        await together(withoutSavepoint).catch((error) => {
          if (!thrown || jobs.length === 1 || breaks(error)) throw error;
          return together((db, job) => withSavepoint(db, job, breaks));
        });
        for (const settle of settles) settle();
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

/** An error undoes the whole transaction. */
async function withoutSavepoint(db: Db, job: Job): Promise<Settle> {
  const value = await job.work(db);
  return () => job.resolve(value as never);
}

async function withSavepoint(
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
