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
import { isLost, isTransient, unreachable } from './postgres-errors.ts';
import { createPostgresListener, GROWTH_CHANNEL } from './postgres-listener.ts';

/** Connections for reading and writing; one more for the listener, and one for each run of `alone`. */
const MOST_CONNECTIONS = 12;
const MOST_TRIES = 5;

/** Reads whole numbers (int8, and numeric sums of them) as numbers: none exceeds 2⁵³. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === 20 || oid === 1700 ? Number : pg.types.getTypeParser(oid, format),
};

/** A store in PostgreSQL that any number of coordinators may share. */
export async function openPostgresStore(url: string): Promise<Store> {
  const settings: pg.ClientConfig = {
    connectionString: url,
    types: types as pg.CustomTypesConfig,
    application_name: 'suffice',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  };
  const pool = new pg.Pool({ ...settings, max: MOST_CONNECTIONS });
  // A lost connection fails its query, or is replaced at the next query; the event needs no action.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: reachable(pool) }) });
  try {
    await transact(db, 'migrate', (trx) => migrate(trx, 'postgres'));
  } catch (error) {
    await db.destroy();
    throw error;
  }
  const listener = createPostgresListener(settings);
  return {
    kind: 'postgres',
    db,
    write: groupCommit((study, work) => transact(db, `study:${study}`, work), isTransient),
    alone: (name, work) => alone(settings, name, work),
    async announce(trx, growth) {
      announced.get(trx)?.set(growth.study, growth);
    },
    listen: listener.listen,
    async scrub() {
      await sql`vacuum contributions`.execute(db);
    },
    async close() {
      await listener.close();
      await db.destroy();
    },
  };
}

/** The pool, with a clear refusal if the server does not answer. */
function reachable(pool: pg.Pool): PostgresPool {
  return {
    async connect() {
      const client = await pool.connect().catch(refuseLost);
      const query = (text: string, parameters: unknown[]) =>
        client.query(text, parameters).catch(refuseLost);
      return { query, release: () => client.release() } as unknown as PostgresPoolClient;
    },
    end: () => pool.end(),
  };
}

function refuseLost(error: unknown): never {
  throw isLost(error) ? unreachable(error) : error;
}

/** Latest log length per study, for each running transaction; announced once, before the commit. */
const announced = new WeakMap<Transaction<Tables>, Map<string, Growth>>();

/**
 * One durable transaction under a named lock. Tried again after a failure of the server or the
 * connection, but not after the commit was sent: it may have succeeded.
 */
async function transact(
  db: Kysely<Tables>,
  name: string,
  work: (db: Transaction<Tables>) => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    let committing = false;
    try {
      await db.transaction().execute(async (trx) => {
        await sql`select pg_advisory_xact_lock(hashtextextended(${`suffice:${name}`}, 0)),
          case when current_setting('synchronous_commit') = 'off'
            then set_config('synchronous_commit', 'on', true) end`.execute(trx);
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
      if (committing || tries === MOST_TRIES) throw unreachable(error);
      await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** tries));
    }
  }
}

/** Runs work under an advisory lock on a separate connection; the server frees the lock when the connection ends. */
async function alone<T>(
  settings: pg.ClientConfig,
  name: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const client = new pg.Client(settings);
  client.on('error', () => {}); // the lock is lost; the work checks its data again before it writes
  try {
    await client.connect();
  } catch (error) {
    throw unreachable(error);
  }
  try {
    const { rows } = await client.query(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as held',
      [`suffice:alone:${name}`],
    );
    return rows[0].held ? await work() : undefined;
  } finally {
    await client.end().catch(() => {}); // ends the session, and its lock with it
  }
}
