import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { parseStudy } from '../src/fusion/study-schema.ts';
import { verifyAuditLog } from '../src/protocol/audit-chain.ts';
import { postStudy, studyClient } from '../src/protocol/client.ts';
import { deviceName } from '../src/protocol/enrolment.ts';
import { type Link, linkText, parseLink } from '../src/protocol/link.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import { ownLink } from '../src/site/enrol.ts';
import { studyDigest, type TableStudy } from '../src/study/study.ts';
import { temporaryFolder } from './cli.ts';
import { coordinatorHome, stablePort, startCoordinator } from './coordinator-process.ts';
import { chosen, enduring } from './endurance.ts';
import { eventually } from './eventually.ts';
import { fileBrowser } from './file-browser.ts';
import { fileOf, study as plain } from './http-study.ts';
import { servedStudy } from './served-study.ts';
import { watchedPage } from './watched-page.ts';

const root = temporaryFolder();
const folderOf = () => mkdtempSync(join(root, 'test-'));
const study: TableStudy = { ...plain, name: 'Three wards', quorum: { sites: 2 } };
const sites = ['aachen', 'bonn', 'celle'];
const keys = new Map(sites.map((site) => [site, createSigningKey()]));

const present = fileBrowser();

const byteText = (bytes: number) =>
  bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} kB`;
const file = (site: string) => fileOf(site, keys.get(site)!, { about: study });
const send = (site: string, link: Link) => studyClient(link).contribute(file(site));

function rowOf(page: Page, site: string) {
  return page.getByRole('row', { name: new RegExp(`^${site}`) });
}

function stands(page: Page, site: string, ...texts: readonly string[]): Promise<unknown> {
  return Promise.all(
    texts.map((text) => rowOf(page, site).getByText(text, { exact: true }).first().waitFor()),
  );
}

async function downloaded(page: Page, button: string): Promise<string> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ]);
  return readFileSync(await file.path(), 'utf8');
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

describe('the page of a private study', () => {
  it.runIf(enduring)('shows neither rows nor bytes of a site', async (context) => {
    const hidden: TableStudy = { ...study, privacy: { epsilon: 2, delta: 1e-6, unit: 'row' } };
    const { created, link } = await servedStudy(folderOf(), hidden, sites);
    const { page } = await watchedPage(present(context));
    const own: Link = { ...link('aachen'), purpose: 'study', token: created.adminToken };
    await studyClient(link('aachen')).contribute(
      fileOf('aachen', keys.get('aachen')!, { about: hidden }),
    );
    await page.goto(linkText(own));
    await stands(page, 'aachen', 'contributed');
    const text = await page.locator('main').textContent();
    expect(text).toContain('The study is private: the rows and bytes of each site are not shown.');
    expect(text).toContain('FedAvg in 100 rounds would send');
    expect(text).not.toMatch(/bytes up|bytes down|left out|in total/i);
  });
});

describe('the page of a study', () => {
  it('counts devices and lists none: no empty table, no 0 of 0 sites', async (context) => {
    const open = { open: { atMost: 5 } };
    const { created, admin, served } = await servedStudy(folderOf(), study, [], open);
    const place = { coordinator: served.address, study: created.id, digest: created.digest };
    const shared: Link = {
      ...{ ...place, coordinatorKey: created.coordinatorKey },
      ...{ purpose: 'join', token: created.openToken! },
    };
    const enrolled = ['aachen', 'bonn'].map((site) => keys.get(site)!);
    const [first] = await Promise.all(
      enrolled.map((key) => ownLink(shared, { key: async () => key })),
    );
    await studyClient(first).contribute(
      fileOf(deviceName(created.digest, enrolled[0].key), enrolled[0], { about: study }),
    );
    const { page } = await watchedPage(present(context));
    await page.goto(linkText({ ...shared, purpose: 'study', token: created.adminToken }));
    await page.getByText('1 of 2 devices have contributed').waitFor();
    const shown = async () => (await page.locator('main').textContent()) ?? '';
    expect(await shown()).toContain(
      'Collects while devices can enrol, or until you close it with at least 2.',
    );
    expect(await shown()).not.toMatch(/\b0 sites|of 0\b|bytes up|In total/);
    expect(await page.locator('table.sites').count()).toBe(0);
    const result = await watchedPage(present(context));
    const own: Link = { ...shared, purpose: 'study', token: created.adminToken };
    await result.page.goto(linkText(own).replace('/study', '/result'));
    await result.page.getByText('1 of 2 devices have contributed').waitFor();
    const waits = (await result.page.locator('main').textContent()) ?? '';
    expect(waits).toContain('when the study is closed with at least 2.');
    expect(waits).not.toMatch(/No site is missing|of 0\b/);
    expect(await result.page.locator('main table').count()).toBe(0);
    const operator = readFileSync(served.operatorTokenFile!, 'utf8').trim();
    const start = await watchedPage(present(context));
    await start.page.goto(`${served.address}/#${operator}`);
    await start.page.locator('.studies').getByText('1 of 2 devices have contributed').waitFor();
    await admin.endEnrolment();
    await page.getByText('Resolves when all 2 devices have contributed, or when').waitFor();
  });

  it('shows what happens as it happens, and does what it is told after it has asked', async (context) => {
    const running = await servedStudy(folderOf(), study, sites, { draft: true });
    const { served, created, admin, link } = running;
    const watched = await watchedPage(present(context));
    const { page, asked } = watched;
    const changes = () => asked.filter((one) => !one.startsWith('GET'));
    const own: Link = { ...link('aachen'), purpose: 'study', token: created.adminToken };
    await page.goto(linkText(own));
    await page.getByText('Sites cannot contribute before you open it.').waitFor();
    await page.evaluate(() => Object.assign(globalThis, { unloaded: false }));
    await expect(send('aachen', link('aachen'))).rejects.toMatchObject({ code: 'conflict' });

    await press(page, 'Open the study');
    await page.locator('.tag', { hasText: 'open' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await send('aachen', link('aachen'));
    await stands(page, 'aachen', 'contributed', '8');
    await page.getByText('1 of 3 sites have contributed').waitFor();
    await eventually(async () => {
      const [{ traffic = { up: 0, down: 0 } }] = (await admin.view()).sites;
      expect(traffic.up).toBeGreaterThan(file('aachen').length); // headers included
      const cells = await rowOf(page, 'aachen').getByRole('cell').allTextContents();
      expect(cells).toEqual(expect.arrayContaining([byteText(traffic.up), byteText(traffic.down)]));
    });

    // Whatever cannot be taken back asks first, and no is no.
    watched.mark();
    const colourOf = (name: string) =>
      page.getByRole('button', { name }).evaluate((one) => getComputedStyle(one).color);
    expect(await colourOf('Erase what aachen sent')).not.toBe(
      await colourOf('New link for aachen'),
    );
    const acts = [
      ['Revoke the links of bonn', 'Revoke the links of bonn?'],
      ['New link for bonn', 'A new link for bonn'],
      ['Erase what aachen sent', 'Erase what aachen sent?'],
      ['Close the study', 'Close the study?'],
    ] as const;
    for (const [act, question] of chosen(acts, 2, 3)) {
      for (const no of ['Cancel', 'Escape']) {
        await press(page, act);
        await page.getByRole('heading', { name: question }).waitFor();
        await (no === 'Cancel' ? press(page, no) : page.keyboard.press(no));
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await page.getByRole('button', { name: act }).and(page.locator(':focus')).waitFor();
      }
    }
    expect(changes()).toEqual([]); // it may look at the study again by itself
    expect((await admin.view()).sites.map(({ state }) => state)).toEqual([
      'contributed',
      'invited',
      'invited',
    ]);

    await press(page, 'Revoke the links of bonn');
    await press(page, 'Revoke');
    await stands(page, 'bonn', 'revoked');
    await expect(send('bonn', link('bonn'))).rejects.toMatchObject({ name: 'Refusal' });
    await press(page, 'New link for bonn');
    await press(page, 'Make the link');
    await page.getByText('and shown only once').waitFor();
    await page.locator('.new-link').getByRole('button', { name: 'Copy' }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const fresh = parseLink(copied);
    if ('problem' in fresh) throw new Error(fresh.problem);
    expect(fresh).toEqual({
      ...link('bonn'),
      token: expect.not.stringMatching(link('bonn').token),
    });
    await send('bonn', fresh);
    await stands(page, 'bonn', 'contributed', '8');
    await press(page, 'Done');
    expect(await page.getByText(fresh.token).count()).toBe(0);

    await page.getByLabel('Set a deadline').fill('2031-05-04T10:30');
    await press(page, 'Set it');
    await page.getByText(/or on .*2031.* with at least 2\./).waitFor();
    const { deadline } = await admin.view();
    expect(deadline).toBe(new Date('2031-05-04T10:30').toISOString());

    await press(page, 'Close the study');
    await press(page, 'Close it');
    await page.getByRole('heading', { name: 'Resolutions' }).waitFor();
    const resolution = async (number: number) => {
      const line = (await admin.resolutions()).find((one) => one.number === number);
      await page.getByRole('row', { name: line!.digest }).waitFor();
      return (await admin.resolution(number)).report;
    };
    expect((await resolution(1)).n).toBe(16);
    await page.getByText('The result is ready').waitFor();

    await send('celle', link('celle'));
    await stands(page, 'celle', '1 late');
    await page.getByLabel('Include late contributions: celle').check();
    await press(page, 'Resolve');
    await page.getByText('Resolution 2', { exact: true }).first().waitFor();
    expect((await resolution(2)).n).toBe(24);

    await press(page, 'Erase what aachen sent');
    await press(page, 'Erase it');
    await stands(page, 'aachen', 'withdrawn');
    await page.getByText('Resolution 3', { exact: true }).first().waitFor();
    expect((await resolution(3)).sites.map(({ name }) => name)).not.toContain('aachen');
    expect((await resolution(1)).n).toBe(16); // what was published stays

    await press(page, 'Reopen');
    await page.locator('.tag', { hasText: 'collecting' }).waitFor();
    expect((await admin.view()).state).toBe('collecting');

    watched.mark();
    await page.getByText('Invite another site').click();
    await page.getByLabel('Name of the site').fill('bonn');
    await press(page, 'Invite');
    await page.getByText('It is invited already').waitFor();
    expect(changes()).toEqual([]);
    await page.getByLabel('Name of the site').fill('dresden');
    await press(page, 'Invite');
    await stands(page, 'dresden', 'invited');
    expect(changes()).toHaveLength(1);

    const log = await admin.auditLog();
    await page
      .locator('.log li')
      .nth(log.entries.length - 1)
      .waitFor();
    expect(await page.locator('.log li').count()).toBe(log.entries.length);
    await page.getByText('checked', { exact: true }).waitFor();
    const kept = JSON.parse(await downloaded(page, 'Download the signed log'));
    const { digest, coordinatorKey } = created;
    expect(verifyAuditLog(kept, { studyDigest: digest, coordinatorKey })).not.toHaveProperty(
      'problem',
    );
    expect(kept.entries).toEqual(log.entries);
    const json = await downloaded(page, 'Download the study as JSON');
    expect(studyDigest(parseStudy(JSON.parse(json)))).toBe(digest);
    expect(await page.evaluate(() => Reflect.get(globalThis, 'unloaded'))).toBe(false);
    watched.expectDiscretion(served.address, [created.adminToken, fresh.token]);
  });

  it.runIf(enduring)(
    'says when the coordinator is gone, and goes on where it was once it is back',
    async (context) => {
      const chromium = present(context);
      const home = coordinatorHome({ kind: 'sqlite', address: join(folderOf(), 'store') });
      const port = await stablePort();
      const before = startCoordinator(home, port);
      await before.ready;
      const created = await postStudy(before.address, home.operatorToken, { study, sites });
      const { id, coordinatorKey, adminToken } = created;
      const place = { coordinator: before.address, study: id, coordinatorKey };
      const invited = (site: string): Link => {
        const { token } = created.invitations.find((one) => one.site === site)!;
        return { ...place, purpose: 'join', token };
      };
      const watched = await watchedPage(chromium);
      const { page } = watched;
      await page.goto(linkText({ ...place, purpose: 'study', token: adminToken }));
      await page.getByText('Live', { exact: true }).waitFor();
      await send('aachen', invited('aachen'));
      await stands(page, 'aachen', 'contributed', '8');

      await before.kill();
      await page.getByText('Reconnecting…').waitFor();
      await stands(page, 'aachen', 'contributed', '8');
      await startCoordinator(home, port).ready;
      await page.getByText('Live', { exact: true }).waitFor();
      await send('bonn', invited('bonn'));
      await stands(page, 'bonn', 'contributed', '8');
      await stands(page, 'aachen', 'contributed', '8');
      await page.getByText('2 of 3 sites have contributed').waitFor();
      await page.getByText('checked', { exact: true }).waitFor();
      watched.expectDiscretion(before.address, [adminToken]);
    },
  );

  it.runIf(enduring)(
    'renews the analyst’s link after it has asked: the old one opens nothing',
    async (context) => {
      const running = await servedStudy(folderOf(), study, sites);
      const { created, link, served, admin } = running;
      const watched = await watchedPage(present(context));
      const { page } = watched;
      const own: Link = { ...link('aachen'), purpose: 'study', token: created.adminToken };
      await page.goto(linkText(own));
      await page.getByText('Live', { exact: true }).waitFor();
      await press(page, 'Renew the analyst’s link');
      await press(page, 'Cancel');
      expect((await admin.view()).state).toBe('open'); // nothing has happened
      await press(page, 'Renew the analyst’s link');
      await press(page, 'Make the new link');
      const shown = await page.locator('.new-link code').textContent();
      const renewed = parseLink(shown ?? '');
      if ('problem' in renewed) throw new Error(renewed.problem);
      await expect(admin.view()).rejects.toMatchObject({ code: 'no-token' });
      expect((await studyClient(renewed).view()).state).toBe('open');
      await press(page, 'Done');
      await page.getByText('Live', { exact: true }).waitFor();
      await page.getByText('The analyst was given a new link').waitFor();
      watched.expectDiscretion(served.address, [created.adminToken, renewed.token]);
    },
  );

  it.runIf(enduring)(
    'tells of a log that was tampered with, and of links that open nothing',
    async (context) => {
      const running = await servedStudy(folderOf(), study, sites);
      const { created, link, served } = running;
      const watched = await watchedPage(present(context));
      const { page, context: tab } = watched;
      const own: Link = { ...link('aachen'), purpose: 'study', token: created.adminToken };
      await tab.route(/\/audit-log$/, async (route) => {
        const answer = await route.fetch();
        const log = await answer.json();
        log.entries[0].detail.sites = ['elsewhere'];
        await route.fulfill({ response: answer, json: log });
      });
      await page.goto(linkText(own));
      await page.getByRole('heading', { name: 'The study cannot be shown right now' }).waitFor();
      expect(await page.getByRole('alert').textContent()).toContain('signature');

      await tab.unroute(/\/audit-log$/);
      await tab.route(/\/events$/, async (route) => {
        const { entries } = await running.admin.auditLog();
        const position = entries.length + 1;
        const entry = { ...entries.at(-1), position, event: 'closed', detail: { reason: 'asked' } };
        const body = `id: ${position}\ndata: ${JSON.stringify(entry)}\n\n`;
        await route.fulfill({ contentType: 'text/event-stream', body });
      });
      await page.reload();
      await page.getByText('The log was changed').waitFor();
      expect(await page.getByText('checked', { exact: true }).count()).toBe(0);
      // The page asks for events again and again: the last answer may come too late.
      await tab.unrouteAll({ behavior: 'ignoreErrors' });

      await page.goto(`${served.address}/study`);
      await page.getByText('The link is not complete').waitFor();
      await page.goto(linkText({ ...own, token: `sfc_${'x'.repeat(43)}` }));
      await page.getByText('This link does not open a study').waitFor();
      await page.goto(linkText({ ...link('bonn'), purpose: 'study' }));
      await page.getByRole('heading', { name: 'What is asked' }).waitFor();
      await expect.poll(() => new URL(page.url()).pathname).toBe('/join');
      watched.expectDiscretion(served.address, [created.adminToken, link('bonn').token]);
    },
  );
});
