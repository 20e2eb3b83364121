import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { suffice } from './cli.ts';

const main = fileURLToPath(new URL('../dist/command/main.js', import.meta.url));

it('the demo ends with no difference between three sites and one file', () => {
  const { code, stdout, stderr } = suffice('demo', '--exit', '--port', '0');
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/largest difference +0\n/);
  const digests = [...stdout.matchAll(/(?:three sites|one file) +(sha256:[0-9a-f]{64})/g)];
  expect(digests).toHaveLength(2);
  expect(digests[0][1]).toBe(digests[1][1]);
  for (const island of ['biscoe', 'dream', 'torgersen']) {
    expect(stdout).toMatch(new RegExp(`${island} +[0-9.]+ kB +[0-9.]+ kB\n`));
  }
  expect(stdout).toContain('Identical.');
});

it('stays up until it is interrupted, with the pages at the addresses it prints', async () => {
  const child = spawn(process.execPath, [main, 'demo', '--port', '0']);
  let said = '';
  const ended = new Promise<number | null>((done) => child.on('close', done));
  await new Promise<void>((done, failed) => {
    child.stdout.on('data', (bytes) => {
      said += bytes;
      if (said.includes('Ctrl-C')) done();
    });
    void ended.then(() => failed(new Error(said)));
  });
  const pages = [...said.matchAll(/ (http:\S+)\/(\w+)#(\S+)/g)];
  expect(pages.map(([, , name]) => name)).toEqual(['result', 'study', 'join', 'create']);
  for (const [, address, name] of pages) {
    const page = await fetch(`${address}/${name}`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<title>')]);
  }
  const [, address, , fragment] = pages[2];
  const [study, token] = fragment.split('.');
  const headers = { authorization: `Bearer ${token}` };
  const view = await fetch(`${address}/studies/${study}`, { headers });
  expect(await view.json()).toMatchObject({ state: 'open', sites: [{ name: 'you' }] });
  child.kill('SIGINT');
  expect(await ended).toBe(0);
});
