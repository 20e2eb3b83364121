import { createRequire } from 'node:module';
import { type DatabaseAddress, databaseAddress } from '../../rows/database-address.ts';
import { canonicalJson } from '../../study/canonical-json.ts';
import type { OpenTable } from './engine.ts';
import { engineOf } from './engines.ts';
import { rowsChanged } from './rows-changed.ts';
import { whileRunning } from './running-queries.ts';

/** Milliseconds without a reading after which a transaction is ended: a database keeps old rows for it. */
const IDLE = 5000;

/** A table that is read more than once. */
export interface Session {
  readonly address: DatabaseAddress;
  /** Runs work on the open table; opens it again, in the same state, where it was closed in between. */
  use<T>(work: (table: OpenTable) => Promise<T>): Promise<T>;
  /** Compares the rows of a reading with those of earlier ones; `text` is what was read of `columns`. */
  sameRows(columns: string, rows: number, text: string): void;
  /** Refuses another number of rows than the table had. */
  sameCount(found: number, rows: number): void;
  /** Ends the transaction where nobody reads. */
  rest(): Promise<void>;
  close(): Promise<void>;
}

const sessions = new Map<string, Session>();
let count = 0;

/** Opens a table and keeps it open for a while; the name finds the session again. */
export async function openSession(
  address: DatabaseAddress,
): Promise<{ readonly name: string; readonly table: OpenTable; readonly session: Session }> {
  // An idle transaction on the same rows is not needed any more; its source opens it again.
  for (const other of sessions.values()) {
    if (other.address.text === address.text) await other.rest();
  }
  const table = await (await engineOf(address)).open(address);
  const name = `${process.pid}-${++count}`;
  const session = sessionOf(address, table.state, table);
  sessions.set(name, session);
  return { name, table, session };
}

/** The session of a source, or a new one that must find the rows in the same state. */
export function sessionNamed(name: string, path: string, state: OpenTable['state']): Session {
  const found = sessions.get(name);
  if (found !== undefined) return found;
  const session = sessionOf(databaseAddress(path), state);
  sessions.set(name, session);
  return session;
}

/** Ends all transactions. */
export async function closeSessions(): Promise<void> {
  const all = [...sessions.values()];
  sessions.clear();
  await Promise.all(all.map((session) => session.close()));
}

/** How many transactions are open. */
export function openSessions(): number {
  return open.size;
}

const open = new Set<OpenTable>();

function sessionOf(
  address: DatabaseAddress,
  state: OpenTable['state'],
  first?: OpenTable,
): Session {
  const seen = new Map<string, string>();
  let table = first;
  let users = 0;
  let timer: NodeJS.Timeout | undefined;

  const close = async () => {
    clearTimeout(timer);
    const closing = table;
    table = undefined;
    if (closing === undefined) return;
    open.delete(closing);
    await closing.close();
  };
  const linger = () => {
    table?.hold(false);
    timer = setTimeout(() => void close(), IDLE);
    timer.unref();
  };
  const wake = async (): Promise<OpenTable> => {
    clearTimeout(timer);
    if (table === undefined) {
      const again = await (await engineOf(address)).open(address);
      if (canonicalJson(again.state) !== canonicalJson(state)) {
        await again.close();
        throw rowsChanged(address);
      }
      table = again;
      open.add(table);
    }
    table.hold(true);
    return table;
  };
  if (first !== undefined) {
    open.add(first);
    linger();
  }
  return {
    address,
    async use(work) {
      const awake = await wake();
      users++;
      try {
        return await whileRunning(
          async () => awake.cancel?.(),
          () => work(awake),
        );
      } catch (failure) {
        // A transaction with an error in it answers nothing more.
        await close();
        throw failure;
      } finally {
        users--;
        if (users === 0) linger();
      }
    },
    sameRows(columns, rows, text) {
      const found = `${rows} ${text}`;
      const before = seen.get(columns);
      if ((before ?? found) !== found || rows !== state.rows) throw rowsChanged(address);
      seen.set(columns, found);
    },
    sameCount(found, rows) {
      if (found !== rows) throw rowsChanged(address);
    },
    async rest() {
      if (users === 0) await close();
    },
    close,
  };
}

const require = createRequire(import.meta.url);

/** A running digest of what was read. */
export function readingDigest(): { add(bytes: Uint8Array): void; text(): string } {
  // Loaded when it is first needed: every start of the command would wait for it.
  const { createHash } = require('node:crypto') as typeof import('node:crypto');
  const hash = createHash('sha256');
  return { add: (bytes) => hash.update(bytes), text: () => hash.digest('hex') };
}
