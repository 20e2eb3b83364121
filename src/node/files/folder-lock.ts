import { randomBytes } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { visibleText } from '../../text/visible-text.ts';
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

/** How long a process of this machine may hold the lock before its name is shown, in milliseconds. */
const SAY_AFTER = 1_000;

/** Shows why a command waits. */
export type WaitNotice = (text: string) => void;

/** Runs the work under a lock between processes: a file at `path`. Says if it must wait for another. */
export async function whileLocked<T>(
  path: string,
  work: () => Promise<T>,
  notice: WaitNotice = () => {},
): Promise<T> {
  const own: Holder = {
    token: randomBytes(12).toString('hex'),
    pid: process.pid,
    host: hostname(),
  };
  await acquire(path, own, notice);
  try {
    return await work();
  } finally {
    if ((await holderOf(path))?.token === own.token) await rm(path, { force: true });
  }
}

async function acquire(path: string, own: Holder, notice: WaitNotice): Promise<void> {
  const started = Date.now();
  let said = false;
  for (let looks = 0; ; looks++) {
    if ((await holderOf(path)) === undefined) await publishFile(path, JSON.stringify(own), 0o600);
    const holder = await holderOf(path);
    if (holder?.token === own.token) return;
    if (holder !== undefined && (await isStale(path, holder))) {
      await remove(path, holder);
      continue;
    }
    // A file that cannot be read may be in the making: it is looked at again.
    const isFar = holder !== undefined && holder.host !== own.host && looks > 1;
    if (!said && holder !== undefined && (isFar || Date.now() - started > SAY_AFTER)) {
      said = true;
      notice(waitText(path, holder));
    }
    await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_PAUSE));
  }
}

function waitText(path: string, { pid, host }: Holder): string {
  const who =
    host === ''
      ? 'its content cannot be read'
      : host === hostname()
        ? `process ${pid} holds it`
        : `process ${pid} on ${visibleText(host)} holds it`;
  return `waiting for the lock ${path}: ${who}\n  → if no suffice uses this folder any more, remove the file; after ${STALE_MS / 1000} s it is taken over`;
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
    const { token, pid, host } = JSON.parse(text);
    if ([token, host].every((one) => typeof one === 'string') && Number.isSafeInteger(pid)) {
      return { token, pid, host };
    }
  } catch {
    // not JSON, or no object
  }
  return { token: '', pid: 0, host: '' };
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
