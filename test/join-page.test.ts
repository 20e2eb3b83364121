import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parquetWriteBuffer } from 'hyparquet-writer';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { parseStudy } from '../src/fusion/study-schema.ts';
import { silentProgress } from '../src/node/run/progress.ts';
import { rehearseJoin } from '../src/node/site/join-files.ts';
import { openSiteFolder } from '../src/node/site/site-folder.ts';
import type { SealedReceipt } from '../src/protocol/messages.ts';
import { isSealed } from '../src/protocol/signature.ts';
import { isSignedContribution } from '../src/protocol/signed-contribution.ts';
import { decodeContribution } from '../src/statistic/envelope.ts';
import { plainInk } from '../src/text/text-table.ts';
import { temporaryFolder } from './cli.ts';
import { chosen, enduring } from './endurance.ts';
import { fileBrowser } from './file-browser.ts';
import { pageVisit, people, recovery, shelfOf } from './join-page.ts';
import { agreement } from './linear.ts';
import { servedStudy } from './served-study.ts';

const root = temporaryFolder();
const folderOf = () => mkdtempSync(join(root, 'test-'));
const penguins = (name: string) =>
  fileURLToPath(new URL(`../examples/penguins/${name}`, import.meta.url));

const present = fileBrowser();

/** What the page says would leave: its size and its digest. */
async function shownFile(page: Page): Promise<{ bytes: number; digest: string }> {
  const button = await page.getByRole('button', { name: /^Send / }).textContent();
  const digest = await page.locator('.join-identity .digest').first().textContent();
  return { bytes: Number(/[\d,]+/.exec(button!)![0].replace(',', '')), digest: digest! };
}

const sha256 = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

