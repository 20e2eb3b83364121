import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SealedResolution } from '../src/protocol/messages.ts';
import { closeTabs, workerBrowser } from './browser.ts';
import { chosen, enduring } from './endurance.ts';
import { type PageStates, pageStates } from './page-states.ts';
import { changingProxy, coefficientColumns, reads, resultVisit } from './result-visit.ts';

/** What the page calls R's names. */
const readable: Readonly<Record<string, string>> = {
  sexmale: 'sex: male (vs female)',
  speciesChinstrap: 'species: Chinstrap (vs Adelie)',
  speciesGentoo: 'species: Gentoo (vs Adelie)',
};
const nameOf = (name: string) => readable[name] ?? name;

type Rows = readonly (readonly number[])[];

// Made by test/vectors/result-page.R.
const vector: {
  readonly names: readonly string[];
  readonly terms: Rows;
  readonly vif: readonly number[];
  readonly perSd: Rows;
  readonly glance: Readonly<Record<string, number>>;
} = JSON.parse(readFileSync(new URL('./vectors/result-page.json', import.meta.url), 'utf8'));

describe('the page of a result, in a real browser', () => {
  let browser: Browser | undefined;
  let states: PageStates;
  let resolution: SealedResolution;
  beforeAll(async () => {
    const wanted = ['resolved', 'withdrawn', 'several', 'collecting'] as const;
    [browser, states] = await Promise.all([workerBrowser(), pageStates(wanted)]);
    const { id } = states.studies.resolved.created;
    const operator = { role: 'operator' } as const;
    resolution = await states.served.coordinator.resolution(operator, id, 1);
  });
  afterAll(async () => {
    await closeTabs();
    await states.stop();
  });
  const visit = (address: string, viewport?: { width: number; height: number }) =>
    resultVisit(browser!, address, viewport);
  const resolved = () => states.studies.resolved.address('result');

  it('shows what R says: coefficients, errors, intervals, the fit, per SD and in own units', async (context) => {
    if (browser === undefined) return context.skip('no browser on this machine');
    const { page, table } = await visit(resolved());
    const [header, ...rows] = await table('Coefficients');
    expect(header).toEqual(['Term', 'Estimate', 'Std. error', 't', 'p', '2.5 %', '97.5 %', 'VIF']);
    expect(rows.map(([term]) => term)).toEqual(
      vector.names.map((name) => (nameOf(name) === name ? name : `${nameOf(name)} ${name}`)),
    );
    await page
      .getByText('Levels are compared with a baseline: sex: female; species: Adelie.')
      .waitFor();
    rows.forEach(([term, ...cells], k) => {
      const expected = [...vector.terms[k], ...(k === 0 ? [] : [vector.vif[k - 1]])];
      expected.forEach((value, c) => {
        expect(reads(cells[c], value), `${term}, ${header[c + 1]}: ${cells[c]}`).toBe(true);
      });
    });

    const figures = page.locator('.glance dl > div');
    const shown = await figures.evaluateAll((all) =>
      all.map((one) => [
        one.querySelector('button')!.textContent,
        one.querySelector('dd')!.textContent,
      ]),
    );
    expect(shown.map(([name]) => name)).toEqual(Object.keys(vector.glance));
    for (const [name, text] of shown) {
      expect(reads(text!, vector.glance[name!]), `${name}: ${text}`).toBe(true);
    }

    const slopes = vector.names.slice(1);
    const perSd = slopes
      .map((name, k) => ({ name: nameOf(name), values: vector.perSd[k] }))
      .sort((a, b) => Math.abs(b.values[0]) - Math.abs(a.values[0]));
    await page.getByRole('img', { name: /^Effects per standard deviation/ }).waitFor();
    expectRows(await forestRows(page), perSd);
    await page.getByRole('radio', { name: 'Own units' }).check();
    await page.getByRole('img', { name: /^Effects in their own units/ }).waitFor();
    const own = slopes.map((name, k) => {
      const [estimate, , , , low, high] = vector.terms[k + 1];
      return { name: nameOf(name), values: [estimate, low, high] };
    });
    expectRows(await forestRows(page), own);
  });

  it.runIf(enduring)('puts the table in order by mouse and by keys', async (context) => {
    if (browser === undefined) return context.skip('no browser on this machine');
    const { page, table } = await visit(resolved());
    const region = page.locator('.scroll[aria-label="Coefficients"]');
    const heads = region.getByRole('columnheader');
    const terms = resolution.report.terms!;
    const names = async () =>
      (await table('Coefficients')).slice(1).map(([term]) => term.split(' ').at(-1));
    // By mouse; and by keys the one that the intercept has no value of.
    for (const [c, column] of chosen([...coefficientColumns.entries()], 2, 7)) {
      const head = heads.nth(c);
      const values = terms.filter((row) => row[column] !== undefined);
      const up = values
        .toSorted((a, b) => (a[column]! < b[column]! ? -1 : 1))
        .map(({ term }) => term);
      const without = terms.filter((row) => row[column] === undefined).map(({ term }) => term);
      // Half of the columns by mouse, half by keys; what has no value comes last either way.
      const turn = async () => {
        if (c % 2 === 0) return head.getByRole('button').click();
        await head.getByRole('button').focus();
        await page.keyboard.press(c % 4 === 1 ? 'Enter' : 'Space');
      };
      await turn();
      expect(await head.getAttribute('aria-sort')).toBe('ascending');
      if (column !== 'term') expect(await names()).toEqual([...up, ...without]);
      await turn();
      expect(await head.getAttribute('aria-sort')).toBe('descending');
      if (column !== 'term') expect(await names()).toEqual([...up.toReversed(), ...without]);
      await turn();
      expect(await region.locator('[aria-sort]').count()).toBe(0);
      expect(await names()).toEqual(vector.names);
    }
  });

  it('certifies what it has checked, and the secret stays behind #', async (context) => {
    if (browser === undefined) return context.skip('no browser on this machine');
    const { page, part, asked } = await visit(resolved());
    const certificate = await part('certificate');
    // The log and the total are asked for one beside the other.
    await expect.poll(() => certificate.locator('.checks li.yes').count()).toBe(5);
    const checks = await certificate.locator('.checks li.yes').allTextContents();
    expect(checks.map((text) => text.replace(/^✓Checked: /, '').slice(0, 34))).toEqual([
      'The coordinator signed this resolu',
      'The digest of the study shown here',
      'The digest of the total, computed ',
      'Solving the total again in this ta',
      expect.stringMatching(/^The resolution is entry \d+ of \d+ /),
    ]);
    expect(await certificate.locator('.checks .no, .checks .open').count()).toBe(0);
    const text = (await certificate.textContent())!;
    const { report, seal, contributions } = resolution;
    for (const digest of [
      report.digest,
      resolution.studyDigest,
      seal.key,
      ...contributions.flatMap(({ digests }) => digests),
    ]) {
      expect(text).toContain(digest);
    }
    expect(text).toContain(`Guaranteed digits${Math.floor(report.digits!)}`);
    const { adminToken } = states.studies.resolved.created;
    expect(asked.length).toBeGreaterThan(5);
    expect(asked.filter((url) => url.split('#')[0].includes(adminToken))).toEqual([]);
    expect(asked.filter((url) => !url.startsWith(`${states.served.address}/`))).toEqual([]);
    await expect.poll(() => new URL(page.url()).search).toBe('');
  });

  const changes: readonly (readonly [string, (text: string) => string])[] = [
    ['a digit of the report', (text: string) => text.replace('21.63252', '21.63262')],
    [
      'the signature',
      (text: string) =>
        text.replace(
          /("signature":\s*")(.)/,
          (_, head, first) => `${head}${first === 'A' ? 'B' : 'A'}`,
        ),
    ],
  ];
  it.for(chosen(changes, 0))(
    'shows no number when %s was changed on the way',
    async ([, change], context) => {
      if (browser === undefined) return context.skip('no browser on this machine');
      const where = /\/resolutions\/(\d+|latest)$/;
      let changed = 0;
      const proxy = await changingProxy(states.served.address, where, (body) => {
        const text = change(body.toString());
        if (text !== body.toString()) changed++;
        return Buffer.from(text);
      });
      const { page } = await visit(resolved().replace(states.served.address, proxy));
      const alert = page.getByRole('alert');
      await alert.waitFor();
      expect(changed).toBeGreaterThan(0);
      expect(await alert.textContent()).toMatch(/sign|seal/i);
      expect(await page.locator('table, .figures, .chart, svg[role=img]').count()).toBe(0);
      expect(await page.locator('main').textContent()).not.toMatch(/21\.6|0\.87|87\.1/);
    },
  );

  it('makes nothing of a total that was changed on the way, and says so', async (context) => {
    if (browser === undefined) return context.skip('no browser on this machine');
    const proxy = await changingProxy(states.served.address, /\/total$/, (body) => {
      body[body.length - 9] ^= 1;
      return body;
    });
    const { page, part } = await visit(resolved().replace(states.served.address, proxy));
    await page.getByRole('img', { name: /^Effects in their own units/ }).waitFor();
    const trace = await part('trace');
    await trace.getByRole('alert').waitFor();
    expect(await trace.locator('input, svg').count()).toBe(0);
    const certificate = await part('certificate');
    await certificate.getByText('It was not used.').waitFor();
    expect(await certificate.getByText('Solving the total again').count()).toBe(0);
  });

  it.runIf(enduring)(
    'tells each reader what there is: versions, sites, several responses, none yet',
    async (context) => {
      if (browser === undefined) return context.skip('no browser on this machine');
      const { studies } = states;
      const farewell = await visit(studies.withdrawn.address('result'));
      const sites = farewell.page.locator('.figures > div', { hasText: 'sites' }).locator('dd');
      expect(await sites.textContent()).toBe('2');
      // The head of the page does not say that all is well while the sites disagree.
      await farewell.page.getByText('The sites disagree.', { exact: true }).waitFor();
      await farewell.page.getByText('No mistake in a column was found').waitFor();
      expect(await farewell.page.getByText('No contribution looks wrong').count()).toBe(0);
      await farewell.page.getByLabel('Resolution', { exact: true }).selectOption('1');
      await farewell.page.getByText('Resolution 1', { exact: true }).waitFor();
      expect(await sites.textContent()).toBe('3');
      await farewell.page.getByText('torgersen has withdrawn since.').waitFor();
      expect(await (await farewell.part('trace')).locator('input, svg').count()).toBe(0);
      expect(new URL(farewell.page.url()).search).toBe('');

      const site = await visit(studies.resolved.siteAddress('result', 'dream'));
      // What was sent, whoever looks at the page however often.
      const sent = (await (await site.part('traffic')).textContent())!;
      expect(sent).toContain('Your site sent one message of 28 numbers, 448 bytes besides headers');
      expect(sent).toContain('FedAvg with 100 rounds would send 4.8 kB up and as much down');
      for (const id of ['trace', 'selection', 'columns']) {
        expect(await (await site.part(id)).textContent()).toContain('Only the analyst can see it');
      }
      expect(await (await site.part('agreement')).textContent()).toContain('Only the analyst');
      const certificate = await site.part('certificate');
      await certificate
        .getByText('Your contribution is in this result: it has the digest on your receipt.')
        .waitFor();
      expect(await certificate.locator('strong', { hasText: 'yours' }).count()).toBe(1);
      expect(site.asked.filter((url) => /\/(total|analyses)$/.test(url))).toEqual([]);

      if (!enduring) return; // `accessibility` sees the pages of other studies, too
      const several = await visit(studies.several.address('result'));
      await several.page.getByRole('heading', { name: 'Effects on body_mass' }).waitFor();
      const mass = await several.table('Coefficients');
      await several.page.getByLabel('Response').selectOption('flipper_length');
      await several.page.getByRole('heading', { name: 'Coefficients of flipper_length' }).waitFor();
      expect(await several.table('Coefficients')).not.toEqual(mass);

      const waiting = await visit(studies.collecting.address('result'));
      await waiting.page.getByText('2 of 3 sites have contributed').waitFor();
      await waiting.page.getByText('Not yet contributed: dream.').waitFor();
      expect(await waiting.page.locator('#coefficients, .figures').count()).toBe(0);
      const lost = await visit(`${states.served.address}/result`);
      await lost.page.getByText('This address names no study.').waitFor();
      expect(lost.asked.filter((url) => url.includes('/studies'))).toEqual([]);
    },
  );

  it.runIf(enduring).for([1440, 360])(
    'moves nothing by itself while one reads down, %i pixels wide',
    async (width, context) => {
      if (browser === undefined) return context.skip('no browser on this machine');
      const { page } = await visit(resolved(), { width, height: 900 });
      const bottom = 'innerHeight + scrollY >= document.documentElement.scrollHeight - 2';
      while (!(await page.evaluate(bottom))) {
        await page.mouse.wheel(0, 300);
        await page.waitForTimeout(100);
      }
      await expect.poll(() => page.locator('.waiting').count()).toBe(0);
      expect(await page.evaluate('shifted')).toBeLessThan(0.05);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      // Tables that are cut show it on the side that has more.
      const cut = page.locator('.more', {
        has: page.locator('.scroll[aria-label="Coefficients"]'),
      });
      expect(await cut.getAttribute('data-more')).toBe(width === 360 ? 'right' : 'none');
      await cut.locator('.scroll').evaluate((area) => area.scrollTo(area.scrollWidth, 0));
      await expect.poll(() => cut.getAttribute('data-more')).toBe(width === 360 ? 'left' : 'none');
      expect(await page.evaluate('document.body.innerText')).not.toMatch(/NaN|undefined|Infinity/);
    },
  );
});

/** Names and texts of the forest of effects, from top to bottom. */
async function forestRows(page: Page): Promise<readonly (readonly string[])[]> {
  return page
    .locator('#effects svg g:has(> g .interval)')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('text')].map((text) => text.textContent!)),
    );
}

function expectRows(
  rows: readonly (readonly string[])[],
  expected: readonly { readonly name: string; readonly values: readonly number[] }[],
): void {
  expect(rows.map(([name]) => name)).toEqual(expected.map(({ name }) => name));
  rows.forEach(([name, text], k) => {
    const numbers = text.match(/[−\d.e]+/g)!;
    expected[k].values.forEach((value, c) => {
      expect(reads(numbers[c], value), `${name}: ${text}`).toBe(true);
    });
  });
}
