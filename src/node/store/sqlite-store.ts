import { chmod, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type Client, createClient, LibsqlError } from '@libsql/client';
import { Kysely, sql } from 'kysely';
import { groupCommit } from '../../coordinator/group-commit.ts';
import { migrate } from '../../coordinator/migrations.ts';
import type { Growth, Store } from '../../coordinator/store.ts';
import type { Tables } from '../../coordinator/tables.ts';
import { FailureError } from '../../failure.ts';
import { libsqlDialect } from './libsql-dialect.ts';
import { endsTransaction, refuseFailedWrite, refuseUnopened } from './sqlite-errors.ts';

/** Settings of every connection: durable commits, and erased data overwritten. */
const PRAGMAS = [
  'pragma busy_timeout = 5000',
  'pragma journal_mode = wal',
  'pragma synchronous = full',
  'pragma foreign_keys = on',
  'pragma secure_delete = on',
].join(';');

/** Most attempts to truncate the journal while other processes read it. */
const MOST_TRIES = 6;

/**
 * The embedded store: one SQLite file that only its owner can read. Writes share one connection
 * and group their commits; reads use a second connection at the same time.
 */
export function openSqliteStore(path: string): Promise<Store> {
  return openedStore(path).catch((error) => refuseUnopened(error, path));
}

async function openedStore(path: string): Promise<Store> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await (await open(path, 'a', 0o600)).close();
  await chmod(path, 0o600);
  const url = pathToFileURL(path).href;
  const writing = await connect(url);
  const reading = await connect(url);
  await reading.execute('pragma query_only = on');
  const writer = new Kysely<Tables>({ dialect: libsqlDialect(writing, PRAGMAS) });
  const db = new Kysely<Tables>({ dialect: libsqlDialect(reading, PRAGMAS) });
  const close = async () => {
    await writer.destroy();
    await db.destroy();
  };
  try {
    await writer.transaction().execute((trx) => migrate(trx, 'sqlite'));
  } catch (error) {
    await close();
    throw error;
  }

  const listeners = new Set<(growth: Growth) => void>();
  let announced: Growth[] = [];
  const inside = new Set<string>();
  const write = groupCommit(
    async (_, work) => {
      announced = [];
      await writer.transaction().execute(work);
      for (const growth of announced) for (const listener of listeners) listener(growth);
    },
    endsTransaction,
    setImmediate<void>,
  );

  return {
    kind: 'sqlite',
    db,
    // SQLite has one writer: all studies share one queue of commits.
    write: (_, work) => write('', work).catch(refuseFailedWrite),
    async alone(name, work) {
      if (inside.has(name)) return undefined;
      inside.add(name);
      try {
        return await work();
      } finally {
        inside.delete(name);
      }
    },
    now: async () => new Date(),
    async announce(_, growth) {
      announced.push(growth);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    scrub: () => emptyJournal(writer).catch(refuseFailedWrite),
    close,
  };
}

/** Opens one connection, and checks that its commits are durable. */
async function connect(url: string, tries = 1): Promise<Client> {
  const client = createClient({ url, concurrency: 1 });
  try {
    await client.executeMultiple(PRAGMAS);
  } catch (error) {
    client.close();
    // Another process is creating the write-ahead log of a new file.
    if (!(error instanceof LibsqlError) || tries === MOST_TRIES) throw error;
    await sleep(50 * tries);
    return connect(url, tries + 1);
  }
  const { rows: journal } = await client.execute('pragma journal_mode');
  const { rows: synchronous } = await client.execute('pragma synchronous');
  if (journal[0][0] === 'wal' && synchronous[0][0] === 2) return client;
  client.close();
  throw new FailureError('data', {
    problem: 'the file system of the store does not allow a write-ahead log',
    remedy: 'put the store on a local disk',
  });
}

/** Moves the write-ahead log into the database file and truncates it; freed pages are zeros there. */
async function emptyJournal(writer: Kysely<Tables>): Promise<void> {
  for (let tries = 1; tries <= MOST_TRIES; tries++) {
    const busy = await writer.connection().execute(async (db) => {
      const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
      return rows[0].busy;
    });
    if (busy === 0) return;
    await sleep(50 * tries); // another process is reading
  }
  throw new Error(
    'another process keeps the journal of the store open: the erased data is still in it',
  );
}
