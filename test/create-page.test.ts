import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { parseStudy } from '../src/fusion/study-schema.ts';
import { type Served, serve } from '../src/node/server/serve.ts';
import { requestStudies, studyClient } from '../src/protocol/client.ts';
import { parseLink } from '../src/protocol/link.ts';
import { type Study, studyDigest } from '../src/study/study.ts';
import { runSuffice, temporaryFolder } from './cli.ts';
import { chosen, enduring } from './endurance.ts';
import { fileBrowser } from './file-browser.ts';
import { penguinPath } from './page-states.ts';
import { penguinParquet } from './penguin-parquet.ts';
import { type WatchedPage, watchedPage } from './watched-page.ts';

const folder = temporaryFolder();
const present = fileBrowser();
let served: Served;
let operator: string;

beforeAll(async () => {
  const data = mkdtempSync(join(folder, 'data-'));
  served = await serve({ data, port: 0, log: 'none', rateLimits: 'off' });
  operator = readFileSync(served.operatorTokenFile!, 'utf8').trim();
});
afterAll(async () => {
  await served.stop();
});

/** A tab on the empty form, with everything loaded that it will need. */
async function formOf(context: TestContext, token = operator): Promise<WatchedPage> {
  const watched = await watchedPage(present(context));
  await watched.page.goto(`${served.address}/create#${token}`);
  await watched.page.getByRole('heading', { name: 'A sample' }).waitFor();
  await watched.page.waitForLoadState('networkidle');
  await watched.page.getByText('As JSON: view, download, load').click();
  return watched;
}

const sampleField = (page: Page) => page.locator('.drop input[type=file]').first();
const formula = (page: Page) => page.getByLabel('Formula');
const names = async () =>
  (await requestStudies(served.address, operator)).map((one) => one.study.name);

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByLabel(label, { exact: true }).selectOption({ label: option });
}

/** The study the page would create, once it says what is looked for. */
async function shownStudy(page: Page, about: string | RegExp): Promise<Study> {
  const json = page.getByRole('region', { name: 'The study as JSON' }).filter({ hasText: about });
  return parseStudy(JSON.parse((await json.textContent())!));
}

/** What `suffice study init` drafts from the same file. */
async function drafted(text: string, path: string, ...flags: readonly string[]): Promise<Study> {
  const out = join(mkdtempSync(join(folder, 'draft-')), 'study.json');
  const args = ['study', 'init', text, path, '--out', out, '--quiet', ...flags];
  const { code, stderr } = await runSuffice(args);
  expect(code, stderr).toBe(0);
  return parseStudy(JSON.parse(readFileSync(out, 'utf8')));
}

