import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { whileLocked } from '../src/node/files/folder-lock.ts';
import { temporaryFolder } from './cli.ts';

const root = temporaryFolder();
const lockIn = (folder: string) => join(folder, 'lock');
const folderOf = () => mkdtempSync(join(root, 'lock-'));
const pause = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));

/** Takes the lock so many times at once; fails where two have it. */
async function crowd(path: string, many: number): Promise<void> {
  let inside = 0;
  let times = 0;
  await Promise.all(
    Array.from({ length: many }, () =>
      whileLocked(path, async () => {
        expect(++inside).toBe(1);
        await pause(2);
        times++;
        inside--;
      }),
    ),
  );
  expect(times).toBe(many);
}

describe('a lock', () => {
  it('is held by one at a time, and gone when the last is done', async () => {
    const folder = folderOf();
    await crowd(lockIn(folder), 12);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is given back by work that fails', async () => {
    const path = lockIn(folderOf());
    const failing = whileLocked(path, () => Promise.reject(new Error('broken')));
    await expect(failing).rejects.toThrow('broken');
    expect(existsSync(path)).toBe(false);
  });

  it('is taken from a process that is gone, by one of all who want it', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    for (let k = 0; k < 5; k++) {
      const folder = folderOf();
      const gone = { token: `gone-${k}`, pid, host: hostname() };
      writeFileSync(lockIn(folder), JSON.stringify(gone));
      await crowd(lockIn(folder), 10);
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  it('is waited for while its holder lives, here or elsewhere, but not for ever', async () => {
    for (const holder of [
      { token: 'alive', pid: process.pid, host: hostname() },
      { token: 'elsewhere', pid: 1, host: `not-${hostname()}` },
      { token: 'half-written' },
    ]) {
      const path = lockIn(folderOf());
      const text = JSON.stringify(holder);
      writeFileSync(path, 'pid' in holder ? text : text.slice(0, -3));
      let taken = false;
      const waiting = whileLocked(path, async () => {
        taken = true;
      });
      await pause(80);
      expect(taken).toBe(false);
      const longAgo = Date.now() / 1000 - 3600;
      utimesSync(path, longAgo, longAgo);
      await waiting;
      expect(taken).toBe(true);
    }
  });
});
