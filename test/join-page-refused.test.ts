import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { linkText } from '../src/protocol/link.ts';
import { type RefusalCode, refusalStatus } from '../src/protocol/refusal.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import type { TableStudy } from '../src/study/study.ts';
import { temporaryFolder } from './cli.ts';
import { chosen, enduring } from './endurance.ts';
import { fileBrowser } from './file-browser.ts';
import {
  isContribution,
  leave,
  nothingLeft,
  type PageVisit,
  pageVisit,
  people,
  recovery,
  shelfOf,
  tamper,
} from './join-page.ts';
import { type ServedStudy, servedStudy } from './served-study.ts';

const root = temporaryFolder();
const folderOf = () => mkdtempSync(join(root, 'test-'));

const present = fileBrowser();

/** A visit that has read a file and shows what would leave. */
async function ready(browser: Browser, running: ServedStudy, site: string): Promise<PageVisit> {
  const visit = await pageVisit(browser, running, site);
  await visit.come();
  await visit.ready();
  await visit.give('rows.csv', people(site === 'south' ? 240 : 300));
  await visit.heading('What will be sent');
  return visit;
}

describe('this page takes no file', () => {
  it('with a link that is not, or no longer, an invitation to this study', async (context) => {
    const browser = present(context);
    const running = await servedStudy(folderOf(), recovery, ['north', 'gone'], { draft: true });
    const { created, admin, link } = running;
    await admin.revoke('gone');
    const visit = await pageVisit(browser, running, 'north');
    const { page, address } = visit;
    const own = link('north', address);
    const elsewhere = `sha256:${'0123456789abcdef'.repeat(4)}`;
    const cases: readonly (readonly [string, RegExp])[] = [
      [`${address}/join`, /You take part with an invitation/],
      [linkText(own).slice(0, -5), /link is not complete/],
      [linkText({ ...own, token: created.adminToken }), /the analyst’s link/],
      [linkText(link('gone', address)), /invitation does not work/],
      [linkText({ ...own, coordinatorKey: createSigningKey().key }), /another key/],
      [linkText({ ...own, digest: elsewhere }), /not open a study that you are invited to/],
      [linkText(own), /not open yet/],
    ];
    // Too short, no longer valid, not yet open: one of each, the address that the page waits at last.
    for (const [place, words] of chosen(cases, 1, 3, 6)) {
      await leave(page, address);
      await page.goto(place);
      await page.locator('.notice').first().waitFor();
      expect(await visit.text()).toMatch(words);
      expect(await page.locator('input[type=file]').count()).toBe(0);
    }
    await admin.open();
    await page.getByRole('button', { name: 'Look again' }).click();
    await visit.ready();
    visit.mark();
    await nothingLeft(visit, running);
  });

  it.runIf(enduring)(
    'for a study that cannot be asked for, or comes from who knows where',
    async (context) => {
      const running = await servedStudy(folderOf(), recovery, ['north']);
      const visit = await pageVisit(present(context), running, 'north');
      const { page, address } = visit;
      const link = running.link('north', address);
      const view = await (
        await fetch(`${address}/studies/${link.study}`, {
          headers: { authorization: `Bearer ${link.token}` },
        })
      ).json();
      const answered = (body: object) => (route: Route) => route.fulfill({ json: body });
      // The only aggregation there is is plain: a study that asks for another is of a later version.
      const masked = { ...view.study, aggregation: { kind: 'masked' } };
      const cases: readonly (readonly [(route: Route) => Promise<void>, RegExp])[] = [
        [(route) => route.abort('connectionrefused'), /cannot reach the coordinator/i],
        [
          (route) => route.fulfill({ status: 502, body: 'Bad gateway' }),
          /answered with status 502/,
        ],
        [
          answered({ ...view, schema: 'suffice/view@9' }),
          /does not come from a coordinator of this version/,
        ],
        [answered({ ...view, study: masked }), /cannot be trusted: it did not send a valid study/],
        [
          answered({ ...view, study: { ...view.study, formula: 'days ~ age' } }),
          /the digest is not/,
        ],
        [answered({ ...view, layout: {} }), /the layout does not follow/],
      ];
      // One that is not to be trusted.
      for (const [answer, words] of chosen(cases, 4)) {
        await leave(page, address);
        await page.unrouteAll();
        await page.route(`${address}/studies/*`, answer);
        await page.goto(linkText(link));
        await page.locator('.notice.bad').waitFor();
        expect(await visit.text()).toMatch(words);
        expect(await visit.text()).toContain('Nothing was read, nothing was sent');
        expect(await page.locator('input[type=file]').count()).toBe(0);
      }
      await page.unrouteAll();
      await page.getByRole('button', { name: 'Try again' }).click();
      await visit.ready();

      // Not over a connection that others can read along: the answers come from here, the address is another's.
      const elsewhere = 'http://coordinator.example';
      await page.route(`${elsewhere}/**`, async (route) => {
        const url = route.request().url().replace(elsewhere, address);
        await route.fulfill({ response: await route.fetch({ url }) });
      });
      await page.goto(linkText({ ...link, coordinator: elsewhere }));
      await page.locator('.notice.bad').waitFor();
      expect(await visit.text()).toContain('without TLS');
      expect(await page.locator('input[type=file]').count()).toBe(0);
    },
  );

  it.runIf(enduring)(
    'before the page has come whole; then it is, in a browser that keeps nothing of a tab too',
    async (context) => {
      const running = await servedStudy(folderOf(), recovery, ['north']);
      const visit = await pageVisit(present(context), running, 'north');
      const { page } = visit;
      await visit.context.addInitScript(() => {
        const refuse = () => {
          throw new DOMException('denied', 'SecurityError');
        };
        Object.defineProperty(globalThis, 'sessionStorage', { get: refuse });
      });
      const lose = (part: string) =>
        visit.context.route(`**/assets/${part}-*.js`, (route) => route.abort());
      await lose('worker');
      await page.goto(linkText(running.link('north', visit.address)));
      await page.getByText('A part of this page could not be loaded.').waitFor();
      await visit.context.unrouteAll();
      // A reader that has no part for Parquet would ask for it while a file is read, if it were used.
      for (const part of chosen(['reader', 'audit-result', 'parquet'], 0)) {
        await lose(part);
        if (part === 'reader') await page.getByRole('button', { name: 'Try again' }).click();
        else await page.getByRole('button', { name: 'Reload the page' }).click();
        await visit.heading('What is asked');
        await page.getByText('A part of this page could not be loaded.').waitFor();
        await visit.give('rows.csv', people(300));
        expect(await page.locator('.tag', { hasText: 'Getting ready' }).count()).toBe(1);
        expect(await page.getByRole('heading', { name: /^Reading|What was read/ }).count()).toBe(0);
        await visit.context.unrouteAll();
      }
      await page.getByRole('button', { name: 'Reload the page' }).click();
      await visit.ready();
      visit.mark();
      await visit.give('rows.csv', people(300));
      await visit.heading('What will be sent');
      expect([visit.asked, visit.received(), visit.complaints]).toEqual([[], [], []]);
    },
  );

  it.runIf(enduring)(
    'where the browser keeps nothing, or its ledger was changed',
    async (context) => {
      const running = await servedStudy(folderOf(), recovery, ['north', 'south', 'east']);
      const visit = await ready(present(context), running, 'north');
      const { page } = visit;
      await visit.approve();
      await visit.heading('Sent and acknowledged');
      const lines = await shelfOf(page, 'lines');
      const [receipt] = Object.keys(await shelfOf(page, 'receipts'));
      const [tags] = Object.keys(await shelfOf(page, 'rows'));
      const own = await shelfOf(page, 'own');
      const changed = String(lines['1']).replace('"rows":299', '"rows":298');
      expect(changed).not.toBe(lines['1']);
      const acts: readonly (readonly [string, string | number, unknown, unknown, RegExp])[] = [
        ['lines', 1, changed, lines['1'], /line 1 of ledger.jsonl was changed/],
        ['lines', 1, null, lines['1'], /ends at line 0; it had 1/],
        ['own', 'ledger.secret', null, own['ledger.secret'], /ledger.secret is missing/],
        ['own', 'ledger.head', null, own['ledger.head'], /ledger.head is missing/],
        ['own', 'key.json', '{}', own['key.json'], /signing key of this browser cannot be read/],
        ['rows', tags, null, undefined, /row tags are missing/],
      ];
      expect(receipt).toContain('north');
      // A line; `site-ledger` and `ledger-tampering` have them all.
      for (const [shelf, name, value, back, words] of chosen(acts, 0)) {
        await tamper(page, shelf, name, value);
        await page.reload();
        await page.locator('.notice.bad').waitFor();
        expect(await visit.text()).toMatch(words);
        expect(await page.locator('input[type=file], fieldset').count()).toBe(0);
        if (back !== undefined) await tamper(page, shelf, name, back);
      }
      expect((await running.admin.auditLog()).entries.filter(isContribution)).toHaveLength(1);

      const other = await pageVisit(present(context), running, 'east');
      await other.page.goto(`${other.address}/join`);
      await other.page.evaluate(
        () =>
          new Promise<void>((resolve) => {
            const opening = indexedDB.open('suffice', 99);
            opening.onsuccess = () => resolve(opening.result.close());
          }),
      );
      await other.come();
      expect(await other.text()).toMatch(/this browser stores nothing.*npx suffice join/is);
      expect(await other.page.locator('input[type=file]').count()).toBe(0);
    },
  );
});

