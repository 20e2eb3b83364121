import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { linkText } from '../src/protocol/link.ts';
import { parseStudy } from '../src/study/schema.ts';
import { launchBrowser } from './browser.ts';
import { temporaryFolder } from './cli.ts';
import { servedStudy } from './served-study.ts';
import { runSuffice } from './site-process.ts';

const folder = temporaryFolder();
const penguins = (name: string) =>
  fileURLToPath(new URL(`../examples/penguins/${name}`, import.meta.url));

describe('the page of a study, in a real browser', () => {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser?.close());

  it('shows arrivals and the model as they come, and keeps the secret out of every address', async (context) => {
    if (browser === undefined) return context.skip('no browser on this machine');
    const sites = ['biscoe', 'torgersen'];
    const study = parseStudy(JSON.parse(readFileSync(penguins('study.json'), 'utf8')));
    const running = await servedStudy(mkdtempSync(join(folder, 'page-')), study, sites);
    const { created, served, link } = running;
    const page = await browser.newPage();
    const asked: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => asked.push(request.url().split('#')[0]));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));

    const admin = { ...link('biscoe'), purpose: 'study' as const, token: created.adminToken };
    await page.goto(linkText(admin));
    await page.getByText('Sites: 0 of 2 have contributed').waitFor();
    for (const site of sites) {
      const home = join(folder, site);
      const args = ['join', running.invitation(site), penguins(`${site}.csv`), '--yes'];
      const { code, stderr } = await runSuffice([
        ...args,
        '--acknowledge',
        'R6,R7',
        '--home',
        home,
      ]);
      expect(code, stderr).toBe(0);
    }
    await page.getByText('Resolution 1').waitFor();
    expect(await page.locator('#state').textContent()).toBe('resolved');
    expect(await page.getByRole('row', { name: 'biscoe' }).textContent()).toContain('163');
    const { report } = await running.admin.resolution('latest');
    expect(await page.locator('.digest').textContent()).toBe(report.digest);
    expect(complaints).toEqual([]);
    expect(asked.filter((url) => !url.startsWith(served.address))).toEqual([]);
    expect(asked.filter((url) => url.includes(created.adminToken))).toEqual([]);
  });
});
