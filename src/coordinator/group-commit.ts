import { sql, type Transaction } from 'kysely';
import type { WriteGroup, WriteSubject } from './store.ts';
import type { Tables } from './tables.ts';

type Db = Transaction<Tables>;

/** Runs one transaction under the lock of `key`; returns after it is durable. */
export type Transact = (key: string, work: (db: Db) => Promise<void>) => Promise<void>;

interface Job {
  readonly work: (db: Db, group: WriteGroup) => Promise<unknown>;
  readonly subject: WriteSubject | undefined;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Resolves or rejects the promise of a job; called only after the commit. */
type Settle = () => void;

type Run = (db: Db, job: Job, group: Group) => Promise<Settle>;

type Group = WriteGroup & { readonly pending: Map<string, { save(): Promise<void> }> };

/** Most writes of one transaction. */
export const MOST_JOBS = 64;

/**
 * Group commit: writes that arrive while a transaction with the same key runs share the next
 * transaction, so one flush to disk acknowledges many. If one write throws, the transaction starts
 * again with a savepoint for each write, and only that write is undone, unless `breaks` says that
 * the error ends the whole transaction. No caller gets an answer before the commit. `gather` runs
 * before each transaction and gives more writes time to arrive; it may ask how many wait. Writes with a subject may leave work for the end of the group;
 * it is done before the commit, and before a write without a subject.
 */
export function groupCommit(
  transact: Transact,
  breaks: (error: unknown) => boolean,
  gather?: (waiting: () => number) => Promise<void>,
): <T>(
  key: string,
  work: (db: Db, group: WriteGroup) => Promise<T>,
  subject?: WriteSubject,
) => Promise<T> {
  const queues = new Map<string, Job[]>();

  const drain = async (key: string, queue: Job[]) => {
    while (queue.length > 0) {
      await gather?.(() => queue.length);
      const jobs = queue.splice(0, MOST_JOBS);
      let settles: Settle[] = [];
      let thrown = false;
      const together = (run: Run) =>
        transact(key, async (db) => {
          settles = []; // a transaction may be tried again
          thrown = false;
          const group = groupOf(jobs);
          try {
            for (const job of jobs) {
              if (job.subject === undefined) await savePending(group);
              settles.push(await run(db, job, group));
            }
            await savePending(group);
          } catch (error) {
            thrown = true;
            throw error;
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

  return (key, work, subject) =>
    new Promise((resolve, reject) => {
      const job: Job = { work, subject, resolve, reject };
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

function groupOf(jobs: readonly Job[]): Group {
  return { subjects: jobs.flatMap(({ subject }) => subject ?? []), pending: new Map() };
}

async function savePending({ pending }: Group): Promise<void> {
  for (const one of pending.values()) await one.save();
  pending.clear();
}

/** An error undoes the whole transaction. */
async function withoutSavepoint(db: Db, job: Job, group: Group): Promise<Settle> {
  const value = await job.work(db, group);
  return () => job.resolve(value as never);
}

async function withSavepoint(
  db: Db,
  job: Job,
  breaks: (error: unknown) => boolean,
): Promise<Settle> {
  await sql`savepoint one`.execute(db);
  try {
    const group = groupOf([job]);
    const value = await job.work(db, group);
    await savePending(group);
    await sql`release savepoint one`.execute(db);
    return () => job.resolve(value as never);
  } catch (error) {
    if (breaks(error)) throw error;
    await sql`rollback to savepoint one`.execute(db);
    await sql`release savepoint one`.execute(db);
    return () => job.reject(error);
  }
}
