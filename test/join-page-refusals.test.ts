import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { linkText } from '../src/protocol/link.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import type { Study } from '../src/study/study.ts';
import { launchBrowser } from './browser.ts';
import { temporaryFolder } from './cli.ts';
import { type PageVisit, pageVisit, people, recovery, shelfOf, tamper } from './join-page.ts';
import { type ServedStudy, servedStudy } from './served-study.ts';

const root = temporaryFolder();
const folderOf = () => mkdtempSync(join(root, 'test-'));

let browser: Browser | undefined;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

function present(context: TestContext): Browser {
  if (browser === undefined) return context.skip('no browser on this machine');
  return browser;
}

/** That nothing has left: not over the wire, not into the ledger, not to the coordinator's store. */
async function nothingLeft(visit: PageVisit, { admin }: ServedStudy): Promise<void> {
  const told = (paths: readonly string[]) => paths.filter((path) => !path.includes('/assets/'));
  expect(told(visit.asked)).toEqual([]);
  expect(visit.received()).toEqual([]);
  expect(await visit.page.getByRole('button', { name: /^Send / }).count()).toBe(0);
  for (const shelf of ['lines', 'outbox', 'receipts', 'rows']) {
    expect(await shelfOf(visit.page, shelf)).toEqual({});
  }
  const { entries } = await admin.auditLog();
  expect(entries.filter(({ event }) => event === 'contributed')).toEqual([]);
}

const header = 'age,treatment,days\n';
const and = (line: string) => `${people(60)}${line}\n`;

/** Files that come to nothing: what the page says of each, and what it must never repeat. */
const files: readonly {
  readonly why: string;
  readonly name?: string;
  readonly content: string | Buffer;
  readonly says: readonly (string | RegExp)[];
  readonly secret?: string;
}[] = [
  { why: 'empty', content: '', says: ['the file is empty'] },
  { why: 'a header without rows', content: header, says: ['no data rows'] },
  {
    why: 'no usable row',
    content: `${header}NA,new,12\n30,control,NA\n`,
    says: ['no row can be used'],
  },
  {
    why: 'not a table',
    name: 'rows.parquet',
    content: Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(64, 7)]),
    says: ['rows.parquet'],
  },
  { why: 'NUL bytes', content: Buffer.from([97, 44, 0, 98, 10, 49]), says: ['NUL'] },
  {
    why: 'a column that is absent',
    content: people(60).replace('treatment', 'arm'),
    says: ['does not fit the study', 'treatment', 'the file has no such column'],
  },
  {
    why: 'another unit',
    content: and('640,new,12').replace(/^(\d+\.\d),/gm, (_, age) => `${age * 10},`),
    says: ['not all numbers are from 18 to 100 years', 'ten times too large'],
  },
  {
    why: 'texts that are no levels',
    content: and('44,placebo-of-mr-smith,12'),
    says: ['treatment', 'one text is not among its levels'],
    secret: 'placebo-of-mr-smith',
  },
  {
    why: 'latin1 read as UTF-8',
    content: Buffer.concat([Buffer.from(people(60)), Buffer.from('44,n\xe9w,12\n', 'latin1')]),
    says: ['not valid UTF-8', 'row 61', 'The encoding is the likely cause'],
  },
  {
    why: 'a ragged row',
    content: and('44,new'),
    says: ['row 61'],
  },
  {
    why: 'too few rows for the rules',
    content: people(9),
    says: ['Refused by R0', 'nothing may leave'],
  },
  {
    why: 'a small level',
    content: people(120, 60),
    says: ['Refused by R3', 'R3', 'refuses'],
  },
];

