import { once } from 'node:events';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exitCode } from '../src/cli/io.ts';
import { openLogFile } from '../src/node/server/log-file.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { eventually } from './eventually.ts';
import { noMounts, smallDisk } from './real-disk.ts';
import { startServing } from './serving.ts';

const linesOf = (path: string): { readonly event: string; readonly route?: string }[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
const requests = (path: string) => linesOf(path).filter(({ event }) => event === 'request').length;

it('a log is rotated both ways of logrotate, and no line is lost', async () => {
  const folder = temporaryFolder();
  const log = join(folder, 'suffice.log');
  const serving = await startServing(['--data', join(folder, 'data'), '--log-file', log]);
  const ask = async (times: number) => {
    for (let k = 0; k < times; k++) await fetch(`${serving.address}/healthz`);
  };
  await ask(5);
  await eventually(async () => expect(requests(log)).toBe(5));
  // create: the file is moved away, then SIGHUP.
  renameSync(log, `${log}.1`);
  await ask(3);
  await eventually(async () => expect(requests(`${log}.1`)).toBe(8));
  expect(existsSync(log)).toBe(false);
  serving.child.kill('SIGHUP');
  await eventually(async () => expect(existsSync(log)).toBe(true));
  await ask(4);
  await eventually(async () => expect(requests(log)).toBe(4));
  expect(requests(`${log}.1`)).toBe(8);
  // copytruncate: the same file is cut.
  copyFileSync(log, `${log}.2`);
  truncateSync(log, 0);
  await ask(2);
  await eventually(async () => expect(requests(log)).toBe(2));
  expect(readFileSync(log, 'utf8')).not.toContain('\0');
  expect(serving.stderr()).toBe('');
  const exit = once(serving.child, 'exit');
  serving.child.kill('SIGTERM');
  expect((await exit)[0]).toBe(0);
  expect(linesOf(log).at(-1)).toMatchObject({ event: 'stopped' });
});

it('a log that cannot be opened stops the start, by name', async () => {
  const folder = temporaryFolder();
  const log = join(folder, 'none', 'suffice.log');
  const data = join(folder, 'data');
  const { code, stderr } = await suffice('serve', '--data', data, '--log-file', log);
  expect([code, stderr]).toEqual([
    exitCode.invalidData,
    `suffice: ${log}: the log cannot be written (ENOENT)\n  → make its folder, and make it writable for this user\n`,
  ]);
  expect(existsSync(data)).toBe(false);
});

it('lines go on in the old file while the new one cannot be made', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'a.log');
  const log = openLogFile(path);
  const put = (text: string) => new Promise<unknown>((done) => log.write(text, done));
  appendFileSync(path, 'before\n');
  await Promise.all([put('1\n'), put('2\n')]);
  renameSync(path, join(folder, 'old.log'));
  renameSync(folder, `${folder}-moved`);
  log.reopen();
  await put('3\n');
  renameSync(`${folder}-moved`, folder);
  await put('4\n');
  expect(readFileSync(join(folder, 'old.log'), 'utf8')).toBe('before\n1\n2\n3\n');
  expect(readFileSync(path, 'utf8')).toBe('4\n');
  expect(log.writableLength).toBe(0);
});

it.skipIf(noMounts !== undefined)(
  'a line of which a full disk took the rest is not glued to the next one',
  async () => {
    const disk = join(temporaryFolder(), 'disk');
    smallDisk(disk, '64k');
    const path = join(disk, 'a.log');
    const log = openLogFile(path);
    const put = (text: string) =>
      new Promise<boolean>((done) => log.write(text, (error) => done(error == null)));
    const ballast = join(disk, 'ballast');
    writeFileSync(ballast, new Uint8Array(40_000));
    const line = `${'x'.repeat(999)}\n`;
    let whole = 0;
    while (await put(line)) whole++;
    expect(await put(line)).toBe(false);
    rmSync(ballast);
    expect([await put('first\n'), await put('second\n')]).toEqual([true, true]);
    const lines = readFileSync(path, 'utf8').split('\n');
    expect(lines.slice(-3)).toEqual(['first', 'second', '']);
    expect(lines.slice(0, whole).every((text) => text.length === 999)).toBe(true);
    expect(lines.slice(whole, -3).join('')).toMatch(/^x+$/); // what the disk took of the torn line
  },
);
