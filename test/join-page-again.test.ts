import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { SealedErasure } from '../src/protocol/messages.ts';
import { isSealed } from '../src/protocol/signature.ts';
import { decodeContribution } from '../src/statistic/envelope.ts';
import type { PrivacyTerms, TableStudy } from '../src/study/study.ts';
import { temporaryFolder } from './cli.ts';
import { chosen, enduring } from './endurance.ts';
import { fileBrowser } from './file-browser.ts';
import {
  isContribution,
  type PageVisit,
  pageVisit,
  people,
  recovery,
  shelfOf,
  studyBeside,
} from './join-page.ts';
import { agreement } from './linear.ts';
import { servedStudy } from './served-study.ts';
import type { Fate } from './watching-proxy.ts';

const root = temporaryFolder();
const folderOf = () => mkdtempSync(join(root, 'test-'));

const present = fileBrowser();

const sha256 = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const posts = (visit: PageVisit) => visit.received().filter(({ method }) => method === 'POST');

function privately(name: string, more: Partial<PrivacyTerms> = {}): TableStudy {
  return { ...recovery, name, privacy: { epsilon: 6, delta: 1e-5, unit: 'row', ...more } };
}

async function read(visit: PageVisit, rows: string): Promise<void> {
  await visit.ready();
  await visit.give('rows.csv', rows);
  await visit.outcome();
}

async function downloaded(page: Page, press: () => Promise<void>): Promise<Buffer> {
  const [download] = await Promise.all([page.waitForEvent('download'), press()]);
  return readFileSync(await download.path());
}

/** Facts of the card on what a private release spends, by name. */
async function budget(page: Page): Promise<Readonly<Record<string, string>>> {
  const card = page.locator('section', {
    has: page.getByRole('heading', { name: 'Privacy budget' }),
  });
  const names = await card.locator('dt').allTextContents();
  const facts = await card.locator('dd').allTextContents();
  return Object.fromEntries(names.map((name, k) => [name, facts[k]]));
}

/** Script by which something happens whenever a thing is put on a shelf. */
function atShelf(shelf: string, event: string): string {
  return `{
    const { put } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.put = function (...given) {
      if (this.name === '${shelf}') queueMicrotask(() => ${event});
      return put.apply(this, given);
    };
  }`;
}

/** A study of so many columns, and rows for it. */
function wide(columns: number): { readonly study: TableStudy; readonly rows: string } {
  const names = Array.from({ length: columns }, (_, j) => `x${j}`);
  const range = [0, 1000] as const;
  const study: TableStudy = {
    ...recovery,
    name: 'Wide',
    formula: 'x0 ~ .',
    codebook: Object.fromEntries(names.map((name) => [name, { type: 'number', range }])),
    disclosure: { profile: 'none' },
  };
  const lines = Array.from({ length: columns + 50 }, (_, r) =>
    names.map((_, j) => (r * 7919 + j * 104_729 + r * j * 31) % 1000).join(','),
  );
  return { study, rows: `${[names.join(','), ...lines].join('\n')}\n` };
}

