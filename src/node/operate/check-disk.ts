import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { byteText } from '../../text/number-text.ts';
import { UPGRADE_COPY } from '../store/upgrade-copy.ts';
import { type CheckResult, ok, problem, warning } from './check-result.ts';

/** Below the first a coordinator will soon refuse contributions; below the second look at the disk. */
const FREE = { problem: 50e6, warning: 1e9 };
/** Every group of contributions waits for the disk once. */
const SLOW_MS = 50;
const DAY = 86_400_000;
const OLD_COPY_DAYS = 30;

/** Checks the folder of a store: room, speed, and who may read it. */
export async function checkDisk(data: string): Promise<readonly CheckResult[]> {
  const found = statSync(data, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) {
    const remedy = 'give the data folder of a coordinator or a helper; the first start makes it';
    return [problem('folder', `${data} is not there`, remedy)];
  }
  if (!isAllowed(data, constants.R_OK | constants.X_OK)) {
    const remedy = 'run the command as the user of the coordinator';
    return [problem('folder', `${data} cannot be read by this user`, remedy)];
  }
  return [
    await writableResult(data),
    roomResult(data),
    permissionResult(data),
    ...filesResult(data),
    ...copiesResult(data),
  ];
}

/** Writes and syncs a few bytes as SQLite does at each commit. */
async function writableResult(data: string): Promise<CheckResult> {
  const probe = join(data, `.doctor-${randomBytes(6).toString('hex')}`);
  try {
    const handle = await open(probe, 'wx', 0o600);
    const times: number[] = [];
    try {
      for (let k = 0; k < 5; k++) {
        const before = performance.now();
        await handle.write(randomBytes(4096), 0, 4096, k * 4096);
        await handle.sync();
        times.push(performance.now() - before);
      }
    } finally {
      await handle.close();
    }
    const median = times.toSorted((a, b) => a - b)[2];
    const text = `writable; a sync takes ${median.toFixed(median < 10 ? 1 : 0)} ms`;
    if (median < SLOW_MS) return ok('folder', text);
    return warning('folder', text, 'put the store on a local disk, best an SSD');
  } catch (failure) {
    const { code = '' } = failure as NodeJS.ErrnoException;
    const full = ['ENOSPC', 'EDQUOT'].includes(code);
    const remedy = full
      ? 'make room on the disk'
      : 'make it writable for the user of the coordinator';
    return problem('folder', `${data} ${full ? 'is full' : 'cannot be written'} (${code})`, remedy);
  } finally {
    await rm(probe, { force: true }).catch(() => {});
  }
}

function roomResult(data: string): CheckResult {
  const { bavail, bsize } = statfsSync(data);
  const free = bavail * bsize;
  const store = sizeOf(join(data, 'suffice.db')) + sizeOf(join(data, 'suffice.db-wal'));
  const text = `${byteText(free)} free; the store has ${byteText(store)}`;
  const remedy = 'make room: a backup or an upgrade needs the size of the store once more';
  if (free < FREE.problem) return problem('disk', text, remedy);
  return free < FREE.warning || free < 2 * store ? warning('disk', text, remedy) : ok('disk', text);
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Statistics, keys and tokens are for the coordinator's user alone. */
function permissionResult(data: string): CheckResult {
  const secret = readdirSync(data).filter(
    (name) =>
      /^suffice.*\.db(-wal|-shm)?$/.test(name) || name === 'admin-token' || name === 'releases',
  );
  const files = [...secret.map((name) => join(data, name)), `${resolve(data)}.releases`];
  const open = files.filter((file) => (modeOf(file) & 0o077) !== 0);
  if (process.platform === 'win32') return ok('permissions', 'as the folder has them');
  if (open.length > 0) {
    const names = open.map((file) => basename(file)).join(', ');
    const text = `other users may read or write ${names}`;
    return problem('permissions', text, `chmod 600 ${open.join(' ')}`);
  }
  if ((modeOf(data) & 0o022) !== 0) {
    return problem('permissions', `other users may write to ${data}`, `chmod 700 ${data}`);
  }
  const umask = process.umask().toString(8).padStart(4, '0');
  return ok(
    'permissions',
    `the store, the token and the record of releases are for their owner alone (umask ${umask})`,
  );
}

/** A coordinator writes the files of its store and reads the token; one that another user has made stops it. */
function filesResult(data: string): readonly CheckResult[] {
  const both = constants.R_OK | constants.W_OK;
  const needed = [
    ...['suffice.db', 'suffice.db-wal', 'suffice.db-shm'].map((name) => [name, both] as const),
    ['admin-token', constants.R_OK] as const,
  ];
  const shut = needed
    .map(([name, access]) => [join(data, name), access] as const)
    .filter(([file, access]) => existsSync(file) && !isAllowed(file, access))
    .map(([file]) => file);
  if (shut.length === 0) return [];
  const names = shut.map((file) => basename(file)).join(', ');
  const remedy = `run the command as the user of the coordinator, or give that user ${shut.join(' ')} with mode 600`;
  return [problem('files', `this user cannot use ${names}`, remedy)];
}

function isAllowed(path: string, access: number): boolean {
  try {
    accessSync(path, access);
    return true;
  } catch {
    return false;
  }
}

function modeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
}

/** Copies from before upgrades: they keep what is withdrawn later. */
function copiesResult(data: string): readonly CheckResult[] {
  const old = readdirSync(data)
    .filter((name) => UPGRADE_COPY.test(name))
    .filter((name) => Date.now() - statSync(join(data, name)).mtimeMs > OLD_COPY_DAYS * DAY);
  if (old.length === 0) return [];
  const text = `copies from before an upgrade are older than ${OLD_COPY_DAYS} days: ${old.join(', ')}`;
  return [warning('copies', text, 'delete them: they hold contributions that were erased since')];
}