/** What sending the same bytes again cannot mend is given up; all else waits, as with the command line. */
const answers: readonly (readonly [RefusalCode, 'waits' | 'is given up'])[] = [
  ['too-large', 'is given up'],
  ['unprocessable', 'is given up'],
  ['too-many-requests', 'waits'],
  ['store-unavailable', 'waits'],
];

describe('nothing counts', () => {
  it.runIf(enduring)('that the coordinator refuses, and the page says why', async (context) => {
    const browser = present(context);
    const running = await servedStudy(folderOf(), recovery, ['north', 'south', 'east']);
    const { admin } = running;
    const sent = async (visit: PageVisit) => {
      await visit.approve();
      await visit.heading('Sent and acknowledged');
    };
    const refused = async (visit: PageVisit, words: RegExp) => {
      visit.mark();
      await visit.approve();
      await visit.heading('It was not accepted');
      expect(await visit.text()).toMatch(words);
      const methods = visit.received().map(({ method }) => method);
      expect(methods.filter((method) => method === 'POST')).toHaveLength(1);
      expect(Object.values(await shelfOf(visit.page, 'receipts'))).toEqual([]);
    };
    // Two browsers of one site: the first one's key and number count.
    const first = await ready(browser, running, 'north');
    const second = await ready(browser, running, 'north');
    await sent(first);
    await refused(second, /another key|key of/);
    expect(await shelfOf(second.page, 'outbox')).toEqual({});
    await second.page.getByRole('button', { name: 'Begin again' }).click();
    await second.page.getByText('has already contributed from somewhere else').waitFor();
    // Shut out between reading and sending: kept for a new invitation, and not sent by itself.
    const shutOut = await ready(browser, running, 'east');
    await admin.revoke('east');
    await refused(shutOut, /invitation no longer works.*kept in this browser/s);
    const [held] = Object.values(await shelfOf(shutOut.page, 'outbox'));
    const { token } = await admin.invite('east');
    await shutOut.come({ link: (_, at) => ({ ...running.link('east', at), token }) });
    shutOut.mark();
    await shutOut.page.getByRole('button', { name: /^Send the same/ }).click();
    await shutOut.heading('Sent and acknowledged');
    const again = shutOut.received().find(({ method }) => method === 'POST')!;
    const { release } = held as { release: { bytes: number } };
    expect(again.body.length).toBe(release.bytes);
    // Two tabs of one browser: what the second has read was not compared with what the first one sent.
    const tab = await ready(browser, running, 'south');
    const otherTab = await tab.context.newPage();
    await otherTab.goto(linkText(running.link('south', tab.address)));
    await otherTab.locator('.tag', { hasText: 'Ready for your file' }).waitFor();
    const rows = { name: 'rows.csv', mimeType: 'text/csv', buffer: Buffer.from(people(200)) };
    await otherTab.locator('input[type=file]').setInputFiles(rows);
    const send = otherTab.getByRole('button', { name: /^Send / });
    await send.waitFor();
    // Late is taken, and said.
    await admin.close();
    await sent(tab);
    expect(await tab.text()).toContain('after the study had closed');
    tab.mark();
    await send.click();
    await otherTab.getByText('another release of this site was made meanwhile').waitFor();
    // It only read the log, to see that its receipts are there.
    expect(tab.received().map(({ method }) => method)).toEqual(['GET']);
    expect((await admin.auditLog()).entries.filter(isContribution)).toHaveLength(3);
    if (!enduring) return; // `private-study` has the rest at the coordinator, the next test what becomes of such a word
    // Spent: another site's total is published already.
    const spentStudy: TableStudy = {
      ...recovery,
      name: 'Spent',
      privacy: { epsilon: 2, delta: 1e-5, unit: 'row' },
    };
    const spent = await servedStudy(folderOf(), spentStudy, ['north', 'south']);
    const tardy = await ready(browser, spent, 'north');
    await sent(await ready(browser, spent, 'south'));
    await spent.admin.close();
    for (let k = 0; k < 200 && (await spent.admin.resolutions()).length === 0; k++) {
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    await refused(tardy, /budget is spent/);
    expect(await shelfOf(tardy.page, 'outbox')).toEqual({});
    await tardy.page.getByRole('button', { name: 'Begin again' }).click();
    await tardy.page.getByText('The privacy budget of the study is spent').waitFor();
    expect(await tardy.page.locator('input[type=file]').count()).toBe(0);
    expect((await spent.admin.auditLog()).entries.filter(isContribution)).toHaveLength(1);
  });

  it.runIf(enduring)(
    'whatever the word of a refusal is: kept if the same bytes may still be taken, else given up',
    async (context) => {
      const running = await servedStudy(folderOf(), recovery, ['north']);
      const visit = await pageVisit(present(context), running, 'north');
      const { page } = visit;
      // One of each fate; `npm run endure` has them all.
      for (const [code, fate] of chosen(answers, 1, 2)) {
        await visit.come();
        await visit.ready();
        await visit.give('rows.csv', people(300));
        await visit.heading('What will be sent');
        const json = { schema: 'suffice/problem@1', code, problem: `${code} it is`, remedy: '' };
        await page.route('**/contributions', (route) =>
          route.request().method() === 'POST'
            ? route.fulfill({ status: refusalStatus[code], json })
            : route.continue(),
        );
        await visit.approve();
        await visit.heading(fate === 'waits' ? 'It has no receipt yet' : 'It was not accepted');
        expect((await visit.text())!.toLowerCase()).toContain(`${code} it is`);
        expect(Object.keys(await shelfOf(page, 'outbox'))).toHaveLength(fate === 'waits' ? 1 : 0);
        await page.unrouteAll();
        if (fate !== 'waits') continue;
        await page.getByRole('button', { name: /^Look at the study/ }).click();
        await page.getByRole('button', { name: 'Discard it' }).click();
        await visit.ready();
        expect(await shelfOf(page, 'outbox')).toEqual({});
      }
      expect((await running.admin.auditLog()).entries.filter(isContribution)).toEqual([]);
    },
  );
});
