import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Demo, runDemo } from '../src/node/run/demo.ts';
import { digitDemo } from '../src/node/run/digit-demo.ts';
import { penguinDemo } from '../src/node/run/penguin-demo.ts';
import { secureDemo } from '../src/node/run/secure-demo.ts';
import { plainInk } from '../src/text/text-table.ts';
import { enduring } from './endurance.ts';
import { runBuiltSuffice } from './site-process.ts';

const main = fileURLToPath(new URL('../dist/command/main.js', import.meta.url));

/** A demo that stays up, and what it has printed. */
interface RunningDemo {
  readonly text: string;
  interrupt(): void;
  readonly ended: Promise<number | null>;
}

/** Starts the demo and waits until it has printed everything. */
async function startDemo(): Promise<RunningDemo> {
  const child = spawn(process.execPath, [main, 'demo', '--port', '0']);
  let text = '';
  const ended = new Promise<number | null>((done) => child.on('close', done));
  await new Promise<void>((done, failed) => {
    child.stdout.on('data', (bytes) => {
      text += bytes;
      if (text.includes('Ctrl-C')) done();
    });
    void ended.then(() => failed(new Error(text)));
  });
  return { text, ended, interrupt: () => child.kill('SIGINT') };
}

function expectNoDifference(
  text: string,
  sites: readonly string[],
  traffic = '[0-9.]+ kB +[0-9.]+ kB +[0-9.]+ kB',
): void {
  expect(text).toMatch(/largest difference +0\n/);
  const digests = [...text.matchAll(/(?:three sites|one file) +(sha256:[0-9a-f]{64})/g)];
  expect(digests).toHaveLength(2);
  expect(digests[0][1]).toBe(digests[1][1]);
  for (const site of sites) {
    expect(text).toMatch(new RegExp(`${site} +${traffic}\n`));
  }
  expect(text).toContain('Identical.');
}

const islands = ['biscoe', 'dream', 'torgersen'];

let demo: RunningDemo;
beforeAll(async () => {
  demo = await startDemo();
});
afterAll(() => demo?.interrupt());

it('the demo finds no difference between three sites and one file', () => {
  expectNoDifference(demo.text, islands);
});

it('stays up until it is interrupted, with the pages at the addresses it prints', async () => {
  const pages = [...demo.text.matchAll(/ (http:\S+)\/(\w+)#(\S+)/g)];
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
  demo.interrupt();
  expect(await demo.ended).toBe(0);
});

/** Runs a demo to its end, with its sites as processes; gives its exit code and what it printed. */
async function ranDemo(demo: Demo): Promise<readonly [number, string]> {
  let text = '';
  const code = await runDemo({
    demo,
    port: 0,
    stayUp: false,
    untilStopped: () => Promise.reject(new Error('the pages stay up')),
    ink: plainInk,
    print: (part) => {
      text += `${part}\n`;
    },
  });
  return [code, text];
}

it.runIf(enduring)(
  'with a helper the sum is opened by two parties, and the model is still that of one file',
  async () => {
    const [code, text] = await ranDemo(secureDemo(penguinDemo()));
    expect([code, text]).toEqual([0, expect.stringContaining('nobody sees one site’s sums')]);
    // The coordinator shows nobody the traffic of one site: the table has what each sent.
    expectNoDifference(text, islands, '[0-9.]+ kB +[0-9.]+ kB');
    expect(text).toMatch(/A helper runs at (http:\S+),/);
    expect(text).toMatch(/coordinator +numbers that look random, and .* of 3 sites or more\n/);
    expect(text).toMatch(/helper +the names of the sites and a sealed seed of each/);
    expect(text).toMatch(/it answered once: 3 contributions of 3 sites,\n +sha256:[0-9a-f]{64}\n/);
    const [, address] = text.match(/A helper runs at (\S+),/)!;
    await expect(fetch(`${address}/helper`)).rejects.toThrow(); // it has ended with the demo
  },
);

it.runIf(enduring)('three sites with other digits each learn to read all ten', async () => {
  const [code, text] = await ranDemo(digitDemo());
  expect([code, text]).toEqual([0, expect.stringContaining('Three sites, one classifier')]);
  expectNoDifference(text, ['north', 'middle', 'south']);
  expect(text).toMatch(/north +586 images of 0, 1, 2, 3\n/);
  const [, share, right] = text.match(/([0-9.]+) % right: (\d+) of 359;/)!;
  expect(Number(share)).toBeGreaterThan(95);
  // The table beside it has every digit once, and its diagonal is what is right.
  const counts = [...text.matchAll(/^ {2}\d((?: +(?:\d+|·)){10})$/gm)].map(([, cells]) =>
    cells
      .trim()
      .split(/ +/)
      .map((cell) => Number(cell.replace('·', '0'))),
  );
  expect(counts.map((row) => row.length)).toEqual(Array(10).fill(10));
  expect(counts.flat().reduce((sum, n) => sum + n, 0)).toBe(359);
  expect(counts.reduce((sum, row, k) => sum + row[k], 0)).toBe(Number(right));
});

// The check has this by `.ci/run`, which starts the demo so; here it would take as long as all the rest.
it.runIf(enduring)('ends by itself with --exit, with the same finding', async () => {
  const { code, stdout, stderr } = await runBuiltSuffice(['demo', '--exit', '--port', '0']);
  expect(code, stderr).toBe(0);
  expectNoDifference(stdout, islands);
});
