import {
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  sql,
  type Transaction,
} from 'kysely';
import pg from 'pg';
import { groupCommit } from '../../coordinator/group-commit.ts';
import { migrate } from '../../coordinator/migrations.ts';
import type { Growth, Store } from '../../coordinator/store.ts';
import type { Tables } from '../../coordinator/tables.ts';
import type { Refusal } from '../../protocol/refusal.ts';
import { isLost, isTransient, unreachable } from './postgres-errors.ts';
import { createPostgresListener, GROWTH_CHANNEL } from './postgres-listener.ts';
import { createPostgresLocks } from './postgres-locks.ts';
import { usualTls } from './postgres-tls.ts';

/** Connections for reading and writing; one more for the listener, and one for all runs of `alone`. */
const MOST_CONNECTIONS = 12;
const MOST_TRIES = 5;

/** Reads whole numbers (int8, and numeric sums of them) as numbers: none exceeds 2⁵³. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === 20 || oid === 1700 ? Number : pg.types.getTypeParser(oid, format),
};

/** How long a server may take, in milliseconds. */
export interface PostgresPatience {
  readonly connect: number;
  readonly query: number;
  /** For a lock that another session holds. */
  readonly lock: number;
  /** For tidying up after an erasure. */
  readonly vacuum: number;
}

const usualPatience: PostgresPatience = {
  connect: 10_000,
  query: 15_000,
  lock: 5_000,
  vacuum: 600_000,
};

/** A store in PostgreSQL that any number of coordinators may share. */
export async function openPostgresStore(
  url: string,
  patience: PostgresPatience = usualPatience,
): Promise<Store> {
  const ssl = usualTls(url);
  const settings: pg.ClientConfig = {
    connectionString: url,
    types: types as pg.CustomTypesConfig,
    application_name: 'suffice',
    connectionTimeoutMillis: patience.connect,
    query_timeout: patience.query,
    keepAlive: true,
    ...(ssl === undefined ? {} : { ssl }),
  };
  const pool = new pg.Pool({
    ...settings,
    max: MOST_CONNECTIONS,
    onConnect: async (client) => {
      await client.query(`set lock_timeout = ${patience.lock}`);
    },
  });
  // A lost connection fails its query, or is replaced at the next query; the event needs no action.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: reachable(pool) }) });
  try {
    await transact(db, patience, 'migrate', (trx) => migrate(trx, 'postgres'));
  } catch (error) {
    await db.destroy();
    throw error;
  }
  const listener = createPostgresListener(settings);
  const locks = createPostgresLocks(settings);
  return {
    kind: 'postgres',
    db,
    first: async (query) => (await db.executeQuery(query)).rows[0],
    write: groupCommit(
      (study, work) => transact(db, patience, `study:${study}`, work),
      isTransient,
    ),
    alone: locks.alone,
    durable: async () => {}, // the server shows a commit when it is durable
    async now(on = db) {
      const began = beganAt.get(on);
      if (began !== undefined) return began;
      const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(on);
      return rows[0].now;
    },
    async announce(trx, growth) {
      announced.get(trx)?.set(growth.study, growth);
    },
    listen: listener.listen,
    scrub: () => vacuum(pool, patience.vacuum),
    async close() {
      await Promise.all([listener.close(), locks.close(), db.destroy()]);
    },
  };
}

/** The pool, with a clear refusal if the server does not answer. */
function reachable(pool: pg.Pool): PostgresPool {
  return {
    async connect() {
      const client = await pool.connect().catch(refuseLost);
      let lost: Refusal | undefined;
      const query = async (text: string, parameters: unknown[]) => {
        if (lost !== undefined) throw lost; // the server may still work on the query before
        try {
          return await client.query(text, parameters);
        } catch (error) {
          if (!isLost(error)) throw error;
          lost = unreachable(error);
          throw lost;
        }
      };
      const release = () => client.release(lost);
      return { query, release } as unknown as PostgresPoolClient;
    },
    end: () => pool.end(),
  };
}

function refuseLost(error: unknown): never {
  throw isLost(error) ? unreachable(error) : error;
}

/** Removes what was erased from the table's free space. It may take longer than other queries. */
async function vacuum(pool: pg.Pool, milliseconds: number): Promise<void> {
  const client = await pool.connect().catch(refuseLost);
  const work: pg.QueryConfig & { readonly query_timeout: number } = {
    text: 'vacuum contributions, blocks',
    query_timeout: milliseconds,
  };
  let failed: Error | undefined;
  try {
    await client.query(work);
  } catch (error) {
    failed = error as Error;
    refuseLost(error);
  } finally {
    client.release(failed);
  }
}

/** The server's time when each running transaction got its lock. */
const beganAt = new WeakMap<Kysely<Tables>, Date>();

/** Latest log length per study, for each running transaction; announced once, before the commit. */
const announced = new WeakMap<Transaction<Tables>, Map<string, Growth>>();

/**
 * One durable transaction under a named lock. Tried again after a failure of the server or the
 * connection, but not after the commit was sent: it may have succeeded.
 */
async function transact(
  db: Kysely<Tables>,
  patience: PostgresPatience,
  name: string,
  work: (db: Transaction<Tables>) => Promise<void>,
): Promise<void> {
  const latest = performance.now() + patience.connect;
  for (let tries = 1; ; tries++) {
    let committing = false;
    try {
      // The lock must come before the snapshot, whatever the server's default is.
      const transaction = db.transaction().setIsolationLevel('read committed');
      await transaction.execute(async (trx) => {
        const { rows } = await sql<{
          now: Date;
        }>`select pg_advisory_xact_lock(hashtextextended(${`suffice:${name}`}, 0)),
          case when current_setting('synchronous_commit') = 'off'
            then set_config('synchronous_commit', 'on', true) end,
          clock_timestamp() as now`.execute(trx);
        beganAt.set(trx, rows[0].now);
        const grown = new Map<string, Growth>();
        announced.set(trx, grown);
        await work(trx);
        for (const growth of grown.values()) {
          await sql`select pg_notify(${GROWTH_CHANNEL}, ${JSON.stringify(growth)})`.execute(trx);
        }
        committing = true;
      });
      return;
    } catch (error) {
      if (!isTransient(error)) throw error;
      const isOver = tries === MOST_TRIES || performance.now() > latest;
      if (committing || isOver) throw unreachable(error);
      await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** tries));
    }
  }
}
