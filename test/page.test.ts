import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { runSuffice, suffice, temporaryFolder } from './cli.ts';
import { coordinatorHome, stablePort, startCoordinator } from './coordinator-process.ts';
import { fileBrowser } from './file-browser.ts';
import { islands, penguinPath } from './page-states.ts';
import { penguinParquet } from './penguin-parquet.ts';
import { type WatchedPage, watchedPage } from './watched-page.ts';

const folder = temporaryFolder();
const formula = 'body_mass ~ bill_length + flipper_length + sex + species';
const used = { biscoe: '163', dream: '123', torgersen: '47' };

describe('a study in a browser, from the first page to the last', () => {
  const present = fileBrowser();

  it('is created, joined from two tabs and a terminal, and read, and its report is that of suffice fit, bit for bit', async (context) => {
    const browser = present(context);
    const place = mkdtempSync(join(folder, 'page-'));
    const files = {
      biscoe: penguinPath('biscoe.csv'),
      dream: join(place, 'dream.parquet'),
      torgersen: penguinPath('torgersen.csv'),
    };
    writeFileSync(files.dream, penguinParquet('dream'));
    const home = coordinatorHome({ kind: 'sqlite', address: join(place, 'store') });
    const coordinator = startCoordinator(home, await stablePort());
    await coordinator.ready;

    const analyst = await watchedPage(browser);
    const { page } = analyst;
    await page.goto(`${coordinator.address}/#${home.operatorToken}`);
    await page.getByRole('link', { name: 'New study' }).first().click();
    await page.locator('input[type=file]').first().setInputFiles(files.biscoe);
    await page.getByText('biscoe.csv, 168 rows').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Penguins of Palmer');
    await page.getByLabel('Formula').fill(formula);
    // Biscoe has no Chinstrap penguins: what a sample cannot know, the analyst does.
    const species = page.getByRole('group', { name: 'species' });
    await species.getByLabel('Levels, one on each line').fill('Adelie\nChinstrap\nGentoo');
    await page.getByLabel('Sites, one on each line').fill(islands.join('\n'));
    await page.getByText('Explains body_mass by 6 terms').waitFor();
    await page.getByText('As JSON: view, download, load').click();
    const study = await downloaded(page, 'Download study.json');
    await page.getByRole('button', { name: 'Create the study' }).click();
    await page.getByText('These links are shown once').waitFor();
    const [, ...invitations] = await page.locator('code.secret').allTextContents();
    await page.getByRole('link', { name: 'Go to the study' }).click();
    await page.getByText('0 of 3 sites have contributed').waitFor();

    const sites: WatchedPage[] = [];
    const byTab = async (link: string, file: string) => {
      const tab = await watchedPage(browser);
      sites.push(tab);
      await tab.page.goto(link);
      await tab.page.locator('.tag', { hasText: 'Ready for your file' }).waitFor();
      await tab.page.locator('input[type=file]').first().setInputFiles(file);
      await tab.page.getByRole('heading', { name: 'What will be sent' }).waitFor();
      for (const box of await tab.page.getByRole('checkbox').all()) await box.check();
      await tab.page.getByRole('button', { name: /^Send / }).click();
      await tab.page.getByRole('heading', { name: 'Sent and acknowledged' }).waitFor();
    };
    const byCommand = async (link: string, file: string) => {
      const invitation = join(place, 'invitation');
      writeFileSync(invitation, `${link}\n`, { mode: 0o600 });
      const flags = ['--yes', '--acknowledge', 'R6,R7', '--home', join(place, 'home')];
      const { code, stderr } = await suffice('join', invitation, file, ...flags);
      expect(code, stderr).toBe(0);
    };
    const ways = { biscoe: byTab, dream: byTab, torgersen: byCommand };
    for (const [k, site] of islands.entries()) {
      await ways[site](invitations[k], files[site]);
      await page.getByText(`${k + 1} of 3 sites have contributed`).waitFor();
      const line = page.getByRole('row', { name: site });
      expect(await line.getByRole('cell', { name: used[site], exact: true }).count()).toBe(1);
    }

    await page.getByRole('link', { name: 'See the result' }).click();
    await page.getByRole('heading', { name: 'Penguins of Palmer' }).waitFor();
    await page.getByRole('heading', { name: 'Downloads' }).scrollIntoViewIfNeeded();
    const report = await downloaded(page, 'Report, JSON');
    const studyFile = join(place, 'study.json');
    writeFileSync(studyFile, study);
    const paths = islands.map((site) => files[site]);
    const fitted = await runSuffice(['fit', studyFile, ...paths, '--json']);
    expect(fitted.code, fitted.stderr).toBe(0);
    expect(report).toBe(fitted.stdout);

    const secrets = [home.operatorToken, ...invitations.map((link) => link.split('.').at(-2)!)];
    for (const tab of [analyst, ...sites]) tab.expectDiscretion(coordinator.address, secrets);
  });
});

/** The text of what a button downloads. */
async function downloaded(page: Page, button: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ]);
  return readFileSync(await download.path(), 'utf8');
}