describe('a study by form', () => {
  it('is drafted from a file that stays, as the command line would, and created by one request', async (context) => {
    const watched = await formOf(context);
    const { page, asked } = watched;
    const text = 'body_mass ~ bill_length + sex';
    watched.mark();
    await sampleField(page).setInputFiles(penguinPath('dream.csv'));
    await page.getByRole('button', { name: /^body_mass/ }).click();
    await page.getByRole('button', { name: /^bill_length/ }).click();
    await page.getByRole('button', { name: /^sex/ }).click();
    expect(await formula(page).inputValue()).toBe(text);
    await page.getByLabel('Name', { exact: true }).fill('Weights of Dream');
    await page.getByLabel('Quorum').fill('2');
    await page.getByLabel('Sites, one on each line').fill('dream\nbiscoe');
    const flags = ['--name', 'Weights of Dream', '--quorum', '2'];
    const fromTable = await shownStudy(page, /Weights of Dream.*"sites":2/s);
    expect(fromTable).toEqual(await drafted(text, penguinPath('dream.csv'), ...flags));

    await page.getByRole('button', { name: 'Remove the sample' }).click();
    await page.locator('.drop button:focus').waitFor(); // the keyboard is not left nowhere
    const parquet = { name: 'dream.parquet', mimeType: '', buffer: penguinParquet('dream') };
    await sampleField(page).setInputFiles(parquet);
    await page.locator('p:focus strong', { hasText: 'dream.parquet' }).waitFor();
    expect(await shownStudy(page, 'Weights of Dream')).toEqual(fromTable);
    expect(asked).toEqual([]); // of two files and all that was typed

    await page.getByRole('button', { name: 'Create the study' }).click();
    await page.getByText('These links are shown once').waitFor();
    expect(asked).toEqual(['POST /studies']);
    const [stored] = await requestStudies(served.address, operator);
    expect(stored.study).toEqual(fromTable);
    expect(stored.digest).toBe(studyDigest(fromTable));
    expect(stored.sites.map(({ name }) => name).sort()).toEqual(['biscoe', 'dream']);

    await page.getByRole('button', { name: 'Copy the sites’ links' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const pairs = copied.trim().split('\n\n');
    expect(pairs.map((pair) => pair.split('\n')[0])).toEqual(['dream', 'biscoe']);
    const tokens: string[] = [];
    for (const pair of pairs) {
      const link = parseLink(pair.split('\n')[1]);
      if ('problem' in link) throw new Error(link.problem);
      tokens.push(link.token);
      expect((await studyClient(link).view()).study).toEqual(fromTable);
    }
    const shown = await page
      .locator('.link-line', { hasText: 'The analyst’s link' })
      .locator('code')
      .textContent();
    await page.getByRole('link', { name: 'Go to the study' }).click();
    await page.getByRole('heading', { name: 'Weights of Dream' }).waitFor();
    await expect.poll(() => page.url()).not.toContain('sfc_');
    const own = parseLink(shown ?? '');
    if ('problem' in own) throw new Error(own.problem);
    expect(await studyClient(own).close()).toMatchObject({ state: 'closed' });
    watched.expectDiscretion(served.address, [operator, own.token, ...tokens]);
  });

  it('is by every method what the command line makes of it, and its formula is checked while it is typed', async (context) => {
    const path = join(folder, 'wards.csv');
    const lines = Array.from({ length: 120 }, (_, r) => {
      const cells = [18 + (r % 60), r % 3, r % 2 === 0 ? 'yes' : 'no', (r * 7) % 31, 1 + (r % 4)];
      return [...cells, `r${10 + (r % 12)}`].join(',');
    });
    writeFileSync(path, `${['age,ward,well,days,weight,room', ...lines].join('\n')}\n`);
    const watched = await formOf(context);
    const { page, asked } = watched;
    watched.mark();
    await sampleField(page).setInputFiles(path);
    await page.getByLabel('Name', { exact: true }).fill('Wards');

    const outcome = page.locator('.outcome');
    await formula(page).fill('days ~ age + wart');
    await outcome.getByText(/wart.*ward/s).waitFor(); // what is wrong, and what was meant
    expect(await page.locator('mark').textContent()).toBe('wart');
    await formula(page).fill('days ~ poly(age, 2)');
    await outcome.getByText(/^poly\(\) is not additive/).waitFor();
    await formula(page).fill('days ~ age + (ward');
    await outcome.getByText('A parenthesis is never closed.').waitFor();
    expect(await page.locator('mark').textContent()).toBe('(');
    await formula(page).fill('days ~ age + factor(ward)');
    await outcome.getByText('age · factor(ward)1 · factor(ward)2').waitFor();
    expect(await page.locator('mark').count()).toBe(0);

    // Many levels are named in part: in the hint, in the list of columns and in the text for the sites.
    await formula(page).fill('room ~ age');
    await outcome.getByText('Explains roomr10, roomr11, roomr12 and 9 more by 2 terms').waitFor();
    await page
      .locator('.levels summary', { hasText: '12 levels: r10, r11, r12 and 9 more' })
      .waitFor();

    const model = (name: string) => choose(page, 'Model', name);
    const methods: readonly [string, string, () => Promise<void>, RegExp, readonly string[]][] = [
      [
        'site effects',
        'days ~ age + factor(ward)',
        () => choose(page, 'Site effects', 'an intercept for each site'),
        /"siteEffects":"fixed"/,
        ['--site-effects', 'fixed'],
      ],
      ['ridge', 'days ~ age', () => model('linear, ridge'), /"ridge":"gcv"/, ['--ridge', 'gcv']],
      [
        'a penalty',
        'days ~ age',
        async () => {
          await choose(page, 'Penalty', 'a number');
          await page.getByLabel('Ridge', { exact: true }).fill('2.5');
        },
        /"ridge":2.5/,
        ['--ridge', '2.5'],
      ],
      [
        'lasso',
        'days ~ age + ward',
        () => model('linear, lasso or elastic net'),
        /"lasso":/,
        ['--lasso', 'loso'],
      ],
      ['logistic', 'well ~ age', () => model('logistic'), /"binomial"/, ['--family', 'binomial']],
      ['Poisson', 'days ~ age', () => model('Poisson'), /"poisson"/, ['--family', 'poisson']],
      [
        'a network',
        'days ~ age + ward',
        () => model('neural network'),
        /"fisher-diagonal"/,
        ['--network', '64,32'],
      ],
      [
        'several responses and weights',
        'cbind(days, age) ~ well',
        async () => {
          await model('linear, least squares');
          await choose(page, 'Site effects', 'none');
          await choose(page, 'Weights of rows', 'weight');
        },
        /cbind.*"weights": "weight"/s,
        ['--weights', 'weight'],
      ],
      [
        'private',
        'days ~ age',
        async () => {
          await choose(page, 'Weights of rows', 'none');
          await page.getByRole('radio', { name: 'Noise (differential privacy)' }).check();
          await page.getByLabel('Expected number of rows').fill('300');
        },
        /"formula": "days ~ age".*"expectedRows":300/s,
        ['--epsilon', '1', '--expected-rows', '300'],
      ],
    ];
    const cases = chosen(methods, 1, 2, 6, 7, 8);
    const expected = cases.map(([, text, , , flags]) =>
      drafted(text, path, '--name', 'Wards', ...flags),
    );
    for (const [k, [name, text, act, about]] of cases.entries()) {
      await formula(page).fill(text);
      await act();
      const shown = await shownStudy(page, about);
      expect([name, shown]).toEqual([name, await expected[k]]);
      expect(await page.locator('.study-terms .digest').textContent()).toBe(studyDigest(shown));
    }
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download study.json' }).click(),
    ]);
    const kept = await file.path();
    const { stdout } = await runSuffice(['study', 'digest', kept]);
    expect(stdout.trim()).toBe(await page.locator('.study-terms .digest').textContent());

    // A forecast that rests on guesses says so; one that drowns the answer keeps it from being made.
    await page.getByText('uses a quarter of the range as the SD of days, age').waitFor();
    await page.getByLabel('ε', { exact: true }).fill('0.02');
    await page.getByText('The result would be mostly noise').waitFor();
    await page.getByLabel('Sites, one on each line').fill('aachen');
    await page.getByText('1 site is invited').waitFor();
    await page.getByRole('button', { name: 'Create the study' }).click();
    await page.getByText('tick “Create the study anyway”').waitFor();
    expect(asked).toEqual([]);
    watched.expectDiscretion(served.address, [operator]);
  });

  it.runIf(enduring)(
    'is refused in words where something is missing, and then nothing is sent',
    async (context) => {
      const before = await names();
      const watched = await formOf(context);
      const { page, asked } = watched;
      const create = page.getByRole('button', { name: 'Create the study' });
      watched.mark();
      // What is missing shows before anything is pressed, and a press leads there.
      const progress = page.getByRole('navigation', { name: 'Progress' });
      await progress.getByText('3 still missing.').waitFor();
      expect(await progress.getByRole('listitem').allTextContents()).toEqual([
        '○The questionformula and name missing',
        '○Columnsnone yet',
        '✓Methoddone',
        '✓Protectiondone',
        '✓Who adds the sumsdone',
        '○Sites and timesites missing',
      ]);
      await progress.getByRole('button', { name: /^Sites and time/ }).click();
      await page.locator('h2:focus', { hasText: 'Sites and time' }).waitFor();
      await create.click();
      const said = page.getByRole('alert');
      await said.getByText('There is no formula yet.').waitFor();
      await said.getByText('No site is invited.').waitFor();
      await said.getByText('The study has no name.').waitFor();

      await sampleField(page).setInputFiles(penguinPath('dream.csv'));
      await formula(page).fill('body_mass ~ bill_length');
      await page.getByLabel('Name', { exact: true }).fill('x'.repeat(101));
      await page.getByLabel('Sites, one on each line').fill('dream\nbiscoe\ndream');
      const beside = (label: string) =>
        page
          .locator('.field')
          .filter({ has: page.getByLabel(label) })
          .locator('.problem');
      await beside('Sites, one on each line').getByText('Named twice: dream.').waitFor();
      await progress.getByText('2 to correct.').waitFor();
      await progress.getByRole('button', { name: /Columns done/ }).waitFor();
      // One line for a column on a wide screen.
      await page.setViewportSize({ width: 1440, height: 900 });
      const rows = await page
        .locator('.column-row')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
      expect(rows).toHaveLength(2);
      expect(Math.max(...rows)).toBeLessThan(90);
      await beside('Name')
        .getByText('The name has 101 characters; at most 100 are allowed.')
        .waitFor();
      await create.click();
      await page.getByLabel('Sites, one on each line').fill('a/b');
      await page.getByLabel('Name', { exact: true }).fill('Refused');
      await beside('Sites, one on each line').getByText('no slash').waitFor();
      await page.getByLabel('Deadline').fill('2020-01-01T00:00');
      await beside('Deadline').getByText('That time has passed.').waitFor();
      await create.click();
      expect(asked).toEqual([]);

      await page.getByLabel('Deadline').fill('');
      await page.getByLabel('Sites, one on each line').fill('dream');
      // What a reload finds is what the form has checked.
      await beside('Deadline').waitFor({ state: 'hidden' });
      await beside('Sites, one on each line').waitFor({ state: 'hidden' });
      await page.evaluate(
        (token) => {
          sessionStorage.setItem('suffice operator', token);
        },
        `sfo_${'x'.repeat(43)}`,
      );
      await page.reload(); // the form is still there, the sample is not
      await page.locator('.study-terms', { hasText: 'Refused' }).waitFor();
      expect(await formula(page).inputValue()).toBe('body_mass ~ bill_length');
      expect(await page.getByLabel('Sites, one on each line').inputValue()).toBe('dream');
      watched.mark();
      await create.click();
      await page.getByText('This coordinator does not know this token.').waitFor();
      expect(asked).toEqual(['POST /studies']);
      await page.getByLabel('Operator’s token').fill(operator);
      await page.getByRole('button', { name: 'Open' }).click();

      await watched.context.route('**/studies', (route) => route.abort());
      await create.click();
      await said.getByText('Cannot reach the coordinator').waitFor();
      expect(await names()).toEqual(before);
      watched.expectDiscretion(served.address, [operator]);
    },
  );

  it.runIf(enduring)(
    'is loaded from JSON as it stands, kept through a reload, emptied after a question, and created as a draft',
    async (context) => {
      const watched = await formOf(context);
      const { page, asked } = watched;
      const json = readFileSync(penguinPath('study.json'), 'utf8');
      const digest = studyDigest(parseStudy(JSON.parse(json)));
      const load = async (text: string) => {
        await page.getByLabel('Load a study or a codebook').fill(text);
        await page.getByRole('button', { name: 'Load it' }).click();
      };
      watched.mark();
      await load('{"schema": "suffice/study@1"');
      await page.getByText('It is not JSON.').waitFor();
      await load('{"schema": "suffice/study@1", "formula": 3}');
      await page
        .getByRole('alert')
        .getByText(/formula/i)
        .first()
        .waitFor();
      await load(json);
      await page.locator('.study-terms .digest', { hasText: digest }).waitFor();
      await page.getByLabel('Sites, one on each line').fill('dream\nbiscoe');
      await page.getByText('2 sites are invited').waitFor();
      expect(asked).toEqual([]);
      // What was typed a moment ago is not in the JSON yet: so it cannot be kept.
      const barred = await page.getByLabel('Sites, one on each line').evaluate(async (field) => {
        field.dispatchEvent(new Event('input', { bubbles: true }));
        await new Promise((resolve) => setTimeout(resolve, 20));
        const keeps = [...document.querySelectorAll('details button')].filter(({ textContent }) =>
          /^(Copy|Download study.json)$/.test(`${textContent}`),
        );
        return keeps.map((button) => button.ariaDisabled);
      });
      expect(barred).toEqual(['true', 'true']);

      await page.reload();
      await page.locator('.study-terms .digest', { hasText: digest }).waitFor();
      const start = page.getByRole('button', { name: 'Start over' });
      await start.click();
      await page.getByRole('button', { name: 'Cancel' }).click();
      expect(await page.getByLabel('Sites, one on each line').inputValue()).toBe('dream\nbiscoe');

      await page.getByText('Draft, and expiry of the links').click();
      await page.getByLabel('Create a draft').check();
      await page.getByRole('button', { name: 'Create the draft' }).click();
      await page.getByRole('heading', { name: 'penguins is a draft' }).waitFor();
      const [stored] = await requestStudies(served.address, operator);
      expect(stored).toMatchObject({ digest, state: 'draft' });

      await page.getByRole('link', { name: 'Go to the study' }).click();
      await page.getByRole('button', { name: 'Open the study' }).waitFor();
      await page.goto(`${served.address}/create`);
      await page.getByRole('heading', { name: 'A sample' }).waitFor();
      expect(await formula(page).inputValue()).toBe(''); // what was created is no draft any more
      await formula(page).fill('y ~ x');
      await start.click();
      await page.getByRole('button', { name: 'Empty it' }).click();
      await page.waitForFunction(() => sessionStorage.getItem('suffice plan') === null);
      expect(await formula(page).inputValue()).toBe('');
      watched.expectDiscretion(served.address, [operator]);
    },
  );
});
