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

const MOST_JOBS = 64;

/**
 * Writes that wait while a transaction of the same key runs share the next one, each behind its
 * own savepoint: one flush to disk acknowledges many. A throw undoes that write alone, unless
 * `breaks` says that the whole transaction is lost with it; nobody is answered before the commit.
 */
export function groupCommit(
  transact: Transact,
  breaks: (error: unknown) => boolean,
): <T>(key: string, work: (db: Db) => Promise<T>) => Promise<T> {
  const queues = new Map<string, Job[]>();

  const drain = async (key: string, queue: Job[]) => {
    while (queue.length > 0) {
      const jobs = queue.splice(0, MOST_JOBS);
      let settled: Settle[] = [];
      try {
        await transact(key, async (db) => {
          settled = []; // a transaction that is tried again starts afresh
          for (const job of jobs) {
            settled.push(await (jobs.length === 1 ? alone(db, job) : attempt(db, job, breaks)));
          }
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

/** A job with a transaction of its own needs no savepoint: its throw undoes all there is. */
async function alone(db: Db, job: Job): Promise<Settle> {
  const value = await job.work(db);
  return () => job.resolve(value as never);
}

async function attempt(db: Db, job: Job, breaks: (error: unknown) => boolean): Promise<Settle> {
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
