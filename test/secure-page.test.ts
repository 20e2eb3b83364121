import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { agreement } from '../src/federate.ts';
import { parseStudy } from '../src/fusion/study-schema.ts';
import { requestStudies } from '../src/protocol/client.ts';
import { type Link, linkText, parseLink } from '../src/protocol/link.ts';
import { decodeContribution } from '../src/statistic/envelope.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { enduring } from './endurance.ts';
import { fileBrowser } from './file-browser.ts';
import { pageVisit } from './join-page.ts';

import { penguins, secureSetting } from './secure-setting.ts';
import { servedStudy } from './served-study.ts';
import { watchedPage } from './watched-page.ts';
import { watchingProxy } from './watching-proxy.ts';

const folder = temporaryFolder();
const present = fileBrowser();
const setting = await secureSetting(folder, ['dream', 'torgersen']);
const { served } = setting;
const operator = readFileSync(served.operatorTokenFile!, 'utf8').trim();
const biscoe = readFileSync(penguins('biscoe.csv'));
const knownSites = readFileSync(join(folder, 'roster.txt'), 'utf8').split('\n').slice(1).join('\n');

/** Fills a field, and waits for what the page says about it. */
async function tryField(page: Page, label: string | RegExp, value: string, said: string | RegExp) {
  await page.getByLabel(label).fill(value);
  await page.locator('.problem', { hasText: said }).waitFor();
}

/** The links that the page shows once: the analyst's, then one for each site. */
async function shownLinks(page: Page, sites: number): Promise<readonly Link[]> {
  await expect.poll(() => page.locator('code.secret').count()).toBe(1 + sites);
  const texts = await page.locator('code.secret').allTextContents();
  return texts.map((text) => {
    const link = parseLink(text);
    if ('problem' in link) throw new Error(link.problem);
    return link;
  });
}

