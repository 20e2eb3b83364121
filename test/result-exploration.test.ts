import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Path } from '../src/analysis/path.ts';
import type { Heterogeneity } from '../src/between-sites/heterogeneity.ts';
import type { Influence } from '../src/between-sites/influence.ts';
import { type StudyClient, studyClient } from '../src/protocol/client.ts';
import { parseLink } from '../src/protocol/link.ts';
import { significant } from '../src/text/number-text.ts';
import { closeTabs, workerBrowser } from './browser.ts';
import { fitReport, temporaryFolder } from './cli.ts';
import { chosen, enduring } from './endurance.ts';
import { islands, type PageStates, pageStates, penguinPath } from './page-states.ts';
import { reads, resultVisit } from './result-visit.ts';
import { watchingProxy } from './watching-proxy.ts';

// Made by test/vectors/result-page.R.
const vector: {
  readonly names: readonly string[];
  readonly correlations: readonly (readonly number[])[];
  readonly ridges: readonly number[];
  readonly raw: readonly (readonly number[])[];
  readonly standardized: readonly (readonly number[])[];
  readonly gcv: { readonly ridge: number; readonly score: number };
} = JSON.parse(readFileSync(new URL('./vectors/result-page.json', import.meta.url), 'utf8'));

const folder = temporaryFolder();

