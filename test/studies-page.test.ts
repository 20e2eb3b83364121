import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Served, serve } from '../src/node/server/serve.ts';
import { postStudy, studyClient } from '../src/protocol/client.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import { temporaryFolder } from './cli.ts';
import { enduring } from './endurance.ts';
import { eventually } from './eventually.ts';
import { fileBrowser } from './file-browser.ts';
import { fileOf, study } from './http-study.ts';
import { watchedPage } from './watched-page.ts';

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

describe('the list of studies', () => {
  it('asks for the operator’s token, refuses another, and keeps it in the tab until it is told to forget', async (context) => {
    const watched = await watchedPage(present(context));
    const { page, asked } = watched;
    await page.goto(`${served.address}/#sfo_cut-off`);
    await page.getByText('The token in this link is not complete.').waitFor();
    await expect.poll(() => page.url()).toBe(`${served.address}/`);
    expect(asked.filter((one) => one.includes('/studies'))).toEqual([]);
    await page.goto(`${served.address}/`);
    await page.reload();
    await page.getByRole('heading', { name: 'You run this coordinator' }).waitFor();
    expect(await page.getByText('The token in this link').count()).toBe(0);
    // A stranger first reads what this is and what can be tried; the token is asked for last.
    await page.getByRole('img', { name: /^Three hospitals keep their rows/ }).waitFor();
    expect(await page.locator('main h2').allTextContents()).toEqual([
      'See a study',
      'Try the method',
      'Read about it',
      'Your site was invited',
      'You run this coordinator',
    ]);
    expect(await page.getByRole('link', { name: 'Open the lab' }).getAttribute('href')).toBe(
      `${served.address}/lab`,
    );
    const field = page.getByLabel('Operator’s token');
    const open = page.getByRole('button', { name: 'Open' });
    await page.waitForLoadState('networkidle');

    watched.mark();
    await field.fill('letmein');
    await open.click();
    await page.getByText('This is not an operator’s token.').waitFor();
    expect(asked).toEqual([]);

    const wrong = `sfo_${'x'.repeat(43)}`;
    await field.fill(wrong);
    await open.click();
    await page.getByText('This coordinator does not know this token.').waitFor();
    expect(asked.filter((one) => one !== 'GET /assets')).toEqual(['GET /studies']);
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);

    await field.fill(`${served.address}/#${operator}`); // the link that holds it does as well
    await open.click();
    await page.getByRole('heading', { name: 'No study yet' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Create your first study' }).click();
    await page.getByRole('heading', { name: 'New study' }).waitFor();
    await page.goBack();

    await page.getByRole('button', { name: 'Forget the token' }).click();
    await field.waitFor();
    await page.reload();
    await field.waitFor();
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain('sfo_');
    watched.expectDiscretion(served.address, [operator, wrong]);
  });

  it.runIf(enduring)(
    'shows each study with its state, newest first, and leads to its page',
    async (context) => {
      const sites = ['aachen', 'bonn'];
      const named = (name: string) => ({ ...study, name, quorum: { sites: 2 } });
      const make = (name: string, draft = false) =>
        postStudy(served.address, operator, { study: named(name), sites, draft });
      await make('Kept for later', true);
      const half = await make('Half done');
      const full = await make('All in');
      const send = (created: typeof half, name: string, site: string) => {
        const { token } = created.invitations.find((one) => one.site === site)!;
        const { id, coordinatorKey } = created;
        return studyClient({
          coordinator: served.address,
          purpose: 'join',
          study: id,
          token,
          coordinatorKey,
        }).contribute(fileOf(site, createSigningKey(), { about: named(name) }));
      };
      await send(half, 'Half done', 'bonn');
      for (const site of sites) await send(full, 'All in', site);
      await eventually(async () => {
        const { id, coordinatorKey, adminToken: token } = full;
        const place = { coordinator: served.address, study: id, coordinatorKey };
        await studyClient({ ...place, purpose: 'study', token }).resolution('latest');
      });

      const watched = await watchedPage(present(context));
      const { page } = watched;
      await page.goto(`${served.address}/#${operator}`);
      await page.getByRole('listitem').first().waitFor();
      const lines = await page.locator('.studies > li').allTextContents();
      const parts = lines.map((line) => [
        /^(All in|Half done|Kept for later)(\w+?)y ~ x/.exec(line)?.slice(1).join(': '),
        /\d of \d sites have contributed/.exec(line)?.[0],
        /no result yet|resolution \d+/.exec(line)?.[0],
      ]);
      expect(parts).toEqual([
        ['All in: resolved', '2 of 2 sites have contributed', 'resolution 1'],
        ['Half done: collecting', '1 of 2 sites have contributed', 'no result yet'],
        ['Kept for later: draft', '0 of 2 sites have contributed', 'no result yet'],
      ]);
      await expect.poll(() => page.url()).toBe(`${served.address}/`); // the token is gone from the address
      expect(await page.getByLabel('Search').count()).toBe(0);
      for (const name of ['Delta', 'Alpha', 'Gamma', 'Beta']) await make(name, true);
      await page.reload();
      const titles = () => page.locator('.studies h2').allTextContents();
      await page.getByLabel('Order').selectOption('by name');
      await expect
        .poll(titles)
        .toEqual(['All in', 'Alpha', 'Beta', 'Delta', 'Gamma', 'Half done', 'Kept for later']);
      await page.getByLabel('Search').fill('draft a');
      await expect.poll(titles).toEqual(['Alpha', 'Beta', 'Delta', 'Gamma', 'Kept for later']);
      await page.getByLabel('Search').fill('half collecting');
      await page.getByText('1 of 7 studies').waitFor();
      await page.getByRole('link', { name: 'Half done' }).click();
      await page.getByRole('heading', { name: 'Half done' }).waitFor();
      expect(await page.getByText('1 of 2 sites have contributed').count()).toBe(1);

      // The address names the study, not who looks at it: another browser asks.
      const { coordinatorKey } = half;
      const address = `${served.address}/study#${half.id}.${coordinatorKey}`;
      await expect.poll(() => page.url()).toBe(address);
      const cold = await watchedPage(present(context));
      await cold.page.goto(address);
      await cold.page.getByRole('heading', { name: 'This page is for the operator' }).waitFor();
      expect(cold.asked.filter((one) => one.includes('/studies'))).toEqual([]);
      await cold.page.getByLabel('Operator’s token').fill(operator);
      await cold.page.getByRole('button', { name: 'Open' }).click();
      await cold.page.getByRole('heading', { name: 'Half done' }).waitFor();
      await expect.poll(() => cold.page.url()).toBe(address);
      cold.expectDiscretion(served.address, [operator]);
      watched.expectDiscretion(served.address, [operator]);
    },
  );
});
