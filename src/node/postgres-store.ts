import {
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  sql,
  type Transaction,
} from 'kysely';
import pg from 'pg';
import { groupCommit } from '../coordinator/group-commit.ts';
import { migrate } from '../coordinator/migrations.ts';
import type { Growth, Store } from '../coordinator/store.ts';
import type { Tables } from '../coordinator/tables.ts';
import { createPostgresEar, GROWTH_CHANNEL } from './postgres-ear.ts';
import { isLost, isTransient, unreachable } from './postgres-errors.ts';

/** Connections for reading and writing; one more each for hearing and for being alone. */
const MOST_CONNECTIONS = 12;
const MOST_TRIES = 5;

/** Whole numbers (int8, numeric sums of them) come as numbers: none here exceeds 2⁵³. */
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
  // A connection that ends fails the query on it, or is replaced at the next one.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: reachable(pool) }) });
  try {
    await transact(db, 'migrate', (trx) => migrate(trx, 'postgres'));
  } catch (error) {
    await db.destroy();
    throw error;
  }
  const ear = createPostgresEar(settings);
  return {
    kind: 'postgres',
    db,
    write: groupCommit((study, work) => transact(db, `study:${study}`, work), isTransient),
    alone: (name, work) => alone(settings, name, work),
    async announce(trx, growth) {
      announced.get(trx)?.set(growth.study, growth);
    },
    hear: ear.hear,
    async scrub() {
      await sql`vacuum contributions`.execute(db);
    },
    async close() {
      await ear.close();
      await db.destroy();
    },
  };
}

/** The pool, with a refusal that says what is wrong where the server does not answer. */
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

/** Of each running transaction, the newest growth of each study: told once, just before the commit. */
const announced = new WeakMap<Transaction<Tables>, Map<string, Growth>>();

/**
 * One durable transaction under the lock of a name. Tried again where the server or the
 * connection failed it; not once the commit was sent, whose end nobody knows then.
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

/** Holds a session's advisory lock on a connection of its own; the server frees it if that ends. */
async function alone<T>(
  settings: pg.ClientConfig,
  name: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const client = new pg.Client(settings);
  client.on('error', () => {}); // the lock is lost; whoever is inside checks before it writes
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