describe('a result explored in a real browser', () => {
  let browser: Browser | undefined;
  let states: PageStates;
  let admin: StudyClient;
  beforeAll(async () => {
    const wanted = ['resolved', 'private', 'logistic', 'siteEffects', 'classes'] as const;
    [browser, states] = await Promise.all([workerBrowser(), pageStates(wanted)]);
    const link = parseLink(states.studies.resolved.address('study'));
    if ('problem' in link) throw new Error(link.problem);
    admin = studyClient(link);
  });
  afterAll(async () => {
    await closeTabs();
    await states.stop();
  });

  /** The page behind a proxy that counts what passes. */
  async function watched(address: string) {
    const { address: proxy, received } = await watchingProxy(states.served.address);
    const visit = await resultVisit(browser!, address.replace(states.served.address, proxy));
    return { ...visit, received };
  }

  it('solves again at every move of the slider what R and suffice fit solve, and sends nothing', async (context) => {
    if (browser === undefined) return context.skip('no browser on this machine');
    const { page, part, table, received } = await watched(
      states.studies.resolved.address('result'),
    );
    await part('files'); // whatever is loaded when one comes to it
    await (await part('certificate')).getByText('The resolution is entry').waitFor();
    const trace = await part('trace');
    const slider = trace.locator('input[type=range]');
    const field = trace.getByLabel('Ridge', { exact: true });
    const explored = trace.locator('.explored');
    const at = async () => Number(await explored.getAttribute('data-penalty'));
    const estimates = async () =>
      (await table('Coefficients with this penalty')).slice(1).map((cells) => cells[1]);
    expect(await slider.getAttribute('aria-valuetext')).toBe('no penalty');
    expect(await explored.textContent()).toContain('0, least squares');
    await quiet(received);
    const before = received.length;

    for (const [scale, expected] of [
      ['slopes as they are', vector.raw],
      ['slopes per SD', vector.standardized],
    ] as const) {
      await trace.getByRole('radio', { name: scale }).check();
      for (const [k, ridge] of chosen([...vector.ridges.entries()], 1, vector.ridges.length - 1)) {
        await field.fill(String(ridge));
        await expect.poll(at).toBe(ridge);
        await expect
          .poll(() => explored.getAttribute('data-scale'))
          .toBe(scale === 'slopes per SD' ? 'standardized' : 'raw');
        const shown = await estimates();
        expected[k].forEach((value, t) => {
          expect(reads(shown[t], value), `${vector.names[t]} at ${ridge}: ${shown[t]}`).toBe(true);
        });
      }
    }
    await field.fill('-3');
    await trace.getByText('Enter a number, 0 or larger.').waitFor();
    expect(await at()).toBe(vector.ridges.at(-1));

    // The thumb stands under the line that it moves, at every width and place.
    for (const width of chosen([1280, 700, 360], 0, 2)) {
      await page.setViewportSize({ width, height: 900 });
      for (const penalty of chosen(['0', '0.7', '300', '1e12'], 1, 3)) {
        await field.fill(penalty);
        await expect.poll(at).toBe(Number(penalty));
        await expect.poll(() => page.evaluate<number>(thumbFromNeedle)).toBeLessThan(1.5);
      }
    }
    await page.setViewportSize({ width: 1280, height: 900 });

    await trace.getByRole('radio', { name: 'slopes as they are' }).check();
    await trace.getByRole('button', { name: 'Back to the study’s penalty' }).click();
    await expect.poll(at).toBe(0);
    const published = (await estimates()).slice();
    const seen = await dragged(page, slider, at);
    expect(new Set(seen).size).toBeGreaterThan(3);
    expect(await estimates()).not.toEqual(published);

    await slider.focus();
    await page.keyboard.press('Home');
    await expect.poll(at).toBe(0);
    await page.keyboard.press('ArrowRight');
    await expect.poll(at).toBeGreaterThan(0);
    const weakest = await at();
    await page.keyboard.press('End');
    await expect.poll(at).toBeGreaterThan(1000 * weakest);
    const chart = trace.getByRole('slider', { name: 'Ridge trace: one by one' });
    await chart.focus();
    await page.keyboard.press('Home');
    await expect.poll(at).toBe(0);
    await page.keyboard.press('End');
    await expect.poll(at).toBeGreaterThan(1000 * weakest);

    await field.fill('40');
    await expect.poll(at).toBe(40);
    await trace.getByRole('button', { name: 'Copy this report as JSON' }).click();
    await trace.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()'));
    const files = islands.map((island) => penguinPath(`${island}.csv`));
    const fitted = await fitReport(
      'body_mass ~ bill_length + flipper_length + sex + species',
      files,
      '--codebook',
      codebook(),
      '--ridge',
      '40',
    );
    expect(copied.terms).toEqual(fitted.terms);
    expect(copied.glance).toEqual(fitted.glance);
    expect(received.slice(before)).toEqual([]);
  });

  it.runIf(enduring)(
    'draws the trace and the curves that the analyses give, with their smallest places',
    async (context) => {
      if (browser === undefined) return context.skip('no browser on this machine');
      const { page, part, received } = await watched(states.studies.resolved.address('result'));
      const trace = await part('trace');
      const answer = await admin.analyse({ questions: [{ about: 'path' }] });
      const path = answer.answers[0] as Path;
      const chart = trace.getByRole('slider', { name: 'Ridge trace: one by one' });
      await chart.focus();
      await page.keyboard.press('End');
      const told = (await chart.getAttribute('aria-valuetext'))!;
      const explored = trace.locator('.explored');
      const at = async () => Number(await explored.getAttribute('data-penalty'));
      await expect.poll(at).toBeGreaterThan(0);
      const penalty = await at();
      const point = path.points.find((one) => Math.abs(one.penalty / penalty - 1) < 1e-9)!;
      path.terms.forEach((term, t) => {
        const name = term.replace(/^(sex|species)(?=.)/, '$1: ');
        const text = told.match(new RegExp(`${name} ([−\\d.e]+)`))![1];
        expect(reads(text, point.coefficients[t] * path.scales[t]), `${term}: ${told}`).toBe(true);
      });

      const selection = await part('selection');
      const text = (await selection.textContent())!;
      const smallest = text.match(/smallest at a ridge of ([\d.e-]+\d)/)![1];
      expect(reads(smallest, vector.gcv.ridge), smallest).toBe(true);
      const chosen = await admin.analyse({
        method: { kind: 'ridge', ridge: 'gcv' },
        questions: [],
      });
      expect(reads(smallest, chosen.report.ridge!.value)).toBe(true);

      const before = received.length;
      await selection.getByRole('button', { name: 'Leave out one site at a time' }).click();
      await selection.getByRole('heading', { name: 'One site left out at a time' }).waitFor();
      expect(received.slice(before).filter(({ method }) => method === 'POST')).toHaveLength(1);
      const left = await admin.analyse({
        method: { kind: 'ridge', ridge: 'leave-one-site-out' },
        questions: [],
      });
      const said = (await selection.textContent())!.match(
        /Chosen by leaving out one site at a time: ([\d.e-]+)/,
      )![1];
      expect(reads(said, left.report.ridge!.value), said).toBe(true);

      const columns = await part('columns');
      const cells = await columns.locator('svg text.small').allTextContents();
      const size = vector.correlations.length;
      expect(cells.length).toBe(size * size);
      cells.forEach((cell, k) => {
        const value = vector.correlations[Math.floor(k / size)][k % size];
        expect(Number(cell.replace('−', '-'))).toBeCloseTo(value, 2);
      });
      for (const [look, label] of [
        ['Means and SDs', 'Means and standard deviations'],
        ['Collinearity', 'Variance inflation'],
        ['Tests of terms', 'Tests of terms'],
        ['Partial correlations', 'Partial correlations with the response'],
      ]) {
        await columns.getByRole('radio', { name: look, exact: true }).check();
        await columns.locator(`.scroll[aria-label="${label}"]`).waitFor();
      }
    },
  );

  it.runIf(enduring)(
    'sets the sites’ own estimates beside the pooled one, as the coordinator answers',
    async (context) => {
      if (browser === undefined) return context.skip('no browser on this machine');
      const { page, part, table, received } = await watched(
        states.studies.resolved.address('result'),
      );
      const agreement = await part('agreement');
      const before = received.length;
      await agreement.getByRole('button', { name: 'Compare the sites' }).click();
      await agreement.getByLabel('Term').waitFor();
      expect(received.slice(before).filter(({ method }) => method === 'POST')).toHaveLength(1);
      const found = await admin.analyse({
        questions: [{ about: 'heterogeneity' }, { about: 'influence' }],
      });
      const pooled = new Map(found.report.terms!.map((row) => [row.term, row.estimate]));
      const [heterogeneity, influence] = found.answers as unknown as [Heterogeneity, Influence];
      expect(heterogeneity.terms.length).toBeGreaterThan(1);
      for (const { term, estimate, sites, Q } of heterogeneity.terms) {
        await agreement.getByLabel('Term').selectOption(term);
        const name = term.replace(/^sexmale$/, 'sex: male (vs female)');
        await agreement.getByRole('img', { name: `${name} at each site` }).waitFor();
        const texts = await agreement.locator('svg text').allTextContents();
        for (const [name, value] of [
          ...sites.map((one) => [one.site, one.estimate] as const),
          ['Precision-weighted mean', estimate] as const,
          ['The model, all rows', pooled.get(term)!] as const,
        ]) {
          const text = texts[texts.indexOf(name) + 1];
          expect(reads(text.split(' ')[0], value), `${term} at ${name}: ${text}`).toBe(true);
        }
        expect(
          reads((await agreement.locator('.facts dd').first().textContent())!.split(' ')[0], Q),
        ).toBe(true);
      }
      const said = (await agreement.textContent())!;
      expect(said).toContain(
        'If all sites had the same coefficients, they would differ this much in',
      );
      const rows = (await table('Changes without each site')).slice(1);
      expect(rows.map(([site]) => site)).toEqual(influence.sites.map(({ site }) => site));
      influence.sites.forEach(({ n, changes }, k) => {
        expect(rows[k][1]).toBe(String(n));
        changes.forEach((change, t) => {
          if (change !== null) expect(reads(rows[k][5 + t], change)).toBe(true);
        });
      });
      expect(await page.getByRole('alert').count()).toBe(0);
    },
  );

  it.runIf(enduring)(
    'explores nothing where there is nothing to: private, logistic, an intercept for each site',
    async (context) => {
      if (browser === undefined) return context.skip('no browser on this machine');
      const { studies } = states;
      const asksFor = /\/(total|analyses)$/;
      const noisy = await watched(studies.private.address('result'));
      await noisy.page.getByText('These numbers are noisy on purpose.').waitFor();
      // A card that would only say that it is empty is not there.
      const cards = ['trace', 'selection', 'agreement', 'columns'].map((id) => `#${id}`).join();
      await noisy.part('certificate');
      expect(await noisy.page.locator(cards).count()).toBe(0);
      expect(noisy.received.filter(({ path }) => asksFor.test(path))).toEqual([]);

      const logistic = await watched(studies.logistic.address('result'));
      await logistic.part('columns');
      expect(await logistic.page.locator('#trace, #selection').count()).toBe(0);
      const [header, ...terms] = await logistic.table('Coefficients');
      expect(header.slice(1, 5)).toEqual(['Odds ratio', 'OR 2.5 %', 'OR 97.5 %', 'Log odds']);
      const { id } = studies.logistic.created;
      const { report } = await states.served.coordinator.resolution({ role: 'operator' }, id, 1);
      expect(terms.map((cells) => cells.slice(1, 4))).toEqual(
        report.terms!.map((row) =>
          [row.estimate, row['conf.low']!, row['conf.high']!].map((log) =>
            significant(Math.exp(log), 4),
          ),
        ),
      );
      expect(await (await logistic.part('limits')).textContent()).toContain('ROC curves');

      const effects = await watched(studies.siteEffects.address('result'));
      const trace = await effects.part('trace');
      await trace.getByText('has an intercept for each site').waitFor();
      await trace.locator('.explored').waitFor();

      const classes = await watched(studies.classes.address('result'));
      const last = (
        await classes.page.getByLabel('Response').locator('option').allTextContents()
      ).at(-1)!;
      await classes.page.getByLabel('Response').selectOption({ label: last });
      expect(last).toBe('species: Gentoo');
      await classes.page.getByRole('heading', { name: `Effects on ${last}` }).waitFor();
      await (await classes.part('trace')).locator('.explored').waitFor();
    },
  );
});

