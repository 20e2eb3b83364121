import { chmod, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { type CompiledQuery, Kysely, sql, type Transaction } from 'kysely';
import { groupCommit, MOST_JOBS } from '../../coordinator/group-commit.ts';
import { migrate } from '../../coordinator/migrations.ts';
import type { Growth, Store } from '../../coordinator/store.ts';
import type { Tables } from '../../coordinator/tables.ts';
import { FailureError } from '../../failure.ts';
import { Refusal } from '../../protocol/refusal.ts';
import { libsqlDialect } from './libsql-dialect.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { endsTransaction, refuseFailedWrite, refuseUnopened, sqliteCode } from './sqlite-errors.ts';
import { syncJournal } from './sync-journal.ts';
import { copyBeforeUpgrade, type UpgradeOptions } from './upgrade-copy.ts';

/**
 * Settings of every connection: erased data is overwritten, and a commit is not waited for. The store waits itself, for all
 * commits of a group, in another thread (`syncJournal`); SQLite waits where it moves the log into the file.
 */
const PRAGMAS = [
  'pragma busy_timeout = 5000',
  'pragma journal_mode = wal',
  'pragma synchronous = normal',
  'pragma wal_autocheckpoint = 4000',
  'pragma foreign_keys = on',
  'pragma secure_delete = on',
].join(';');

/** Most attempts to open a file whose log another process is creating. */
const MOST_TRIES = 6;

/**
 * The embedded store: one SQLite file that only its owner can read. Writes share one connection
 * and group their commits; reads use a second connection at the same time.
 */
export function openSqliteStore(
  path: string,
  upgrade: UpgradeOptions = {},
  sync: (path: string) => Promise<void> = syncJournal,
  mostEmptying: number = MOST_EMPTYING,
): Promise<Store> {
  return openedStore(path, upgrade, sync, mostEmptying).catch((error) =>
    refuseUnopened(error, path),
  );
}

async function openedStore(
  path: string,
  upgrade: UpgradeOptions,
  sync: (path: string) => Promise<void>,
  mostEmptying: number,
): Promise<Store> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await (await open(path, 'a', 0o600)).close();
  await chmod(path, 0o600);
  const writing = await connect(path, PRAGMAS);
  const writer = new Kysely<Tables>({ dialect: libsqlDialect(writing) });
  const reading = await connect(path, `${PRAGMAS};pragma query_only = on`);
  const db = new Kysely<Tables>({ dialect: libsqlDialect(reading) });
  const close = async () => {
    await writer.destroy();
    await db.destroy();
  };
  try {
    const upgraded = await copyBeforeUpgrade(path, db, upgrade);
    await writer.transaction().execute((trx) => migrate(trx, 'sqlite'));
    await sync(path);
    if (upgraded !== undefined) upgrade.onUpgrade?.(upgraded);
  } catch (error) {
    await close();
    throw error;
  }

  const listeners = new Set<(growth: Growth) => void>();
  let announced: Growth[] = [];
  const inside = new Set<string>();
  let durable = Promise.resolve();
  let doubted = false;
  /** Whether what was erased may still be in the log, since others were reading. */
  let owed = false;
  /** Waits for the disk. If it fails, what it has lost is unknown: the next write first moves the whole log into the file. */
  const commit = async (work: (db: Transaction<Tables>) => Promise<void>): Promise<void> => {
    if (doubted) await emptyJournal(writer, mostEmptying);
    doubted = false;
    await writer.transaction().execute(work);
    durable = sync(path).catch((error) => {
      doubted = true;
      throw error;
    });
    await durable;
    if (owed) owed = !(await isEmptied(writer).catch(() => false));
  };
  const scrub = async (): Promise<void> => {
    owed = true;
    await emptyJournal(writer, mostEmptying);
    owed = false;
  };
  const write = groupCommit(
    async (_, work) => {
      announced = [];
      await commit(work);
      for (const growth of announced) for (const listener of listeners) listener(growth);
    },
    endsTransaction,
    untilQuiet,
  );

  return {
    kind: 'sqlite',
    db,
    // The writing connection keeps its pages over its own commits; the reading one reads them again after each.
    first: async <Row>({ sql: text, parameters }: CompiledQuery<Row>) =>
      (writing.inTransaction ? reading : writing).first(text, parameters) as Row | undefined,
    // SQLite has one writer: all studies share one queue of commits.
    write: (_, work, subject) => write('', work, subject).catch(refuseFailedWrite),
    async alone(name, work) {
      if (inside.has(name)) return undefined;
      inside.add(name);
      try {
        return await work();
      } finally {
        inside.delete(name);
      }
    },
    durable: () => durable.catch(refuseFailedWrite),
    now: async () => new Date(),
    async announce(_, growth) {
      announced.push(growth);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    scrub: () => scrub().catch(refuseFailedWrite),
    close,
  };
}

/** Longest time to wait for more writes, in milliseconds. */
const MOST_GATHERING = 25;
/** Turns of the event loop without another write after which none is expected. */
const QUIET_TURNS = 2;

/**
 * Ends when no more writes arrive. The event loop accepts one connection a turn, so a commit in every turn would serve one
 * site each.
 */
async function untilQuiet(waiting: () => number): Promise<void> {
  const latest = performance.now() + MOST_GATHERING;
  for (let quiet = 0; quiet < QUIET_TURNS; ) {
    const before = waiting();
    if (before >= MOST_JOBS || performance.now() > latest) return;
    await setImmediate();
    quiet = waiting() === before ? quiet + 1 : 0;
  }
}

/** Opens one connection, and checks that it has a log whose commits survive. */
async function connect(path: string, settings: string, tries = 1): Promise<SqliteConnection> {
  let connection: SqliteConnection;
  try {
    connection = new SqliteConnection(path, settings);
  } catch (error) {
    // Another process is creating the write-ahead log of a new file.
    if (sqliteCode(error) === undefined || tries === MOST_TRIES) throw error;
    await sleep(50 * tries);
    return connect(path, settings, tries + 1);
  }
  const { rows: journal } = connection.run('pragma journal_mode');
  const { rows: synchronous } = connection.run('pragma synchronous');
  if (journal[0].journal_mode === 'wal' && synchronous[0].synchronous === 1) return connection;
  connection.close();
  throw new FailureError('data', {
    problem: 'the file system of the store does not allow a write-ahead log',
    remedy: 'put the store on a local disk',
  });
}

/** Longest wait for other processes that read, in milliseconds: a backup reads until it has the whole store. */
const MOST_EMPTYING = 30_000;
/** Longest pause between two tries, in milliseconds. */
const EMPTYING_PAUSE = 500;

/** Moves the write-ahead log into the database file and truncates it; freed pages are zeros there. Waits while others read. */
async function emptyJournal(writer: Kysely<Tables>, mostMs: number): Promise<void> {
  const latest = performance.now() + mostMs;
  for (let tries = 1; !(await isEmptied(writer)); tries++) {
    if (performance.now() > latest) throw stillRead();
    await sleep(Math.min(EMPTYING_PAUSE, 50 * tries));
  }
}

function stillRead(): Refusal {
  return new Refusal(
    'store-unavailable',
    'another process has been reading the store for long, as a backup does: what was erased is still in its log',
    'try again later, when the backup is complete',
  );
}

/** One try to empty the log. SQLite hardly waits for others: it would wait in this thread, and nobody would be answered. */
function isEmptied(writer: Kysely<Tables>): Promise<boolean> {
  return writer.connection().execute(async (db) => {
    await sql`pragma busy_timeout = 20`.execute(db);
    try {
      const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
      return rows[0].busy === 0;
    } finally {
      await sql`pragma busy_timeout = 5000`.execute(db);
    }
  });
}