describe('a site takes part by the page', () => {
  it('makes no request from the choice of a file to its approval, then one with exactly what was shown', async (context) => {
    const study = parseStudy(JSON.parse(readFileSync(penguins('study.json'), 'utf8')));
    const running = await servedStudy(folderOf(), study, ['biscoe', 'dream']);
    const visit = await pageVisit(present(context), running, 'biscoe');
    const { page } = visit;
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await visit.come();
    await visit.ready();
    const views = visit.received().filter(({ path }) => path.startsWith('/studies/'));
    expect(views.map(({ method }) => method)).toEqual(['GET']);

    visit.mark();
    await visit.give('biscoe.csv', readFileSync(penguins('biscoe.csv')));
    await visit.heading('What will be sent');
    expect(await visit.text()).toContain('163 rows used, 5 left out');
    expect((await running.admin.view()).sites[0].state).toBe('invited');
    expect([visit.asked, visit.received()]).toEqual([[], []]);

    const shown = await shownFile(page);
    await visit.approve();
    await visit.heading('Sent and acknowledged');
    const [sent, ...others] = visit.received();
    expect(others).toEqual([]);
    expect(visit.asked).toEqual([`POST ${sent.path}`]);
    expect(sent.headers['content-encoding']).toBeUndefined();
    expect([sent.body.length, sha256(sent.body)]).toEqual([shown.bytes, shown.digest]);

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as JSON: receipt 1' }).click(),
    ]);
    const receipt: SealedReceipt = JSON.parse(readFileSync(await download.path(), 'utf8'));
    expect(isSealed(receipt)).toBe(true);
    expect(receipt).toMatchObject({ digest: shown.digest, bytes: shown.bytes, site: 'biscoe' });
    const decoded = decodeContribution(
      new Uint8Array(sent.body),
      running.created.digest,
      agreement(study).layout,
    );
    if ('refused' in decoded) throw new Error(decoded.refused);
    expect(isSignedContribution(decoded.contribution)).toBe(true);
    expect(Object.keys(await shelfOf(page, 'lines'))).toEqual(['1']);
    expect(Object.keys(await shelfOf(page, 'outbox'))).toEqual([]);
    expect(Object.values(await shelfOf(page, 'receipts'))).toMatchObject([{ receipt }]);
    expect((await running.admin.view()).sites[0]).toMatchObject({ state: 'contributed', n: 163 });
    expect(complaints).toEqual([]);
    await expect.poll(() => page.url()).toContain('/join#');
    const secret = running.link('biscoe').token;
    expect(visit.asked.join() + (await page.title()) + (await visit.text())).not.toContain(secret);
  });

  it.runIf(enduring)(
    'sends of a file, whatever its format and however it is read, the statistic that the command line would',
    async (context) => {
      const browser = present(context);
      const folder = folderOf();
      const rows = people(400_000); // 8.1 MB: read by several threads
      const few = people(300);
      const lines = few
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split(','));
      const column = (k: number) => lines.map((cells) => (cells[k] === 'NA' ? null : cells[k]));
      const parquet = parquetWriteBuffer({
        columnData: [
          { name: 'age', data: column(0).map(Number), type: 'DOUBLE' },
          { name: 'treatment', data: column(1), type: 'STRING' },
          { name: 'days', data: column(2).map(Number), type: 'DOUBLE' },
        ],
      });
      const files: [string, string | Buffer][] = [
        ['few.csv', few],
        ['many.csv', rows],
        ['few.parquet', Buffer.from(parquet)],
        ['comma.csv', few.replaceAll(',', ';').replaceAll('.', ',')],
      ];
      const running = await servedStudy(
        folder,
        recovery,
        files.map(([name]) => name),
      );
      // Several threads; `browser-reading` has the other format, `people-files-page` has how text is read.
      for (const [name, content] of chosen(files, 1)) {
        const path = join(folder, name);
        writeFileSync(path, content);
        const visit = await pageVisit(browser, running, name);
        await visit.come();
        await visit.ready();
        visit.mark();
        await visit.page.locator('input[type=file]').setInputFiles(path);
        await visit.heading('What will be sent');
        expect([visit.asked, visit.received()]).toEqual([[], []]);
        await visit.approve();
        await visit.heading('Sent and acknowledged');
        const [{ body }] = visit.received();
        const decoded = decodeContribution(
          new Uint8Array(body),
          running.created.digest,
          agreement(recovery).layout,
        );
        if ('refused' in decoded) throw new Error(decoded.refused);
        const { summary } = await rehearseJoin(
          {
            link: running.link(name),
            path,
            missing: 'drop',
            again: 'replace',
          },
          await openSiteFolder(join(folder, `home-${name}`)),
          {
            ink: plainInk,
            watch: () => silentProgress,
            show: () => {},
            notice: () => {},
            failure: () => {},
            explain: () => {},
          },
        );
        expect(decoded.contribution.statistic.values).toEqual(summary.statistic.values);
        expect(decoded.contribution.dropped).toBe(1);
      }
    },
  );

  it.runIf(enduring)(
    'takes one dropped file or dropped rows; of two files it takes neither, and one beside the place opens nothing',
    async (context) => {
      const running = await servedStudy(folderOf(), recovery, ['north']);
      const visit = await pageVisit(present(context), running, 'north');
      const { page } = visit;
      await visit.come();
      await visit.ready();
      visit.mark();
      await drop(page, '.drop', [people(40), people(50)]);
      await page.getByText('These are 2 files. Drop only one.').waitFor();
      await drop(page, 'h1', [people(40)]);
      await visit.heading('What is asked');
      await drop(page, '.drop', 'age');
      await page.getByText('This is not a file.').waitFor();
      await drop(page, '.drop', people(60));
      await visit.heading('What was read');
      expect(await visit.text()).toContain('dropped rows');
      await page.getByRole('button', { name: 'Choose another file' }).click();
      await visit.ready();
      await drop(page, '.drop', [people(40)]);
      await visit.heading('What was read');
      expect(await visit.text()).toContain('dropped.csv');
      expect([visit.asked, visit.received()]).toEqual([[], []]);
    },
  );

  it('goes from arrival to receipt by Tab, Enter and Space alone, and each step is heard', async (context) => {
    const running = await servedStudy(folderOf(), recovery, ['north', 'south']);
    const visit = await pageVisit(present(context), running, 'north');
    const { page } = visit;
    await visit.come();
    await visit.ready();
    await tabTo(page, 'Paste rows instead');
    await page.keyboard.press('Enter');
    await tabTo(page, /^Rows with their header/);
    await page.keyboard.insertText(people(300, 20));
    await tabTo(page, 'Read the pasted rows');
    visit.mark();
    await page.keyboard.press('Enter');
    await visit.heading('What will be sent');
    await expect.poll(() => focused(page)).toBe('What was read');
    expect(await page.locator('.seen-by-readers[role=status]').textContent()).toBe('What was read');
    const boxes = await page.getByRole('checkbox').count();
    expect(boxes).toBeGreaterThan(0);
    expect(await page.getByRole('button', { name: /^Send / }).getAttribute('aria-disabled')).toBe(
      'true',
    );
    for (let k = 0; k < boxes; k++) {
      await tabTo(page, /^I have read/, k === 0);
      await page.keyboard.press('Space');
    }
    await tabTo(page, /^Send /);
    expect(visit.asked).toEqual([]);
    await page.keyboard.press('Enter');
    await visit.heading('Sent and acknowledged');
    await expect.poll(() => focused(page)).toBe('Sent and acknowledged');
    expect(visit.received()).toHaveLength(1);
  });
});

/** What has the focus, by its words. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const active = document.activeElement as HTMLInputElement | null;
    return (active?.labels?.[0] ?? active)?.textContent?.trim() ?? '';
  });

/** Presses Tab until something of this name has the focus; leaves what has it first, where it must move. */
async function tabTo(page: Page, name: string | RegExp, stays = true): Promise<void> {
  const fits = (text: string) => (typeof name === 'string' ? text === name : name.test(text));
  if (!stays) await page.keyboard.press('Tab');
  for (let presses = 0; presses < 80; presses++) {
    if (fits(await focused(page))) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`no way by Tab to ${name}`);
}

/** Drops files of these contents, or a text, where the page has such a place. */
async function drop(page: Page, place: string, what: string | readonly string[]): Promise<void> {
  const dropped = await page.evaluateHandle((given) => {
    const transfer = new DataTransfer();
    if (typeof given === 'string') transfer.setData('text/plain', given);
    else for (const text of given) transfer.items.add(new File([text], 'dropped.csv'));
    return transfer;
  }, what);
  await page.locator(place).first().dispatchEvent('drop', { dataTransfer: dropped });
}
