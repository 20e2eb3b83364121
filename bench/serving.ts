import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cpuSeconds, peakKilobytes } from './child.ts';

const MAIN = fileURLToPath(new URL('../dist/command/main.js', import.meta.url));

/** A `suffice serve` in its own process. */
export interface Serving {
  readonly address: string;
  readonly operatorToken: string;
  /** Peak of its resident memory so far. */
  peakMegabytes(): number;
  /** CPU time of all its threads so far. */
  cpuSeconds(): number;
  /** Ends it at once, as `kill -9` does. */
  kill(): Promise<void>;
  /** Asks it to stop and waits for its end. */
  stop(): Promise<void>;
}

/** Starts a coordinator; `database` is a PostgreSQL address, else the store is in the folder. */
export async function startServing(
  folder: string,
  database?: string,
  flags: readonly string[] = [],
): Promise<Serving> {
  const tokenFile = `${folder}/admin-token`;
  const store = database === undefined ? ['--data', folder] : ['--admin-token-file', tokenFile];
  const child = spawn(
    process.execPath,
    [
      ...profileFlags(),
      MAIN,
      'serve',
      '--port',
      '0',
      '--log',
      'none',
      '--json',
      ...store,
      ...flags,
    ],
    {
      env: { ...process.env, ...(database === undefined ? {} : { SUFFICE_DATABASE: database }) },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`suffice serve ended with ${code}`)));
  });
  return {
    address: JSON.parse(line).address,
    operatorToken: readFileSync(tokenFile, 'utf8').trim(),
    peakMegabytes: () => peakKilobytes(child.pid) / 1000,
    cpuSeconds: () => cpuSeconds(child.pid),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** BENCH_PROFILE=folder keeps a CPU profile of each coordinator there. */
function profileFlags(): readonly string[] {
  const folder = process.env.BENCH_PROFILE;
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`];
}
