import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { lawNames } from '../experiments/fesc/laws.ts';
import { defaultSimulationPlan as fescDefaults } from '../experiments/fesc/simulation.ts';
import { digitTrial } from '../experiments/fisher/digit-trial.ts';
import type { ExperimentResult, PaperResult } from '../experiments/paper-result.ts';
import { type Served, serve } from '../src/node/server/serve.ts';
import type { EarlierResults } from '../web/pages/lab/earlier-results.ts';
import { suffice } from './cli.ts';
import { enduring } from './endurance.ts';
import { eventually } from './eventually.ts';
import { exampleDigits } from './example-digits.ts';
import { fileBrowser } from './file-browser.ts';
import { earlierFile, earlierRidge, ended } from './lab-earlier.ts';
import { type WatchedPage, watchedPage } from './watched-page.ts';

const simulation = 'Averaging once, and adding once';
const small = 'law=lognormal-low&nodes=20&dimension=5&runs=20&seed=7';

/** Keeps what the worker says, so that a test can tell whether it still works. */
const listen = `
  window.heard = [];
  const Own = window.Worker;
  window.Worker = class extends Own {
    constructor(...given) {
      super(...given);
      this.addEventListener('message', ({ data: { id, failure, ...rest } }) =>
        window.heard.push({ id, kind: failure?.kind ?? Object.keys(rest)[0] }));
    }
  };
`;

/** What the worker said: to which call, and whether it was an update, the result, or why there is none. */
interface Heard {
  readonly id: number;
  readonly kind: string;
}

const heard = (page: Page) => page.evaluate<Heard[]>('window.heard');

/** Waits until the last thing that the worker said is this. */
async function lastHeard(page: Page, wanted: Partial<Heard>): Promise<void> {
  await eventually(async () => expect((await heard(page)).at(-1)).toMatchObject(wanted));
}

/** Without how long it took, which no two runs share. */
function timeless({ seconds, ...rest }: ExperimentResult): Omit<ExperimentResult, 'seconds'> {
  expect(seconds).toBeGreaterThan(0);
  return rest;
}

