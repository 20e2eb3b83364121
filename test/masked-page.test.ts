import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { requestStudies } from '../src/protocol/client.ts';
import { type Link, linkText, parseLink } from '../src/protocol/link.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { enduring } from './endurance.ts';
import { fileBrowser } from './file-browser.ts';
import { pageVisit } from './join-page.ts';
import { penguins, secureSetting } from './secure-setting.ts';
import { watchedPage } from './watched-page.ts';

const folder = temporaryFolder();
const present = fileBrowser();
const setting = await secureSetting(folder, ['dream', 'torgersen']);
const { served } = setting;
const operator = readFileSync(served.operatorTokenFile!, 'utf8').trim();
const biscoe = readFileSync(penguins('biscoe.csv'));

// Half a minute on a busy machine, so only `npm run endure` has it.
it.runIf(enduring)(
  'a study whose sites agree on masks is made by form, and joined in a tab that is reloaded on its way',
  async (context) => {
    const browser = present(context);
    const running = { served } as Parameters<typeof pageVisit>[1];
    const visit = await pageVisit(browser, running, 'biscoe');
    await visit.page.goto(`${visit.address}/join`);
    await visit.heading('The key of this browser');
    const key = (await visit.page.locator('code.digest').textContent())!;
    const known = readFileSync(join(folder, 'roster.txt'), 'utf8').split('\n').slice(1).join('\n');

    const analyst = await watchedPage(browser);
    const { page } = analyst;
    await page.goto(`${served.address}/create#${operator}`);
    await page.getByText('As JSON: view, download, load').click();
    const study = { ...JSON.parse(readFileSync(penguins('study.json'), 'utf8')), name: 'By masks' };
    await page.getByLabel('Load a study or a codebook').fill(JSON.stringify(study));
    await page.getByRole('button', { name: 'Load it' }).click();
    await page.locator('.study-terms', { hasText: 'By masks' }).waitFor();
    await page.getByRole('radio', { name: 'The sites, by masks' }).focus();
    await page.keyboard.press('Space');
    await page.getByLabel(/^Minutes of each stage/).fill('0');
    await page.locator('.problem', { hasText: 'It must be a whole number' }).waitFor();
    await page.getByLabel(/^Minutes of each stage/).fill('');
    await page.getByLabel(/^Roster/).fill(`biscoe ${key}\n${known}`);
    await page.getByLabel(/^Fewest sites/).fill('3');
    await page.getByText('The 3 sites of the roster are invited').waitFor();
    await page.getByRole('button', { name: 'Create the study' }).click();
    await page.getByRole('heading', { name: /By masks/ }).waitFor();
    const links = (await page.locator('code.secret').allTextContents()).map(
      (text) => parseLink(text) as Link,
    );
    const linkOf = (site: string, coordinator = served.address): Link => ({
      ...links[['', 'biscoe', 'dream', 'torgersen'].indexOf(site)],
      coordinator,
    });

    // The tab sends keys, and waits; nothing about the rows has left. After a reload it goes on with the same keys.
    const bodies = () =>
      visit
        .received()
        .filter(({ method }) => method === 'POST')
        .map(({ path, body }) => [path.replace(/.*\//, ''), body.toString()]);
    for (const _ of ['first', 'again']) {
      await visit.come({ link: linkOf });
      await visit.ready();
      visit.mark();
      await visit.give('biscoe.csv', biscoe);
      await visit.heading('Agreeing on masks with the other sites');
      await visit.page.getByText('1 of 3 keys of the sites').waitFor();
    }
    const sent = bodies();
    expect(new Set(sent.map(([path]) => path))).toEqual(new Set(['masks']));
    expect(new Set(sent.map(([, body]) => JSON.parse(body).schema))).toEqual(
      new Set(['suffice/mask-keys@1']),
    );

    // A second tab of the same site is refused: it would make other keys.
    const other = await visit.context.newPage();
    await other.goto(linkText(linkOf('biscoe', visit.address)));
    await other.locator('.tag', { hasText: 'Ready for your file' }).waitFor();
    const file = { name: 'biscoe.csv', mimeType: 'text/csv', buffer: biscoe };
    await other.locator('input[type=file]').first().setInputFiles(file);
    await other.getByText('Another tab of this browser takes part').waitFor();
    await other.close();

    const joined = setting.sites.map((site) => {
      const invitation = join(folder, `${site}.invitation`);
      writeFileSync(invitation, `${linkText(linkOf(site))}\n`, { mode: 0o600 });
      const flags = ['--yes', '--quiet', '--acknowledge', 'R6,R7', '--home', setting.home(site)];
      return suffice('join', invitation, penguins(`${site}.csv`), ...flags);
    });
    await visit.heading('What will be sent');
    visit.mark();
    await visit.approve();
    await visit.heading('Sent and acknowledged');
    await visit.heading('Helping to open the sum');
    await visit.page.reload();
    await visit.heading('Your site has contributed');
    expect(await visit.page.getByText('To send more').count()).toBe(0);
    await visit.page.getByText('Done: this tab can be closed.').waitFor();
    for (const outcome of await Promise.all(joined)) {
      expect([outcome.code, outcome.stderr]).toEqual([0, expect.stringMatching(/masks: done/)]);
    }
    expect(bodies().map(([path]) => path)).toContain('contributions');
    expect(visit.complaints).toEqual([]);

    // The sum is that of one file; the site is not asked again.
    const admin = join(folder, 'by-masks.link');
    writeFileSync(admin, `${linkText(linkOf(''))}\n`, { mode: 0o600 });
    const report = JSON.parse((await suffice('report', admin, '--wait', '--json')).stdout);
    const [view] = await requestStudies(served.address, operator);
    const path = join(folder, 'by-masks.json');
    writeFileSync(path, JSON.stringify(view.study));
    const files = ['biscoe', ...setting.sites].map((site) => penguins(`${site}.csv`));
    const { digest } = JSON.parse((await suffice('fit', path, ...files, '--json')).stdout);
    expect(report.digest).toBe(digest);
    await visit.page.reload();
    await visit.heading('Your site has contributed');
    expect(await visit.page.getByText('Helping to open the sum').count()).toBe(0);
  },
);
