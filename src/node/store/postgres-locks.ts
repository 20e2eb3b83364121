import pg from 'pg';
import { isLost, unreachable } from './postgres-errors.ts';

/** Named locks between processes. All locks of one process share one connection. */
export interface PostgresLocks {
  /** Runs the work under a lock; undefined if somebody else holds it, here or in another process. */
  alone<T>(name: string, work: () => Promise<T>): Promise<T | undefined>;
  close(): Promise<void>;
}

/** The server frees all locks when the connection ends; the work checks its data again before it writes. */
export function createPostgresLocks(settings: pg.ClientConfig): PostgresLocks {
  // A session may take its own lock twice, so this process excludes itself.
  const inside = new Set<string>();
  let session: Promise<pg.Client> | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const drop = (lost: Promise<pg.Client>): void => {
    if (session === lost) session = undefined;
    lost.then((client) => client.end()).catch(() => {});
  };
  const connect = (): Promise<pg.Client> => {
    const client = new pg.Client(settings);
    const connected = client.connect().then(() => client);
    client.on('error', () => drop(connected));
    connected.catch(() => drop(connected));
    return connected;
  };
  /** One statement at a time; a lost connection is replaced. */
  const ask = (statement: string, name: string): Promise<boolean> => {
    const asked = last.then(async () => {
      session ??= connect();
      const current = session;
      try {
        const client = await current;
        const text = `select ${statement}(hashtextextended($1, 0)) as done`;
        const { rows } = await client.query(text, [`suffice:alone:${name}`]);
        return rows[0].done;
      } catch (error) {
        if (isLost(error)) drop(current);
        throw isLost(error) ? unreachable(error) : error;
      }
    });
    last = asked.catch(() => {});
    return asked;
  };

  return {
    async alone(name, work) {
      if (inside.has(name)) return undefined;
      inside.add(name);
      try {
        if (!(await ask('pg_try_advisory_lock', name))) return undefined;
        try {
          return await work();
        } finally {
          await ask('pg_advisory_unlock', name).catch(() => {});
        }
      } finally {
        inside.delete(name);
      }
    },
    async close() {
      const client = await session?.catch(() => undefined);
      await client?.end().catch(() => {});
    },
  };
}
