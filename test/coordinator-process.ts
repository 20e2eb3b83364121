import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Store } from '../src/coordinator/store.ts';
import { openPostgresStore } from '../src/node/postgres-store.ts';
import { openSqliteStore } from '../src/node/sqlite-store.ts';
import type { StorePlace } from './stores.ts';

const main = fileURLToPath(new URL('../dist/node/cli/main.js', import.meta.url));

/** Where coordinators keep everything, so that another process can take over. */
export interface CoordinatorHome {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Looks into the store beside whoever runs on it; closed after the test. */
  open(): Promise<Store>;
}

/** A home in a place for a store: a folder of its own for SQLite, the database for PostgreSQL. */
export function coordinatorHome({ kind, address }: Pick<StorePlace, 'kind' | 'address'>) {
  const token = `sfo_${'s'.repeat(43)}`;
  const folder = join(dirname(address), 'data');
  const closed = async (opening: Promise<Store>) => {
    const store = await opening;
    onTestFinished(() => store.close());
    return store;
  };
  const home: CoordinatorHome =
    kind === 'sqlite'
      ? {
          args: ['--data', folder],
          env: { SUFFICE_ADMIN_TOKEN: token },
          open: () => closed(openSqliteStore(join(folder, 'suffice.db'))),
        }
      : {
          args: [],
          env: { SUFFICE_ADMIN_TOKEN: token, SUFFICE_DATABASE: address },
          open: () => closed(openPostgresStore(address)),
        };
  return { ...home, operatorToken: token };
}

/** A `suffice serve` of its own. */
export interface CoordinatorProcess {
  readonly address: string;
  /** Once it answers; fails where it ends before. */
  readonly ready: Promise<void>;
  /** Ends it at once, as `kill -9`. */
  kill(): Promise<void>;
}

/** Starts the built `suffice serve`; killed after the test at the latest. */
export function startCoordinator({ args, env }: CoordinatorHome, port: number): CoordinatorProcess {
  const flags = ['serve', ...args, '--port', String(port), '--log', 'none', '--json'];
  const child = spawn(process.execPath, [main, ...flags], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (bytes) => {
    said += bytes;
  });
  const ended = new Promise<void>((resolve) => child.once('close', resolve));
  const ready = new Promise<void>((resolve, reject) => {
    createInterface(child.stdout).once('line', () => resolve());
    child.once('close', () => reject(new Error(`the coordinator ended: ${said}`)));
  });
  ready.catch(() => {}); // whoever waits is told
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  return { address: `http://127.0.0.1:${port}`, ready, kill };
}
