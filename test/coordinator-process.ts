import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { newToken } from '../src/coordinator/access.ts';
import type { Store } from '../src/coordinator/store.ts';
import { openPostgresStore } from '../src/node/store/postgres-store.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import type { StorePlace } from './stores.ts';

const main = fileURLToPath(new URL('../dist/command/main.js', import.meta.url));

/** Where a coordinator keeps everything, so that another process can go on from there. */
export interface CoordinatorHome {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly operatorToken: string;
  /** Looks into the store beside whoever runs on it; closed after the test. */
  open(): Promise<Store>;
}

export function coordinatorHome(place: Pick<StorePlace, 'kind' | 'address'>): CoordinatorHome {
  const { kind, address } = place;
  const operatorToken = newToken('operator');
  const data = `${address}.data`;
  const sqlite = kind === 'sqlite';
  return {
    operatorToken,
    args: sqlite ? ['--data', data] : [],
    env: { SUFFICE_ADMIN_TOKEN: operatorToken, SUFFICE_DATABASE: sqlite ? '' : address },
    async open() {
      const store = await (sqlite
        ? openSqliteStore(join(data, 'suffice.db'))
        : openPostgresStore(address));
      onTestFinished(() => store.close());
      return store;
    },
  };
}

/** A `suffice serve` of its own. */
export interface CoordinatorProcess {
  readonly address: string;
  /** Once it listens; fails where it ends before. */
  readonly ready: Promise<void>;
  /** Ends it at once, as `kill -9` does. */
  kill(): Promise<void>;
}

/** Starts the built `suffice serve`, or another server; killed after the test at the latest. */
export function startCoordinator(
  { args, env }: CoordinatorHome,
  port: number,
  command: readonly string[] = ['serve'],
): CoordinatorProcess {
  const flags = [...command, ...args, '--port', String(port), '--log', 'none', '--json'];
  const child = spawn(process.execPath, [main, ...flags], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (bytes) => {
    said += bytes;
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const ready = new Promise<void>((resolve, reject) => {
    createInterface(child.stdout).once('line', () => resolve());
    child.once('close', () => reject(new Error(`the server ended: ${said}`)));
  });
  ready.catch(() => {}); // for whoever waits for it
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  return { address: `http://127.0.0.1:${port}`, ready, kill };
}

/**
 * A port that stays free while nobody listens on it: systems take the ports of outgoing
 * connections from above 32767.
 */
export async function stablePort(): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 20_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
