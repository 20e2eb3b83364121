import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './cli.ts';
import { fileBrowser } from './file-browser.ts';
import { nothingLeft, pageVisit, people, recovery, shelfOf } from './join-page.ts';
import { servedStudy } from './served-study.ts';

const root = temporaryFolder();
const present = fileBrowser();

describe('a file that does not fit', () => {
  it('may be read again with what its names and texts mean', async (context) => {
    const folder = mkdtempSync(join(root, 'test-'));
    const running = await servedStudy(folder, recovery, ['north', 'south']);
    const visit = await pageVisit(present(context), running, 'north');
    const { page } = visit;
    const right = people(300);
    const own = right
      .replace('age,treatment,days', 'Age at entry,treatment,stay')
      .replaceAll(',new,', ',NEW,')
      .replace('NA', 'mr-smith');
    await visit.come();
    await visit.ready();
    visit.mark();
    await visit.give('rows.csv', right);
    await visit.heading('What will be sent');
    const digest = await page.locator('.join-identity .digest').first().textContent();
    await page.getByRole('button', { name: 'Choose another file' }).click();

    await visit.give('own.csv', own);
    await visit.heading('The file does not fit the study');
    const cells = page.getByLabel('Cells that do not fit');
    expect(await cells.textContent()).toContain('“NEW” in treatment is');
    expect(await cells.textContent()).toContain(
      '100 cells, rows 1, 4, 7, 10, 13, …; differs by case',
    );
    expect(await cells.textContent()).toContain('“mr-smith” in treatment is');
    expect(await cells.textContent()).toContain('1 cell, row 8');
    expect(await page.locator('.notice').first().textContent()).not.toContain('mr-smith');
    await nothingLeft(visit, running);

    const again = page.getByRole('button', { name: 'Read again with these meanings' });
    const age = page.getByLabel('The study’s age is in your file');
    const days = page.getByLabel('The study’s days is in your file');
    await age.selectOption({ label: 'stay' });
    await days.selectOption({ label: 'stay' });
    await again.click();
    await page.getByText('Two columns of the study would be read from one column').waitFor();
    await nothingLeft(visit, running);

    await visit.give('own.csv', own);
    await visit.heading('The file does not fit the study');
    expect(await page.getByLabel('“NEW” in treatment is').inputValue()).toBe('level 1');
    await age.selectOption({ label: 'Age at entry' });
    await days.selectOption({ label: 'stay' });
    await page.getByLabel('“mr-smith” in treatment is').selectOption('missing');
    await again.click();
    await visit.heading('What will be sent');
    const text = (await visit.text())!;
    expect(text).toContain('column "stay" as the study\'s "days"');
    expect(text).toContain('"NEW" in "treatment" as the study\'s "new"');
    expect(text).toContain('"mr-smith" in "treatment" as missing');
    // The bytes are those of the file in the study's words: nothing of its own words is in them.
    expect(await page.locator('.join-identity .digest').first().textContent()).toBe(digest);
    expect([visit.asked, visit.received()]).toEqual([[], []]);
    await visit.approve();
    await visit.heading('Sent and acknowledged');
    expect(await visit.text()).toContain('1 of 2 sites; 1 needed');
    expect(await visit.text()).toContain('north: contributed');
    const kept = await Promise.all(['lines', 'receipts'].map((shelf) => shelfOf(page, shelf)));
    for (const words of ['mr-smith', 'NEW', 'stay']) {
      expect(JSON.stringify(kept)).not.toContain(words);
      expect(page.url()).not.toContain(words);
    }
  });
});