describe('nothing leaves by the page', () => {
  it('of a file that does not fit, cannot be read, or breaks a rule', async (context) => {
    const running = await servedStudy(folderOf(), recovery, ['north', 'south']);
    const visit = await pageVisit(present(context), running, 'north');
    const { page } = visit;
    await visit.come();
    await visit.ready();
    visit.mark();
    for (const { why, name = 'rows.csv', content, says, secret } of files) {
      await visit.give(name, content);
      await visit.heading(/cannot be used|does not fit|did not work|What I read/);
      const text = await visit.text();
      for (const words of says) expect(text, why).toMatch(insensitive(words));
      if (secret !== undefined) expect(text).not.toContain(secret);
      await nothingLeft(visit, running);
      const another = page.getByRole('button', { name: 'Choose another file' });
      if ((await another.count()) > 0) await another.click();
    }
    await page.getByText('How the file is read').click();
    await page.getByLabel('Rows with missing cells').selectOption('refuse');
    await visit.give('rows.csv', people(60));
    await visit.heading(/cannot be used/);
    expect(await visit.text()).toMatch(/rows\.csv, row 8, column “treatment”/);
    await nothingLeft(visit, running);
  });

  it('of what was not approved, or whose reading was stopped', async (context) => {
    const folder = folderOf();
    const running = await servedStudy(folder, recovery, ['north', 'south']);
    const visit = await pageVisit(present(context), running, 'north');
    const { page } = visit;
    await visit.come();
    await visit.ready();
    visit.mark();
    await visit.give('rows.csv', people(300, 20));
    await visit.heading('What would leave');
    await page.getByRole('button', { name: /^Send / }).click({ force: true });
    await page.getByRole('button', { name: 'Save the contribution' }).click({ force: true });
    expect(await visit.text()).toContain('acknowledge first what R7 warns of');
    await page.getByRole('button', { name: 'Do not send' }).click();
    await nothingLeft(visit, running);

    const large = join(folder, 'large.csv');
    const lines = people(50_000).slice(header.length);
    writeFileSync(large, header + lines.repeat(80));
    await page.locator('input[type=file]').setInputFiles(large);
    await page.getByRole('progressbar').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('You stopped the reading').waitFor({ timeout: 2000 });
    await nothingLeft(visit, running);
    await visit.give('rows.csv', people(60));
    await visit.heading('What would leave');
  });

  it('with a link that is not, or no longer, an invitation to this study', async (context) => {
    const browser = present(context);
    const running = await servedStudy(folderOf(), recovery, ['north', 'gone'], {
      draft: true,
    });
    const { created, admin, link } = running;
    await admin.revoke('gone');
    const visit = await pageVisit(browser, running, 'north');
    const { page, address } = visit;
    const own = link('north', address);
    const cases: readonly (readonly [string, RegExp])[] = [
      [`${address}/join`, /link is not complete/],
      [linkText(own).slice(0, -5), /link is not complete/],
      [linkText({ ...own, token: created.adminToken }), /link of who runs the study/],
      [linkText(link('gone', address)), /invitation does not work/],
      [linkText({ ...own, coordinatorKey: createSigningKey().key }), /another key/],
      [linkText({ ...own, study: '0123456789abcdef' }), /another study|no such study/],
      [linkText(own), /not open yet/],
    ];
    for (const [address, words] of cases) {
      await page.goto('about:blank');
      await page.goto(address);
      await page.locator('.notice').first().waitFor();
      expect(await visit.text()).toMatch(words);
      expect(await page.locator('input[type=file]').count()).toBe(0);
    }
    await admin.open();
    await page.getByRole('button', { name: 'Look again' }).click();
    await visit.ready();
  });

  it('where the browser keeps nothing, or its ledger was changed', async (context) => {
    const running = await servedStudy(folderOf(), recovery, ['north', 'south', 'east']);
    const visit = await pageVisit(present(context), running, 'north');
    const { page } = visit;
    await visit.come();
    await visit.ready();
    await visit.give('rows.csv', people(60));
    await visit.heading('What would leave');
    await visit.approve();
    await visit.heading('Sent and acknowledged');
    const lines = await shelfOf(page, 'lines');
    const [receipt] = Object.keys(await shelfOf(page, 'receipts'));
    const [tags] = Object.keys(await shelfOf(page, 'rows'));
    const own = await shelfOf(page, 'own');
    const changed = String(lines['1']).replace('"rows":59', '"rows":58');
    expect(changed).not.toBe(lines['1']);
    const acts: readonly (readonly [string, string | number, unknown, unknown, RegExp])[] = [
      ['lines', 1, changed, lines['1'], /line 1 of ledger.jsonl was changed/],
      ['lines', 1, null, lines['1'], /ends at line 0; it had 1/],
      ['own', 'ledger.secret', null, own['ledger.secret'], /ledger.secret is missing/],
      ['own', 'ledger.head', null, own['ledger.head'], /ledger.head is missing/],
      ['rows', tags, null, undefined, /tags of rows are missing/],
    ];
    expect(receipt).toContain('north');
    for (const [shelf, name, value, back, words] of acts) {
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
    expect(await other.text()).toMatch(/this browser keeps nothing.*npx suffice join/is);
    expect(await other.page.locator('input[type=file]').count()).toBe(0);
  });

  it('that the coordinator refuses, and the page says why', async (context) => {
    const browser = present(context);
    const running = await servedStudy(folderOf(), recovery, ['north', 'south', 'east', 'west']);
    const { admin } = running;
    const spentStudy: Study = {
      ...recovery,
      name: 'Spent',
      privacy: { epsilon: 2, delta: 1e-5, unit: 'row' },
    };
    const spent = await servedStudy(folderOf(), spentStudy, ['north', 'south']);
    const from = async (study: ServedStudy, site: string) => {
      const visit = await pageVisit(browser, study, site);
      await visit.come();
      await visit.ready();
      await visit.give('rows.csv', people(site === 'south' ? 240 : 300));
      await visit.heading('What would leave');
      return visit;
    };
    const sent = async (visit: PageVisit) => {
      await visit.approve();
      await visit.heading('Sent and acknowledged');
    };
    const refused = async (visit: PageVisit, words: RegExp) => {
      visit.mark();
      await visit.approve();
      await visit.heading('It was not taken');
      expect(await visit.text()).toMatch(words);
      const methods = visit.received().map(({ method }) => method);
      expect(methods.filter((method) => method === 'POST')).toHaveLength(1);
      expect(await shelfOf(visit.page, 'outbox')).toEqual({});
      expect(Object.values(await shelfOf(visit.page, 'receipts'))).toEqual([]);
    };
    // Two browsers of one site: the first one's key and number count.
    const first = await from(running, 'north');
    const second = await from(running, 'north');
    await sent(first);
    await refused(second, /another key|key of/);
    // Shut out between reading and sending.
    const shutOut = await from(running, 'east');
    await admin.revoke('east');
    await refused(shutOut, /no valid token|revoked/);
    // Late is taken, and said.
    const late = await from(running, 'west');
    await sent(await from(running, 'south'));
    await admin.close();
    await late.approve();
    await late.heading('Sent and acknowledged');
    expect(await late.text()).toContain('after the study had closed');
    // Spent: another site's total is published already.
    const tardy = await from(spent, 'north');
    await sent(await from(spent, 'south'));
    await spent.admin.close();
    for (let k = 0; k < 200 && (await spent.admin.resolutions()).length === 0; k++) {
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    await refused(tardy, /budget is spent/);
    expect((await admin.auditLog()).entries.filter(isContribution)).toHaveLength(3);
    expect((await spent.admin.auditLog()).entries.filter(isContribution)).toHaveLength(1);
  });
});

const isContribution = ({ event }: { readonly event: string }) => event === 'contributed';

function insensitive(words: string | RegExp): RegExp {
  if (typeof words !== 'string') return words;
  return new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
}