it('a study is made with a helper by form, joined by page with one request, and opened by both parties', async (context) => {
  const browser = present(context);
  let helperIsAway = true;
  const helper = await watchingProxy(setting.helper.address, () =>
    helperIsAway ? 'cut-before' : 'pass',
  );

  // The site, not invited yet: its key.
  const running = { served } as Parameters<typeof pageVisit>[1];
  const visit = await pageVisit(browser, running, 'biscoe');
  await visit.page.goto(`${visit.address}/join`);
  await visit.heading('The key of this browser');
  const key = (await visit.page.locator('code.digest').textContent())!;
  expect(key).toMatch(/^[\w-]{43}$/);
  await visit.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const copy = visit.page.getByRole('button', { name: 'Copy the key' });
  for (let k = 0; k < 5 && !(await copy.evaluate((one) => one.matches(':focus'))); k++) {
    await visit.page.keyboard.press('Tab');
  }
  await visit.page.keyboard.press('Enter');
  await visit.page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await visit.page.evaluate(() => navigator.clipboard.readText())).toBe(key);

  // The analyst: a form whose problems are named while it is filled.
  const analyst = await watchedPage(browser);
  const { page } = analyst;
  await page.goto(`${served.address}/create#${operator}`);
  await page.getByText('As JSON: view, download, load').click();
  const study = { ...JSON.parse(readFileSync(penguins('study.json'), 'utf8')), name: 'By form' };
  await page.getByLabel('Load a study or a codebook').fill(JSON.stringify(study));
  await page.getByRole('button', { name: 'Load it' }).click();
  await page.locator('.study-terms', { hasText: 'By form' }).waitFor();
  await page.getByRole('radio', { name: 'Two parties' }).focus();
  await page.keyboard.press('Space');
  await page.getByText('What is given up: errors clustered by site').waitFor();
  await tryField(page, 'Address of the helper', 'helper.example.org', 'This is no http address.');
  await page.getByLabel('Address of the helper').fill(helper.address);
  await tryField(page, /^Keys of the helper/, '{"keys": 3}', 'These are no keys of a helper.');
  const { stdout: card } = await suffice('helper', 'show', setting.helper.address, '--json');
  await page.getByLabel(/^Keys of the helper/).fill(card);
  await tryField(page, /^Roster/, `biscoe ${key}\ndream`, 'Line 2 of the roster is not a name');
  const roster = `biscoe ${key}\n${knownSites}`;
  await page.getByLabel(/^Roster/).fill(roster);
  await page.locator('.problem', { hasText: 'The roster has 3 sites, and 5 are needed' }).waitFor();
  await tryField(page, /^Fewest sites/, '2', 'It must be a whole number at least 3');
  await page.getByLabel(/^Fewest sites/).fill('3');
  await tryField(page, /^Groups of sites/, '1', 'It must be a whole number at least 2');
  await tryField(page, /^Groups of sites/, '2', '2 groups of 3 sites or more need 6 sites');
  await page.getByLabel(/^Groups of sites/).fill('');
  await page.getByText('The 3 sites of the roster are invited').waitFor();
  await page.getByLabel('Model').selectOption({ label: 'linear, lasso or elastic net' });
  await page.locator('#adding .problem').waitFor();
  await page.getByLabel('Model').selectOption({ label: 'linear, least squares' });
  await page.locator('.study-terms', { hasText: 'numbers that look random' }).waitFor();
  expect(analyst.asked.filter((one) => one.startsWith('POST'))).toEqual([]);
  await page.getByRole('button', { name: 'Create the study' }).click();
  await page.getByRole('heading', { name: /By form/ }).waitFor();
  const links = await shownLinks(page, 3);
  const invited = await requestStudies(served.address, operator);
  const secured = parseStudy(invited.find(({ study: { name } }) => name === 'By form')!.study);
  expect(secured.aggregation).toMatchObject({ kind: 'two-aggregators', minimumSites: 3 });
  const linkOf = (site: string, address = served.address): Link => {
    const names = ['', ...Object.keys(agreement(secured).aggregation.roster!)];
    return { ...links[names.indexOf(site)], coordinator: address };
  };

  // Another browser with the same invitation: refused before it could read a file.
  const stranger = await pageVisit(browser, running, 'biscoe');
  await stranger.come({ link: linkOf });
  await stranger.page
    .getByText('The study knows biscoe by another key than the one here')
    .waitFor();
  expect(await stranger.text()).toContain('Nothing was read, nothing was sent.');
  expect(await stranger.page.locator('input[type=file]').count()).toBe(0);
  expect(stranger.received().filter(({ method }) => method !== 'GET')).toEqual([]);

  // The site: everything is said before, and one request leaves.
  await visit.come({ link: linkOf });
  await visit.ready();
  for (const said of ['numbers that look random', 'Your key is on the roster.', key.slice(0, 12)]) {
    expect(await visit.text()).toContain(said);
  }
  visit.mark();
  await visit.give('biscoe.csv', biscoe);
  await visit.heading('What will be sent');
  expect([visit.asked, visit.received()]).toEqual([[], []]);
  expect(await visit.text()).toContain('163 rows used, 5 left out');
  expect(await visit.text()).toContain('They are sent masked');
  await visit.page.getByRole('radio', { name: 'Numbers' }).check();
  const cells = visit.page.getByRole('row', { name: /^\(Intercept\)/ }).getByRole('cell');
  expect(await cells.first().textContent()).toBe('163'); // the sum over rows, not its mask
  await visit.approve();
  await visit.heading('Sent and acknowledged');
  const [sent, ...others] = visit.received();
  expect([others, visit.asked]).toEqual([[], [`POST ${sent.path}`]]);
  expect(visit.complaints).toEqual([]);

  // The others come by the command; the helper is away, and the page of the study says what happens.
  await page.goto(linkText(linkOf('')));
  await page.getByText('The helper has not answered yet.').waitFor();
  for (const site of setting.sites) {
    const invitation = join(folder, `${site}.invitation`);
    writeFileSync(invitation, `${linkText(linkOf(site))}\n`, { mode: 0o600 });
    const flags = ['--yes', '--quiet', '--acknowledge', 'R6,R7', '--home', setting.home(site)];
    const joined = await suffice('join', invitation, penguins(`${site}.csv`), ...flags);
    expect([joined.code, joined.stderr]).toEqual([0, '']);
  }
  await page.getByText('The coordinator tries again every few seconds').waitFor();
  expect(await page.getByText(helper.address).count()).toBeGreaterThan(0);
  helperIsAway = false;
  await page.getByRole('button', { name: 'Resolve', exact: true }).click();
  await page.getByText('The result is ready').waitFor();
  await page.getByRole('heading', { name: 'The helper’s statement' }).waitFor();
  const seen = await page.locator('main').textContent();
  expect(seen).toContain('Sees numbers that look random, and with the helper’s answer the sum');
  expect(seen).toContain('biscoe, dream, torgersen');
  expect(await page.getByText('The coordinator tries again').count()).toBe(0);

  // The model is the one of one file.
  const path = join(folder, 'by-form.json');
  writeFileSync(path, JSON.stringify(secured));
  const files = ['biscoe', ...setting.sites].map((site) => penguins(`${site}.csv`));
  const { digest } = JSON.parse((await suffice('fit', path, ...files, '--json')).stdout);
  const admin = join(folder, 'by-form.link');
  writeFileSync(admin, `${linkText(linkOf(''))}\n`, { mode: 0o600 });
  const report = JSON.parse((await suffice('report', admin, '--json')).stdout);
  expect(report.digest).toBe(digest);

  // The two views. The coordinator: numbers without a pattern, where sums have many words of zero.
  const agreed = agreement(secured);
  const valuesOf = (body: Uint8Array, study: string) => {
    const decoded = decodeContribution(new Uint8Array(body), study, agreed.layout);
    if ('refused' in decoded) throw new Error(decoded.refused);
    return decoded.contribution;
  };
  const first = valuesOf(sent.body, agreed.digest);
  const words = [...first.statistic.values];
  expect(words.length).toBeGreaterThan(50);
  expect(words.length - new Set(words).size).toBeLessThan(2); // two in 2³² are the same by chance
  if (enduring) {
    // The same rows in another study with the same terms are other numbers.
    const again = await servedStudy(
      folder,
      { ...secured, name: 'Again' },
      ['biscoe', ...setting.sites],
      {},
      served,
    );
    await visit.come(again);
    await visit.ready();
    visit.mark();
    await visit.give('biscoe.csv', biscoe);
    await visit.heading('What will be sent');
    await visit.approve();
    await visit.heading('Sent and acknowledged');
    const second = valuesOf(visit.received()[0].body, again.created.digest);
    const same = words.filter((word, k) => word === second.statistic.values[k]);
    expect(same.length).toBeLessThan(2);
    expect(first.sealed).not.toBe(second.sealed);
  }

  // The helper: it was asked with names, digests and seals, and stores names and digests alone.
  const asked = helper.received.map(({ body }) => JSON.parse(body.toString()));
  const slip = asked[0].contributions.find(({ site }: { site: string }) => site === 'biscoe');
  expect(Object.keys(slip).sort()).toEqual(
    ['data', 'dropped', 'mode', 'nonce', 'seal', 'sealed', 'sequence', 'site'].sort(),
  );
  expect(slip).toMatchObject({ dropped: 0, data: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) });
  const store = createClient({ url: `file:${join(folder, 'helper', 'suffice.db')}` });
  onTestFinished(() => store.close());
  const rows = async (table: string) => (await store.execute(`select * from ${table}`)).rows;
  const answers = await rows('helper_answers');
  expect(JSON.parse(String(answers[0].members))).toEqual(
    ['biscoe', 'dream', 'torgersen'].map((site) => [site, 1, expect.stringMatching(/^sha256:/)]),
  );
  for (const { hash } of await rows('helper_seeds')) expect(hash).toMatch(/^[0-9a-f]{64}$/);
  analyst.expectDiscretion(served.address, [operator]);
});