describe.runIf(enduring)('a wide contribution', () => {
  it('shows how much of it has arrived, and goes on from there after a cut', async (context) => {
    const { study, rows } = wide(800);
    const running = await servedStudy(folderOf(), study, ['north', 'south']);
    let isCut = true;
    const arrived: string[] = [];
    const visit = await pageVisit(present(context), running, 'north', ({ method, path }) => {
      if (method !== 'PUT' || !path.includes('block')) return 'pass';
      // A browser sends a PUT that was cut off again by itself, so all of the second block are.
      if (isCut && path.endsWith('/1')) return 'cut-before';
      arrived.push(path.slice(-1));
      return 'pass';
    });
    const { page } = visit;
    await visit.come();
    await read(visit, rows);
    await page.evaluate(() => {
      const seen: string[] = [];
      Object.assign(window, { seen });
      new MutationObserver(() => {
        for (const { textContent } of document.querySelectorAll('.progress'))
          seen.push(textContent!);
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    });
    await visit.approve();
    await visit.heading('It has no receipt yet');
    expect(
      await page.evaluate(() => (window as unknown as { seen: string[] }).seen.join()),
    ).toMatch(/Sending4\.\d MB of 5\.\d MB stored/);
    isCut = false;
    await visit.come();
    await page.getByRole('button', { name: /^Send the same/ }).click();
    await visit.heading('Sent and acknowledged');
    expect(arrived).toEqual(['0', '1']);
    expect((await running.admin.auditLog()).entries.filter(isContribution)).toHaveLength(1);
  });
});

describe('a site comes back to the page', () => {
  it('to send what was cut off: the same bytes, so the same noise, and they count once', async (context) => {
    const study = privately('Cut', { placement: 'local', epsilon: 3 });
    const running = await servedStudy(folderOf(), study, ['north', 'south']);
    let fate: Fate = 'cut-before';
    const visit = await pageVisit(present(context), running, 'north', ({ method }) =>
      method === 'POST' ? fate : 'pass',
    );
    const { page } = visit;
    await visit.come();
    expect(await visit.text()).toContain('You add the noise yourself');
    await read(visit, people(300));
    expect(await visit.text()).toContain('Noise has been added here');
    expect(await budget(page)).toMatchObject({
      'spent before': 'nothing',
      'this release': 'ε\u00a03.00',
    });
    const shown = await page.locator('.join-identity .digest').first().textContent();
    // Read once more, it has another noise: what is approved must be what is kept.
    await page.getByRole('button', { name: 'Do not send' }).click();
    await read(visit, people(300));
    const approved = await page.locator('.join-identity .digest').first().textContent();
    expect(approved).not.toBe(shown);
    visit.mark();
    await visit.approve();
    await visit.heading('It has no receipt yet');
    const sendAgain = async () => {
      await page.reload();
      await visit.heading(/You approved a contribution/);
      expect(await visit.text()).toContain(approved);
      expect(await page.locator('input[type=file]').count()).toBe(0);
      await page.getByRole('button', { name: /^Send the same/ }).click();
    };
    if (enduring) {
      fate = 'cut-after';
      await sendAgain();
      await page.locator('.notice.bad').waitFor();
      // It has arrived after all: the receipt is asked for, and is there.
      const before = posts(visit).length;
      await sendAgain();
      await visit.heading('Sent and acknowledged');
      expect(posts(visit)).toHaveLength(before);
    } else {
      fate = 'pass';
      await sendAgain();
      await visit.heading('Sent and acknowledged');
      expect(posts(visit).length).toBeGreaterThan(1);
    }
    // A browser repeats by itself what was cut on a connection that it had used before.
    expect(new Set(posts(visit).map(({ body }) => sha256(body)))).toEqual(new Set([approved]));
    const log = (await running.admin.auditLog()).entries.filter(isContribution);
    expect(log).toHaveLength(1);
    expect(await shelfOf(page, 'outbox')).toEqual({});
    expect(Object.keys(await shelfOf(page, 'lines'))).toEqual(['1']);
    await page.getByText('Everything this browser has sent').click();
    await page.getByText('a row has spent at most').waitFor();
    expect(await visit.text()).toMatch(/one private release a row has spent at most μ.*ε.3\.00/);
    // The noise hides one contribution: a second one of the same rows is refused.
    await page.reload();
    await page.getByLabel(/My file has all rows/).check();
    visit.mark();
    await read(visit, people(300));
    expect(await visit.text()).toContain('Refused by R11');
    expect(await visit.text()).toContain(
      'one contribution of these rows, and the study already has them',
    );
    expect(await page.getByRole('button', { name: /^Send / }).count()).toBe(0);
    expect(visit.received()).toEqual([]);
  });

  it.runIf(enduring)(
    'with rows whose privacy is spent, and nothing more of them leaves',
    async (context) => {
      const running = await servedStudy(folderOf(), privately('First'), ['north', 'south']);
      const second = await studyBeside(running, privately('Second'), ['north']);
      const third = await studyBeside(running, privately('Third', { epsilon: 5 }), ['north']);
      const visit = await pageVisit(present(context), running, 'north');
      const { page } = visit;
      await visit.come();
      expect(await visit.text()).toContain('is trusted to add noise');
      await read(visit, people(300));
      expect(await visit.text()).toContain('the coordinator is trusted to add the noise');
      expect(await budget(page)).toEqual({
        'spent before': 'nothing',
        'this release': 'ε\u00a06.00',
        'spent with it': 'ε\u00a06.00',
        'left after it': 'ε\u00a04.00',
      });
      await visit.approve();
      await visit.heading('Sent and acknowledged');
      await visit.come(second);
      await read(visit, people(300));
      const spent = await budget(page);
      expect(spent['spent before']).toBe('ε\u00a06.00');
      expect(Number(spent['spent with it'].slice(2))).toBeGreaterThan(6);
      await visit.approve();
      await visit.heading('Sent and acknowledged');
      await visit.come(third);
      await visit.ready();
      visit.mark();
      await read(visit, people(300));
      expect(await visit.text()).toContain('Refused by R11');
      expect(await visit.text()).toContain('would pass ε = 10');
      expect((await budget(page))['left after it']).toContain('over the limit');
      expect(await page.getByRole('button', { name: /^Send / }).count()).toBe(0);
      expect([visit.asked, visit.received()]).toEqual([[], []]);
      expect(Object.keys(await shelfOf(page, 'lines'))).toEqual(['1', '2']);
      expect((await third.admin.auditLog()).entries.filter(isContribution)).toEqual([]);
      // Other rows have spent nothing, unless they look like the same table exported again.
      const others = [
        [650, spent['spent with it'], true],
        [800, 'nothing', false],
      ] as const;
      for (const [rows, before, says] of chosen(others, 0)) {
        await page.getByRole('button', { name: 'Choose another file' }).click();
        await read(visit, people(rows).split('\n').toSpliced(1, 300).join('\n'));
        expect((await budget(page))['spent before']).toBe(before);
        expect(/these may be the same people/.test(String(await visit.text()))).toBe(says);
      }
    },
  );

  it.runIf(enduring)(
    'adds, replaces and withdraws, once it is said what a further file is',
    async (context) => {
      const running = await servedStudy(folderOf(), recovery, ['north', 'south']);
      const visit = await pageVisit(present(context), running, 'north');
      const { page } = visit;
      await visit.come();
      await read(visit, people(300));
      await visit.approve();
      await visit.heading('Sent and acknowledged');
      const further = [
        [/My file has only new rows/, 'add', people(700).split('\n').toSpliced(1, 300).join('\n')],
        [/My file has all rows/, 'replace', people(700)],
      ] as const;
      for (const [way, mode, rows] of chosen(further, 1)) {
        await page.reload();
        await visit.heading('Your site has contributed');
        expect(await page.locator('input[type=file]').count()).toBe(0);
        await page.getByLabel(way).check();
        await read(visit, rows);
        visit.mark();
        await visit.approve();
        await visit.heading('Sent and acknowledged');
        const [{ body }] = posts(visit);
        const { layout } = agreement(recovery);
        const decoded = decodeContribution(new Uint8Array(body), running.created.digest, layout);
        expect(decoded).toMatchObject({ contribution: { mode } });
      }
      expect((await running.admin.view()).sites[0]).toMatchObject({ n: 699, state: 'contributed' });
      await page.getByRole('button', { name: 'Withdraw from the study' }).click();
      await page.getByRole('button', { name: 'Cancel' }).click();
      expect((await running.admin.view()).sites[0].state).toBe('contributed');
      await page.getByRole('button', { name: 'Withdraw from the study' }).click();
      const text = await downloaded(page, () =>
        page.getByRole('button', { name: 'Withdraw and erase' }).click(),
      );
      const erasure: SealedErasure = JSON.parse(text.toString());
      expect(isSealed(erasure)).toBe(true);
      await page.getByText('You have left this study').waitFor();
      expect((await running.admin.view()).sites[0].state).toBe('withdrawn');
      await visit.ready();
    },
  );

  it.runIf(enduring)(
    'where what is to be kept is not: it does not leave, or is never said not to have left',
    async (context) => {
      const running = await servedStudy(folderOf(), recovery, ['north', 'south', 'west']);
      const full = 'this.transaction.abort()';
      const faults = [
        ['north', 'outbox', full, 'could not store the contribution'],
        ['south', 'lines', full, 'could not store the contribution'],
        ['west', 'lines', 'setTimeout(() => { throw new Error("no memory") })', 'has stopped'],
      ] as const;
      for (const [site, shelf, event, words] of chosen(faults, 0)) {
        const visit = await pageVisit(present(context), running, site);
        const { page } = visit;
        await visit.context.route('**/assets/worker-*.js', async (route) => {
          const response = await route.fetch();
          const body = `${atShelf(shelf, event)}\n${await response.text()}`;
          await route.fulfill({ response, body });
        });
        await visit.come();
        await read(visit, people(300));
        visit.mark();
        await visit.approve();
        await visit.heading(site === 'north' ? 'It was not accepted' : 'It has no receipt yet');
        const told = await page.locator('.join-place').textContent();
        expect(told).toContain(words);
        expect(told?.includes('nothing was sent')).toBe(site === 'north');
        expect(posts(visit)).toHaveLength(site === 'north' ? 0 : 1);
        if (site === 'north') continue;
        if (site === 'south') await visit.context.setOffline(true);
        await page.getByRole('button', { name: 'Look at the study, then send again' }).click();
        if (site === 'west') {
          await visit.heading(/You approved a contribution/);
          continue;
        }
        await page.getByText(/cannot reach the coordinator/i).waitFor();
        expect(await visit.text()).not.toMatch(/nothing was sent/i);
      }
      const log = (await running.admin.auditLog()).entries.filter(isContribution);
      expect(log.map(({ detail }) => detail.site)).toEqual(chosen(['south', 'west']));
    },
  );

  it.runIf(enduring)(
    'saves the contribution as a file instead, which the ledger counts',
    async (context) => {
      const running = await servedStudy(folderOf(), recovery, ['north', 'south']);
      const visit = await pageVisit(present(context), running, 'north');
      const { page } = visit;
      await visit.come();
      await read(visit, people(300));
      visit.mark();
      const digest = await page.locator('.join-identity .digest').first().textContent();
      const file = await downloaded(page, () =>
        page.getByRole('button', { name: 'Save the contribution' }).click(),
      );
      await visit.heading('Saved as a file');
      expect(sha256(file)).toBe(digest);
      expect([visit.asked, visit.received()]).toEqual([[], []]);
      const lines = Object.values(await shelfOf(page, 'lines')).map((line) =>
        JSON.parse(`${line}`),
      );
      expect(lines).toMatchObject([{ outcome: 'written', digest }]);
      // One row fewer would tell of that row, if it were sent now.
      await page.getByRole('button', { name: 'Back to the study' }).click();
      await read(visit, people(299));
      expect(await visit.text()).toContain('Refused by R9');
      expect(await page.getByRole('button', { name: /^Send / }).count()).toBe(0);
    },
  );
});
