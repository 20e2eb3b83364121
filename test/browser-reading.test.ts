import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parquetWriteFile } from 'hyparquet-writer';
import type { Browser, Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPool } from '../src/node/compute/pool.ts';
import { silentProgress } from '../src/node/run/progress.ts';
import { reduceSite, scanSite } from '../src/site/site-table.ts';
import { digestBytes, digestJson } from '../src/study/digest.ts';
import type { TableStudy } from '../src/study/study.ts';
import type { NumberDescription } from '../src/table/describe.ts';
import { closeTabs, workerBrowser } from './browser.ts';
import { temporaryFolder } from './cli.ts';
import { enduring } from './endurance.ts';
import { agreement } from './linear.ts';

const source = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const folder = temporaryFolder();

const study: TableStudy = {
  schema: 'suffice/study@1',
  formula: 'y ~ x + g',
  codebook: {
    y: { type: 'number', range: [0, 1009] },
    x: { type: 'number', range: [0, 100] },
    g: { type: 'category', levels: ['plain', 'with\nnew\nlines', 'other'] },
  },
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
};

/** The page: the worker's threads, and a site's reading over them. */
const script = `
import { agreement } from '${source('src/federate.ts')}';
import { reduceSite, scanSite } from '${source('src/site/site-table.ts')}';
import { digestBytes, digestJson } from '${source('src/study/digest.ts')}';
import { warm, workerPool } from '${source('web/worker/worker-pool.ts')}';

const silent = () => ({ update() {}, done() {} });
const file = () => {
  const [blob] = document.querySelector('input').files;
  return { path: blob.name, blob };
};
const choices = { missing: 'drop', histograms: true };
window.warm = warm;
window.read = async (study) => {
  const pool = workerPool();
  const agreed = agreement(study);
  const table = await scanSite(study, file(), choices, pool, silent);
  const { summary, inspection } = await reduceSite(agreed, 'north', table, choices, pool, silent);
  await pool.close();
  return {
    statistic: digestJson([...summary.statistic.values]),
    rows: summary.rows,
    dropped: summary.dropped,
    histogram: inspection.description.columns.x.histogram,
    used: digestBytes(inspection.used),
  };
};
window.cancel = async (study) => {
  const pool = workerPool();
  const heard = [];
  const watch = () => ({ update: () => heard.push(1) === 1 && pool.close(), done() {} });
  return scanSite(study, file(), choices, pool, watch).catch(({ name }) => name);
};
`;

function csv(name: string, rows: number, odd?: { readonly row: number; readonly record: string }) {
  const levels = ['plain', '"with\nnew\nlines"', 'other'];
  const lines = Array.from({ length: rows }, (_, r) =>
    r + 1 === odd?.row
      ? odd.record
      : `${r % 97 === 0 ? 'NA' : (r * 7919) % 1009},${((r * 104729) % 99991) / 1000},${levels[r % 3]}`,
  );
  const path = join(folder, name);
  writeFileSync(path, `y,x,g\n${lines.join('\n')}\n`);
  return path;
}

/** What Node makes of the file. */
async function here(path: string) {
  const pool = createPool(1);
  const watch = () => silentProgress;
  const choices = { missing: 'drop', histograms: true } as const;
  const table = await scanSite(study, { path }, choices, pool, watch);
  const reduced = await reduceSite(agreement(study), 'north', table, choices, pool, watch);
  await pool.close();
  const { summary, inspection } = reduced;
  return {
    statistic: digestJson([...summary.statistic.values]),
    rows: summary.rows,
    dropped: summary.dropped,
    histogram: (inspection.description.columns.x as NumberDescription).histogram,
    used: digestBytes(inspection.used),
  };
}

describe('a tab that reads a file', () => {
  let browser: Browser | undefined;
  let page: Page;
  const asked: string[] = [];
  const server = createServer(({ url = '/' }, response) => {
    asked.push(url);
    const path = url === '/' ? '/index.html' : url;
    const type = path.endsWith('.js') ? 'text/javascript' : 'text/html';
    response.writeHead(200, { 'content-type': type });
    response.end(readFileSync(join(folder, 'site', path)));
  });

  beforeAll(async () => {
    browser = await workerBrowser();
    if (browser === undefined) return;
    writeFileSync(join(folder, 'main.js'), script);
    writeFileSync(
      join(folder, 'index.html'),
      '<!doctype html><title>reading</title><input type="file"><script type="module" src="./main.js"></script>',
    );
    await build({
      configFile: false,
      logLevel: 'silent',
      root: folder,
      build: { outDir: join(folder, 'site'), target: 'es2022', minify: false },
      worker: { format: 'es' },
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.evaluate('warm()');
  });
  afterAll(async () => {
    await closeTabs();
    server.close();
  });

  const read = async (path: string): Promise<unknown> => {
    await page.setInputFiles('input', path);
    return page.evaluate(`read(${JSON.stringify(study)})`);
  };

  it('makes of it what Node does, bit for bit, and asks nothing of the network meanwhile', async (context) => {
    if (browser === undefined) return context.skip('no browser on this machine');
    const before = asked.length;
    const parquet = join(folder, 'rows.parquet');
    const x = Array.from({ length: 5000 }, (_, r) => (r * 31) % 100);
    parquetWriteFile({
      filename: parquet,
      columnData: [
        { name: 'y', data: x.map((value, r) => value * 3 + (r % 11)), type: 'DOUBLE' },
        { name: 'x', data: x, type: 'DOUBLE' },
        { name: 'g', data: x.map((_, r) => ['plain', 'other'][r % 2]), type: 'STRING' },
      ],
    });
    for (const path of [csv('small.csv', 500), csv('large.csv', 500_000), parquet]) {
      expect(await read(path)).toEqual(await here(path));
    }
    expect(asked.slice(before)).toEqual([]);
  });

  it.runIf(enduring)('names the row of the file, not of the part', async (context) => {
    if (browser === undefined) return context.skip('no browser on this machine');
    const path = csv('odd.csv', 500_000, { row: 400_001, record: '1,2,plain,more' });
    await expect(read(path)).rejects.toThrow('odd.csv, row 400001: found 4 fields');
  });

  it.runIf(enduring)('stops when it is told to, and reads again', async (context) => {
    if (browser === undefined) return context.skip('no browser on this machine');
    const path = join(folder, 'large.csv');
    await page.setInputFiles('input', path);
    expect(await page.evaluate(`cancel(${JSON.stringify(study)})`)).toBe('ReadingCancelled');
    expect(await read(path)).toEqual(await here(path));
  });
});