/** Pixels between the middle of the slider's thumb and the line in the chart that it moves. */
const thumbFromNeedle = `(() => {
  const slider = document.querySelector('#trace input[type=range]');
  const { left, width } = slider.getBoundingClientRect();
  const thumb = parseFloat(getComputedStyle(slider).getPropertyValue('--thumb'));
  const middle = left + thumb / 2 + ((width - thumb) * slider.value) / slider.max;
  return Math.abs(middle - document.querySelector('#trace .needle').getBoundingClientRect().left);
})()`;

/** The penguins' codebook in a file of its own. */
function codebook(): string {
  const path = join(folder, 'codebook.json');
  const study = JSON.parse(readFileSync(penguinPath('study.json'), 'utf8'));
  writeFileSync(path, JSON.stringify(study.codebook));
  return path;
}

/** Waits until nothing has come for a while. */
async function quiet(received: readonly unknown[]): Promise<void> {
  let known = -1;
  while (known !== received.length) {
    known = received.length;
    await new Promise((done) => setTimeout(done, 400));
  }
}

/** Drags the slider from end to end; gives the penalties that were solved for on the way. */
async function dragged(page: Page, slider: Locator, at: () => Promise<number>): Promise<number[]> {
  await slider.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await slider.boundingBox())!;
  const seen: number[] = [];
  await page.mouse.move(x + 10, y + height / 2);
  await page.mouse.down();
  for (let step = 1; step <= 12; step++) {
    await page.mouse.move(x + 10 + ((width - 20) * step) / 12, y + height / 2);
    await page.waitForTimeout(60);
    seen.push(await at());
  }
  await page.mouse.up();
  return seen;
}
