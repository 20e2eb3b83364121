import { randomBytes } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { publishFile, readIfThere } from './safe-file.ts';

/** Work under a lock takes milliseconds; an older lock was left by a process that has ended. */
const STALE_MS = 60_000;
const LONGEST_PAUSE = 20;

interface Holder {
  /** Random, so that it names this one lock. */
  readonly token: string;
  readonly pid: number;
  readonly host: string;
}

/** Runs the work under a lock between processes: a file at `path`. */
export async function whileLocked<T>(path: string, work: () => Promise<T>): Promise<T> {
  const own: Holder = {
    token: randomBytes(12).toString('hex'),
    pid: process.pid,
    host: hostname(),
  };
  await acquire(path, own);
  try {
    return await work();
  } finally {
    if ((await holderOf(path))?.token === own.token) await rm(path, { force: true });
  }
}

async function acquire(path: string, own: Holder): Promise<void> {
  for (;;) {
    if ((await holderOf(path)) === undefined) await publishFile(path, JSON.stringify(own), 0o600);
    const holder = await holderOf(path);
    if (holder?.token === own.token) return;
    if (holder !== undefined && (await isStale(path, holder))) await remove(path, holder);
    else await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_PAUSE));
  }
}

/**
 * Removes a lock whose holder has ended. Several processes may try at once, and a late one must not remove the next
 * holder's lock, so each first takes a second lock that is named after the first.
 */
async function remove(path: string, { token }: Holder): Promise<void> {
  await whileLocked(`${path}.${token}.draft`, async () => {
    if ((await holderOf(path))?.token === token) await rm(path, { force: true });
  });
}

/** The holder of a lock; undefined without a lock, and an empty holder if the file cannot be read. */
async function holderOf(path: string): Promise<Holder | undefined> {
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return { token: '', pid: 0, host: '' };
  }
}

async function isStale(path: string, { pid, host }: Holder): Promise<boolean> {
  if (host === hostname() && !isAlive(pid)) return true;
  const age = await stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0,
  );
  return age > STALE_MS;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (failure) {
    return (failure as NodeJS.ErrnoException).code === 'EPERM';
  }
}
