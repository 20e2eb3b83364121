import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Download, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { nodeHost } from '../src/node/compute/host.ts';
import { studyClient } from '../src/protocol/client.ts';
import { parseLink } from '../src/protocol/link.ts';
import { predictRows } from '../src/rows/predict.ts';
import { closeTabs, workerBrowser } from './browser.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { chosen, enduring } from './endurance.ts';
import { type PageStates, pageStates, penguinPath } from './page-states.ts';
import { penguinParquet } from './penguin-parquet.ts';
import { stopAtOnce } from './stop-at-once.ts';

// Made by test/vectors/predict-page.R.
const vector: {
  readonly rows: Readonly<Record<string, readonly (string | number)[]>>;
  readonly fitted: readonly number[];
  readonly confidence: readonly [readonly number[], readonly number[]];
  readonly prediction: readonly [readonly number[], readonly number[]];
  readonly prediction80: readonly [readonly number[], readonly number[]];
} = JSON.parse(readFileSync(new URL('./vectors/predict-page.json', import.meta.url), 'utf8'));

const folder = temporaryFolder();

describe('the page that predicts, in a real browser', () => {
  let browser: Browser | undefined;
  let states: PageStates;
  beforeAll(async () => {
    const wanted = ['resolved', 'collecting', 'classes', 'siteEffects', 'withdrawn'] as const;
    [browser, states] = await Promise.all([workerBrowser(), pageStates(wanted)]);
  });
  afterAll(async () => {
    await closeTabs();
    await states.stop();
  });

  const complaints: string[] = [];
  afterEach(() => expect(complaints.splice(0)).toEqual([]));

  /** A page of its own, and what it asked for. */
  async function opened(address: string): Promise<{ page: Page; asked: string[] }> {
    const page = await browser!.newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(address);
    await page.locator('h1').waitFor();
    return { page, asked };
  }

  const resolved = () => states.studies.resolved.address('predict');

  async function modelOf(state: 'resolved' | 'classes') {
    const { created } = states.studies[state];
    return states.served.coordinator.resolution({ role: 'operator' }, created.id, 1);
  }

  const fileTo = (page: Page, file: string | { name: string; mimeType: string; buffer: Buffer }) =>
    page.locator('input[type=file]').setInputFiles(file);

  async function downloaded(page: Page): Promise<Buffer> {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as CSV' }).click(),
    ]);
    return readFileSync((await download.path())!);
  }

  it('says of a typed row what R and suffice predict say, and how it adds up', async (context) => {
    if (browser === undefined) return context.skip('no browser on this machine');
    const { page } = await opened(resolved());
    const names = Object.keys(vector.rows);
    const csv = vector.fitted.map((_, r) => names.map((name) => vector.rows[name][r]).join(','));
    const path = join(folder, 'typed.csv');
    writeFileSync(path, `${[names.join(','), ...csv].join('\n')}\n`);
    const ours: number[] = [];
    const { study, report } = await modelOf('resolved');
    const request = { model: { study, report }, file: { path }, extrapolate: false };
    await predictRows(request, nodeHost, ([fitted]) => void ours.push(...fitted));

    const value = page.locator('.predict-value data');
    const shown = async (words: string) => {
      const bounds = page.locator('.predict-interval', { hasText: words }).locator('data');
      return Promise.all(
        [0, 1].map(async (k) => Number(await bounds.nth(k).getAttribute('value'))),
      );
    };
    const near = (found: readonly number[], bounds: readonly (readonly number[])[], r: number) =>
      found.forEach((bound, k) => {
        expect(Math.abs(bound / bounds[k][r] - 1)).toBeLessThan(1e-9);
      });
    for (const r of chosen([...vector.fitted.keys()], 0, 3)) {
      await page.getByRole('radio', { name: '95 %', exact: true }).check();
      for (const name of ['bill_length', 'flipper_length']) {
        await page.getByLabel(`${name} (mm)`).fill(String(vector.rows[name][r]));
      }
      for (const name of ['sex', 'species']) {
        await page.getByLabel(name, { exact: true }).selectOption(String(vector.rows[name][r]));
      }
      await expect.poll(() => value.getAttribute('value')).toBe(String(ours[r]));
      expect(Math.abs(ours[r] / vector.fitted[r] - 1)).toBeLessThan(1e-11);
      near(await shown('95 % for the mean of such rows'), vector.confidence, r);
      near(await shown('95 % for one new row'), vector.prediction, r);
      await page.getByRole('radio', { name: '80 %', exact: true }).check();
      near(await shown('80 % for one new row'), vector.prediction80, r);
    }
    const added = await page.locator('.predict-sum tbody td:last-child').allTextContents();
    const sum = added.reduce(
      (so, text) => so + Number(text.replace(/\s|\+/g, '').replace('−', '-')),
      0,
    );
    expect(sum / vector.fitted[3]).toBeCloseTo(1, 3);
  });

  it.runIf(enduring)(
    'tells of a value outside the range, and takes it where one says so',
    async (context) => {
      if (browser === undefined) return context.skip('no browser on this machine');
      const { page } = await opened(resolved());
      const value = page.locator('.predict-value data');
      await value.waitFor();
      await page.getByLabel('bill_length (mm)').fill('95');
      const problem = 'Outside the study’s range, 20 to 80 mm.';
      await page.locator('.predict-fields').getByText(problem).waitFor();
      expect(await value.count()).toBe(0);
      // No card stands empty: the prediction's says which field, the other is gone.
      const missing = page.getByRole('region', { name: 'Prediction' });
      expect(await missing.getByRole('listitem').textContent()).toBe(`bill_length: ${problem}`);
      const { height } = (await missing.boundingBox())!;
      expect(height).toBeLessThan(260);
      expect(await page.getByRole('heading', { name: 'How it adds up' }).count()).toBe(0);
      await page.getByLabel('Extrapolate: accept values').check();
      await value.waitFor();
      await page.getByText('no site has such rows').waitFor();
      await page.getByLabel('bill_length (mm)').fill('4O');
      await page.locator('.predict-fields').getByText('This is not a number').waitFor();
      expect(await value.count()).toBe(0);
    },
  );

  it('predicts a file as suffice predict does, byte for byte, and asks for nothing meanwhile', async (context) => {
    if (browser === undefined) return context.skip('no browser on this machine');
    const { page, asked } = await opened(resolved());
    const link = parseLink(states.studies.resolved.address('study'));
    if ('problem' in link) throw new Error(link.problem);
    const questions = [{ about: 'covariance' }, { about: 'description' }] as const;
    const model = join(folder, 'model.json');
    writeFileSync(model, JSON.stringify(await studyClient(link).analyse({ questions })));
    await page.getByRole('button', { name: 'Choose a file' }).waitFor();
    await page.getByRole('radio', { name: 'Of a new row, 95 %' }).check();
    await page.waitForLoadState('networkidle');
    expect(asked.some((url) => url.endsWith('/total'))).toBe(true);
    const before = asked.length;

    const path = penguinPath('dream.csv');
    await fileTo(page, path);
    await page.getByRole('heading', { name: '124 rows predicted' }).waitFor();
    expect(await page.getByRole('table').last().getByRole('row').count()).toBe(11);
    const alone = await downloaded(page);
    await page.getByRole('radio', { name: 'With the file’s own columns' }).check();
    const appended = await downloaded(page);
    const told = await suffice('predict', model, path, '--interval', 'prediction');
    expect(told.stdout.split('\n', 1)).toEqual(['.fitted,.se.fit,.lower,.upper']);
    expect(alone.toString()).toBe(told.stdout);
    const said = await suffice('predict', model, path, '--interval', 'prediction', '--append');
    expect(appended.toString()).toBe(said.stdout);

    await fileTo(page, { name: 'dream.parquet', mimeType: '', buffer: penguinParquet('dream') });
    await page.getByText('dream.parquet').waitFor();
    await page.getByRole('heading', { name: '124 rows predicted' }).waitFor();
    expect((await downloaded(page)).toString()).toBe(told.stdout);
    expect(asked.slice(before).filter((url) => !url.startsWith('blob:'))).toEqual([]);
  });

  it('refuses a bad cell by row and column, and writes nothing', async (context) => {
    if (browser === undefined) return context.skip('no browser on this machine');
    const { page } = await opened(resolved());
    const downloads: Download[] = [];
    page.on('download', (download) => downloads.push(download));
    const lines = readFileSync(penguinPath('dream.csv'), 'utf8').split('\n');
    lines[7] = lines[7].replace(/^[^,]*,/, 'Emperor,');
    const buffer = Buffer.from(lines.join('\n'));
    await page.getByRole('button', { name: 'Choose a file' }).waitFor();
    await fileTo(page, { name: 'bad.csv', mimeType: 'text/csv', buffer });
    const alert = page.getByRole('alert');
    await alert.waitFor();
    const text = await alert.textContent();
    expect(text).toContain('bad.csv, row 7, column “species”');
    expect(text).not.toContain('Emperor');
    expect(await page.getByRole('button', { name: 'Download as CSV' }).count()).toBe(0);
    expect(downloads).toEqual([]);
  });

  it.runIf(enduring)('stops where one says so, and takes the next file', async (context) => {
    if (browser === undefined) return context.skip('no browser on this machine');
    const { page } = await opened(resolved());
    const text = readFileSync(penguinPath('dream.csv'), 'utf8');
    const rows = text.slice(text.indexOf('\n') + 1);
    const path = join(folder, 'long.csv');
    writeFileSync(path, `${text.split('\n', 1)[0]}\n${rows.repeat(enduring ? 12_000 : 3_000)}`);
    await page.getByRole('button', { name: 'Choose a file' }).waitFor();
    await stopAtOnce(page, 'Stop');
    await fileTo(page, path);
    await page.getByText('You stopped it; no file was written.').waitFor();
    await fileTo(page, penguinPath('torgersen.csv'));
    await page.getByRole('heading', { name: '52 rows predicted' }).waitFor();
  });

  it.runIf(enduring)('is for keys alone, too', async (context) => {
    if (browser === undefined) return context.skip('no browser on this machine');
    const { page } = await opened(resolved());
    const value = page.locator('.predict-value data');
    await value.waitFor();
    const start = await value.getAttribute('value');
    await tabTo(page, 'bill_length');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('50');
    await expect.poll(() => value.getAttribute('value')).not.toBe(start);
    // Asked for before the key is pressed, since the browser must have heard of it by then.
    const chosen = page.waitForEvent('filechooser');
    await tabTo(page, 'Choose a file');
    await page.keyboard.press('Enter');
    const chooser = await chosen;
    await chooser.setFiles(penguinPath('torgersen.csv'));
    await page.getByRole('heading', { name: '52 rows predicted' }).waitFor();
    await tabTo(page, 'Download as CSV');
    await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
  });

  it.runIf(enduring)(
    'says why there is nothing yet, why no interval, and asks whose rows they are',
    async (context) => {
      if (browser === undefined) return context.skip('no browser on this machine');
      const { studies } = states;
      const site = await opened(studies.resolved.siteAddress('predict', 'dream'));
      await site.page.getByText('only the analyst can see').waitFor();
      expect(await site.page.locator('.predict-interval').count()).toBe(0);
      expect(site.asked.filter((url) => url.includes('/total'))).toEqual([]);

      const effects = await opened(studies.siteEffects.address('predict'));
      const value = effects.page.locator('.predict-value data');
      await value.waitFor();
      const biscoe = Number(await value.getAttribute('value'));
      await effects.page.getByLabel('Site', { exact: true }).selectOption('dream');
      await expect.poll(async () => Number(await value.getAttribute('value'))).not.toBe(biscoe);
      await fileTo(effects.page, penguinPath('dream.csv'));
      await effects.page.getByText('The model has an effect for each site.').waitFor();
      await effects.page.getByLabel('Site of the rows').selectOption('dream');
      await effects.page.getByRole('button', { name: 'Predict it again' }).click();
      await effects.page.getByRole('heading', { name: '124 rows predicted' }).waitFor();

      if (!enduring) return;
      const waiting = await opened(studies.collecting.address('predict'));
      await waiting.page.getByText('2 of 3 sites have contributed').waitFor();
      expect(await waiting.page.locator('input').count()).toBe(0);

      const classes = await opened(studies.classes.address('predict'));
      await classes.page.getByText('Probabilities from the same sums').waitFor();
      const shares = await classes.page.locator('.predict-shares data').all();
      const values = await Promise.all(shares.map((one) => one.getAttribute('value')));
      expect(values.reduce((sum, share) => sum + Number(share), 0)).toBeCloseTo(1, 12);

      const farewell = await opened(studies.withdrawn.address('predict'));
      await farewell.page.getByLabel('Resolution').selectOption('1');
      await farewell.page.getByText('contributions have changed since').waitFor();
      await farewell.page.locator('.predict-value data').waitFor();

      const lost = await opened(`${states.served.address}/predict`);
      await lost.page.getByText('This address names no study.').waitFor();
    },
  );
});

/** Presses Tab until something of this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let k = 0; k < 60; k++) {
    const focused = await page.evaluate<string>(
      `(document.activeElement?.labels?.[0] ?? document.activeElement)?.textContent ?? ''`,
    );
    if (focused.startsWith(name)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`no way to ${name} by Tab`);
}
