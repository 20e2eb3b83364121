import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runDemo } from '../src/node/run/demo.ts';
import type { Demo } from '../src/node/run/demo-content.ts';
import { digitDemo } from '../src/node/run/digit-demo.ts';
import { penguinDemo } from '../src/node/run/penguin-demo.ts';
import { secureDemo } from '../src/node/run/secure-demo.ts';
import { type Birds, birdsAt, joinedBirds } from '../src/node/run/split-penguins.ts';
import { verticalDemo } from '../src/node/run/vertical-demo.ts';
import { plainInk } from '../src/text/text-table.ts';
import { suffice } from './cli.ts';
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
  names = 'three sites|one file',
): void {
  expect(text).toMatch(/largest difference +0\n/);
  const digests = [...text.matchAll(new RegExp(`(?:${names}) +(sha256:[0-9a-f]{64})`, 'g'))];
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

it('two parties with other columns give the digest of the joined table, and what they sent is shown', async () => {
  const [code, text] = await ranDemo(verticalDemo());
  expect([code, text]).toEqual([0, expect.stringContaining('Columns at two parties')]);
  expectNoDifference(text, [], '', 'two parties|joined table');
  const linked = [...text.matchAll(/(field|laboratory) +(\d+) of its (\d+) rows are linked\n/g)];
  const counted = linked.map(([, party, rows, own]) => [party, Number(rows), Number(own)]);
  expect(counted).toEqual([
    ['field', 266, 309],
    ['laboratory', 266, 310],
  ]);
  expect(text).toMatch(/^266 rows from 2 sites/m);
  for (const party of ['field', 'laboratory']) {
    const [sent] = text.split(`  ${party} sent `)[1].split('\n\n');
    // Tokens take 16 bytes a row in base64 and an envelope.
    expect(sent).toMatch(/tokens of its rows, to the helper +[67]\.\d kB\n/);
    expect(sent).toMatch(/masked columns, to the other +[0-9.]+ kB\n/);
    expect(sent).toMatch(/its share, to the coordinator +\d+ B$/);
    expect(sent.includes('the secret of tokens')).toBe(party === 'field');
  }
  const [, address] = text.match(/A helper runs at (\S+),/)!;
  await expect(fetch(`${address}/helper`)).rejects.toThrow(); // it has ended with the demo
});

it('the files of the two parties write bands otherwise, and each has birds that the other has not', () => {
  const lines = ['species,bill_length,flipper_length,body_mass,sex'];
  for (let k = 0; k < 40; k++) lines.push(`Adelie,${30 + k},${180 + k},${3000 + k},male`);
  const field = birdsAt('field', lines);
  const laboratory = birdsAt('laboratory', lines);
  expect(field.header).toEqual(['band', 'bill_length', 'flipper_length', 'body_mass']);
  expect(laboratory.header).toEqual(['band', 'sex', 'species']);
  const bands = ({ rows }: Birds) => rows.map(([band]) => band);
  expect(bands(field).filter((band) => bands(laboratory).includes(band))).toEqual([]);
  const numbers = (birds: Birds) => new Set(bands(birds).map((band) => Number(band.slice(-4))));
  const [one, other] = [numbers(field), numbers(laboratory)];
  expect([...one].filter((k) => !other.has(k))).toEqual([8, 18, 28, 38]);
  expect([...other].filter((k) => !one.has(k))).toEqual([34, 24, 14, 4]);
  const joined = joinedBirds(field, laboratory);
  expect(joined.header).toEqual([...field.header, 'sex', 'species']);
  expect(joined.rows).toHaveLength(32);
  expect(joined.rows[0]).toEqual(['PAL 0001', '30', '180', '3000', 'male', 'Adelie']);
});

it('--vertical is a demo of its own: with --images or --secure nothing starts', async () => {
  for (const other of ['--images', '--secure']) {
    const { code, stdout, stderr } = await suffice('demo', '--vertical', other, '--exit');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`--vertical and ${other} are two demos`);
  }
});

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