describe('the lab, in a real browser', () => {
  const present = fileBrowser();
  const folder = mkdtempSync(join(tmpdir(), 'suffice-lab-'));
  let served: Served;
  beforeAll(async () => {
    served = await serve({ data: join(folder, 'data'), port: 0, log: 'none', rateLimits: 'off' });
  });
  afterAll(async () => {
    await served.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The lab, once everything it will ever need of the network is there. */
  async function opened(context: TestContext, query: string): Promise<WatchedPage> {
    const watched = await watchedPage(present(context));
    await watched.page.addInitScript(listen);
    await watched.page.goto(`${served.address}/lab${query}`);
    await watched.page.locator('h1').waitFor();
    await lastHeard(watched.page, { id: 1, kind: 'result' });
    await watched.page.waitForLoadState('networkidle');
    watched.mark();
    return watched;
  }

  const card = (page: Page, name: string) => page.getByRole('region', { name });
  const press = (page: Page, name: string, button: string) =>
    card(page, name).getByRole('button', { name: button, exact: true }).click();

  async function finished(page: Page, name: string): Promise<void> {
    await card(page, name).getByText('Finished', { exact: true }).waitFor();
  }

  async function downloaded(page: Page, name: string): Promise<ExperimentResult> {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      press(page, name, 'Download JSON'),
    ]);
    return JSON.parse(readFileSync((await file.path())!, 'utf8'));
  }

  const settings = (page: Page) =>
    page.evaluate<Record<string, string>>(`Object.fromEntries(
      [...document.querySelector('section form').querySelectorAll('select, input:not([type=range])')]
        .map((field) => [field.labels[0].textContent, field.value]))`);

  it('has the numbers of suffice paper fesc to the last bit, and asks nobody for anything', async (context) => {
    const { page, asked, expectDiscretion } = await opened(context, `?${small}`);
    // Before Start, every figure is one that was measured earlier.
    await page
      .getByText(/^Measured earlier, on .*2026/)
      .nth(5)
      .waitFor();
    expect(await page.locator('.chart svg').count()).toBe(6);
    await press(page, simulation, 'Start');
    await finished(page, simulation);
    expect(await card(page, simulation).getByText('Measured in this tab.').count()).toBe(2);
    expect(await card(page, simulation).getByText('Measured earlier').count()).toBe(0);
    const command = await card(page, simulation).locator('.code').textContent();
    const { code, stdout, stderr } = await suffice(...command!.split(' ').slice(1));
    expect([code, stderr]).toEqual([0, '']);
    const { experiments }: PaperResult = JSON.parse(stdout);
    const found = await downloaded(page, simulation);
    expect(timeless(found)).toEqual(timeless(experiments[0]));
    expect(asked).toEqual([]);
    // Commands wrap, and the cards of a row end on one line.
    const wide =
      '[...document.querySelectorAll(".code")].filter((one) => one.scrollWidth > one.clientWidth)';
    expect(await page.evaluate(`${wide}.length`)).toBe(0);
    const ends = await page
      .locator('.lab-ridge')
      .evaluateAll((cards) => cards.map((one) => one.getBoundingClientRect().bottom));
    expect(ends[0]).toBeCloseTo(ends[1], 0);
    expect(ends[2]).toBeCloseTo(ends[3], 0);

    const row = found.tables[0].rows[0];
    await card(page, simulation).getByText('The numbers').click();
    const table = card(page, simulation).locator('table').first();
    expect(await table.locator('tbody tr').first().locator('th').textContent()).toBe(row.label);
    expect(await table.locator('tbody tr').count()).toBe(11);
    await card(page, simulation).getByRole('button', { name: 'Copy as CSV' }).first().click();
    const csv = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(csv.split('\n')[1].split(',').map(Number)).toEqual([
      Number(row.label),
      ...row.cells.map(({ measured }) => measured!.mean),
    ]);
    expectDiscretion(served.address, ['sfo_']);
  });

  it('shows earlier what the experiments still give', () => {
    const earlier: EarlierResults = JSON.parse(readFileSync(earlierFile, 'utf8'));
    expect(earlier.ridge.heterogeneity).toEqual(earlierRidge('heterogeneity'));
    expect(earlier.fesc.map(({ id }) => id)).toEqual(['histogram', 'mse', 'ratio']);
  });

  it.runIf(enduring)('has the numbers of a ridge experiment to the last bit', async (context) => {
    const name = 'Sites that differ';
    const query = ['sites=4', 'rowsPerSite=50', 'features=6', 'trials=2', 'seed=3']
      .map((part) => `heterogeneity.${part}`)
      .join('&');
    const { page, asked } = await opened(context, `?figure=heterogeneity&${query}`);
    expect((await card(page, name).boundingBox())!.y).toBeLessThan(200);
    await press(page, name, 'Start');
    await finished(page, name);
    const command = await card(page, name).locator('.code').textContent();
    const { code, stdout, stderr } = await suffice(...command!.split(' ').slice(1));
    expect([code, stderr]).toEqual([0, '']);
    const { experiments, settings: used }: PaperResult = JSON.parse(stdout);
    expect(used).toMatchObject({ sites: 4, rowsPerSite: 50, features: 6, trials: 2, seed: 3 });
    const found = await downloaded(page, name);
    expect(timeless(found)).toEqual(timeless(experiments[0]));
    expect(asked).toEqual([]);
    // The printed values, and what the paper claims, are of other settings.
    expect(await card(page, name).getByText('statements for its own settings').count()).toBe(1);
    expect(await card(page, name).locator('.facts').textContent()).not.toContain('printed');

    const slider = card(page, name).locator('.lab-along input');
    await slider.focus();
    await slider.press('End');
    const exact = found.figures[0].series.find(({ role }) => role === 'exact')!.points.at(-1)!;
    await card(page, name).getByText(`γ = ${exact.x}`, { exact: true }).waitFor();
    const shown = await card(page, name).locator('.facts dd').allTextContents();
    const there = found.figures[0].series.filter(({ role }) => role !== 'printed');
    const ascending = (values: readonly number[]) => values.toSorted((x, y) => x - y);
    expect(ascending(shown.map(Number))).toEqual(
      ascending(there.map(({ points }) => points.at(-1)!.y)).map((y) => expect.closeTo(y, 6)),
    );
    // One-Shot and centralised are the same number, FedAvg is another.
    expect(new Set(shown).size).toBeGreaterThan(1);
    await expect
      .poll(() => new URL(page.url()).searchParams.get('heterogeneity.at'))
      .toBe(String(exact.x));
    await expect.poll(() => new URL(page.url()).searchParams.get('figure')).toBe('heterogeneity');
  });

  it.runIf(enduring)(
    'trains and fuses networks with the numbers of this process, loads them only then, and stops',
    async (context) => {
      const name = 'Networks fused once';
      const plan = { clients: 2, alpha: 0.5, units: 6, epochs: 2, seed: 3 };
      const query = Object.entries(plan).map(([key, value]) => `digits.${key}=${value}`);
      const { page, asked } = await opened(context, `?${query.join('&')}`);
      expect(await card(page, name).locator('.digit-bars').count()).toBe(0);
      await press(page, name, 'Start');
      await finished(page, name);
      expect([...new Set(asked)]).toEqual(['GET /assets']);
      const bars = await card(page, name).locator('.digit-bars .number').allTextContents();
      const { clients, models } = ended(digitTrial(exampleDigits(), plan));
      const alone = clients.map(({ accuracy }) => accuracy!).sort((a, b) => a - b);
      expect(bars.map((text) => Number.parseFloat(text))).toEqual(
        [...alone, ...models.map(({ accuracy }) => accuracy)].map((share) =>
          Number((100 * share).toFixed(1)),
        ),
      );
      await card(page, name)
        .getByLabel('What digits are taken for, by')
        .selectOption('exact ridge, fixed features');
      await card(page, name)
        .getByText(/^exact ridge, fixed features: 9\d\.\d/)
        .waitFor();

      await card(page, name).getByLabel('Epochs').fill('100');
      await card(page, name).getByLabel('Hidden units').fill('128');
      await card(page, name)
        .getByText(/^client \d+, epoch/)
        .waitFor();
      await card(page, name).getByLabel('Epochs').press('Escape');
      await card(page, name)
        .getByText(/^Stopped at client/)
        .waitFor();
      await lastHeard(page, { kind: 'cancelled' });
    },
  );

  it.runIf(enduring)(
    'draws while it computes, and stops when it is told to, by a button or by Escape',
    async (context) => {
      const { page, expectDiscretion } = await opened(context, '?nodes=100&dimension=10&runs=5000');
      const chart = card(page, simulation).locator('.chart svg').first();
      await press(page, simulation, 'Start');
      await chart.waitFor();
      const first = await chart.getAttribute('aria-label');
      await page.waitForFunction(
        ([label]) => document.querySelector('.chart svg')?.getAttribute('aria-label') !== label,
        [first],
      );
      await card(page, simulation)
        .getByText(/\d+ (s|min) left$/)
        .waitFor();
      await press(page, simulation, 'Stop');
      await card(page, simulation)
        .getByText(/^Stopped at run \d+ of 5000$/)
        .waitFor();
      await lastHeard(page, { id: 2, kind: 'cancelled' });

      await press(page, simulation, 'Start again');
      await lastHeard(page, { id: 3, kind: 'update' });
      await page.getByLabel('Sites m', { exact: true }).press('Escape');
      await card(page, simulation)
        .getByText(/^Stopped/)
        .waitFor();
      await lastHeard(page, { id: 3, kind: 'cancelled' });
      const told = await heard(page);
      await page.waitForTimeout(400);
      expect(await heard(page)).toEqual(told);
      expect(told.filter(({ kind }) => kind === 'update').length).toBeGreaterThan(4);
      expect(told.filter(({ kind }) => kind === 'result')).toEqual([{ id: 1, kind: 'result' }]);
      expectDiscretion(served.address, ['sfo_']);
    },
  );

  it.runIf(enduring)(
    'begins again with other settings, and leaves what was stopped alone',
    async (context) => {
      const { page } = await opened(context, `?${small}`);
      const begun = async () => Math.max(...(await heard(page)).map(({ id }) => id));
      await press(page, simulation, 'Start');
      await finished(page, simulation);
      const chart = card(page, simulation).locator('.chart svg').first();
      const [before, place] = [await chart.getAttribute('aria-label'), await chart.boundingBox()];
      await page.getByLabel('Sites m', { exact: true }).fill('30');
      await card(page, simulation).getByText('Finished; the settings have changed since').waitFor();
      await finished(page, simulation);
      expect(await chart.getAttribute('aria-label')).not.toBe(before);
      expect(await chart.boundingBox()).toEqual(place);
      expect(await begun()).toBe(3);

      await page.getByLabel('Runs', { exact: true }).fill('5000');
      await card(page, simulation).getByRole('button', { name: 'Stop' }).waitFor();
      await press(page, simulation, 'Stop');
      await page.getByLabel('Runs', { exact: true }).fill('20');
      await page.waitForTimeout(700);
      expect(await begun()).toBe(4);
      await press(page, simulation, 'Start again');
      await finished(page, simulation);
    },
  );

  it.runIf(enduring)('has a link that leads to the same settings', async (context) => {
    const { page } = await opened(context, '');
    expect(await settings(page)).toEqual({
      'Distribution of the sites’ sizes': fescDefaults.law,
      'Sites m': String(fescDefaults.nodes),
      'Dimension d': String(fescDefaults.dimension),
      Runs: String(fescDefaults.runs),
      Seed: String(fescDefaults.seed),
    });
    const laws = page.getByLabel('Distribution of the sites’ sizes').locator('option');
    expect(await laws.evaluateAll((all) => all.map((one) => one.getAttribute('value')))).toEqual(
      lawNames,
    );
    await page.getByLabel('Distribution of the sites’ sizes').selectOption('weibull');
    await page.getByLabel('Dimension d', { exact: true }).fill('12');
    await page.getByText('Times the exact error').click();
    await card(page, 'Sites that do not answer').getByLabel('Features', { exact: true }).fill('33');
    await press(page, simulation, 'Copy link');
    const link = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(link).toBe(
      `${served.address}/lab?law=weibull&nodes=100&dimension=12&runs=200&seed=1&view=ratio&dropout.features=33`,
    );
    const { page: other } = await opened(context, new URL(link).search);
    expect(await settings(other)).toEqual(await settings(page));
    expect(await other.getByLabel('Times the exact error').isChecked()).toBe(true);
    const features = card(other, 'Sites that do not answer').getByLabel('Features', {
      exact: true,
    });
    expect(await features.inputValue()).toBe('33');
    expect(await other.locator('.notice').count()).toBe(0);
  });

  it.runIf(enduring)(
    'takes what is usual where a link asks for the impossible, and says so',
    async (context) => {
      const { page, expectDiscretion } = await opened(
        context,
        '?law=<img src=x>&nodes=1e9&dimension=0&runs=2.5&seed=-1&figure=constructor&view=&privacy.sites=%&privacy.at=x',
      );
      const shown = await page.locator('.notice.warn li').allTextContents();
      expect(shown).toEqual([
        'law=<img src=x> is not possible. It must be one of the thirteen laws. Used instead: lognormal-low.',
        'nodes=1e9 is not possible. A whole number from 2 to 300. Used instead: 100.',
        'dimension=0 is not possible. A whole number from 1 to 100. Used instead: 10.',
        'runs=2.5 is not possible. A whole number from 1 to 5000. Used instead: 200.',
        'seed=-1 is not possible. A whole number from 0 to 999999999. Used instead: 1.',
        'view= is not possible. It must be one of mse, ratio, runs. Used instead: mse.',
        'figure=constructor is not possible. It must be one of heterogeneity, dropout, privacy, projection. Used instead: none.',
        'privacy.sites=% is not possible. A whole number from 2 to 100. Used instead: 10.',
        'privacy.at=x is not possible. It must be a number. Used instead: the start of the curve.',
      ]);
      expect((await settings(page)).Runs).toBe('200');
      await page.getByLabel('Runs', { exact: true }).fill('0');
      expect(await page.locator('.field .problem').textContent()).toBe(
        'A whole number from 1 to 5000.',
      );
      await press(page, simulation, 'Start');
      expect(await page.evaluate('document.activeElement.labels[0].textContent')).toBe('Runs');
      await page.waitForTimeout(200);
      expect(await heard(page)).toHaveLength(1);
      expectDiscretion(served.address, ['sfo_']);
    },
  );
});
