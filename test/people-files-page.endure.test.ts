import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { suffice, temporaryFolder } from './cli.ts';
import { enduring } from './endurance.ts';
import { fileBrowser } from './file-browser.ts';
import { nothingLeft, pageVisit } from './join-page.ts';
import { peopleFiles, plain } from './people-files.ts';
import { formula, study } from './people-rows.ts';
import { servedStudy } from './served-study.ts';
import { watchedPage } from './watched-page.ts';

const root = temporaryFolder();
const present = fileBrowser();

/** One file for each way that a page reads or refuses; `npm run endure` gives it all, and `people-files` the commands. */
const ofCheck = new Set([
  ...['excel-de-thousands.csv', 'excel-unicode-text.txt', 'excel-uk-dates.csv', 'people.parquet'],
  ...['title-above.csv', 'one-group.csv', 'remarks-in-numbers.csv', 'mixed-percent.csv'],
  'dollars.csv',
]);
const files = peopleFiles.filter(({ name }) => enduring || ofCheck.has(name));
expect(files).toHaveLength(enduring ? peopleFiles.length : ofCheck.size);

const given = (name: string, content: string | Buffer) => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(content),
});

/** The columns that `suffice study init` drafts from a file. */
async function draftedColumns(name: string, content: string | Buffer): Promise<object> {
  const folder = mkdtempSync(join(root, 'draft-'));
  const [path, out] = [join(folder, name), join(folder, 'study.json')];
  writeFileSync(path, content);
  const { code, stderr } = await suffice('study', 'init', formula, path, '--out', out);
  expect([name, code, stderr]).toEqual([name, 0, '']);
  return JSON.parse(readFileSync(out, 'utf8')).codebook;
}

describe('a file as people have it is read on the pages as by the commands', () => {
  it.runIf(enduring)('on the page of a new study', async (context) => {
    const folder = mkdtempSync(join(root, 'create-'));
    const { served } = await servedStudy(folder, study, ['north']);
    const operator = readFileSync(served.operatorTokenFile!, 'utf8').trim();
    const watched = await watchedPage(present(context));
    const { page } = watched;
    await page.goto(`${served.address}/create#${operator}`);
    await page.getByRole('heading', { name: 'A sample' }).waitFor();
    await page.getByText('As JSON: view, download, load').click();
    await page.getByLabel('Formula').fill(formula);
    await page.getByLabel('Sites, one on each line').fill('north\nsouth');
    await page.waitForLoadState('networkidle');
    watched.mark();
    const json = page.getByRole('region', { name: 'The study as JSON' });
    for (const { name, content, draft } of files) {
      await page.locator('.drop input[type=file]').first().setInputFiles(given(name, content));
      if (draft !== undefined && /^(?:the header|the column names|found) /.test(draft)) {
        await page.getByText(draft.slice(1)).waitFor();
        continue;
      }
      await page.locator('p strong', { hasText: name }).waitFor();
      await page.getByLabel('Name', { exact: true }).fill(name);
      if (draft === undefined) {
        const shown = await json.filter({ hasText: `"${name}"` }).textContent();
        const { codebook } = JSON.parse(shown!);
        expect([name, codebook]).toEqual([name, await draftedColumns(name, content)]);
      } else {
        await page.locator('p', { hasText: draft }).first().waitFor();
        await page.getByText('The JSON appears here when the study has no problems').waitFor();
      }
      await page.getByRole('button', { name: 'Remove the sample' }).click();
    }
    const named = peopleFiles.find(({ name }) => name === 'ids-and-names.csv')!;
    await page
      .locator('.drop input[type=file]')
      .first()
      .setInputFiles(given(named.name, named.content));
    await page.getByLabel('Formula').fill('stay ~ age + name');
    await page.locator('p', { hasText: 'write factor(name) in the formula' }).waitFor();
    await page.getByText('The JSON appears here when the study has no problems').waitFor();
    await page.getByLabel('Formula').fill('stay ~ age + factor(name)');
    await page.getByText('such a level can point to a person').waitFor();
    expect(watched.asked).toEqual([]);
  });

  it('on the page of a site', async (context) => {
    const running = await servedStudy(mkdtempSync(join(root, 'join-')), study, ['north', 'south']);
    const visit = await pageVisit(present(context), running, 'north');
    await visit.come();
    await visit.ready();
    visit.mark();
    const digestOf = async (name: string, content: string | Buffer) => {
      await visit.give(name, content);
      await visit.heading('What will be sent');
      const digest = await visit.page.locator('.join-identity .digest').first().textContent();
      await visit.page.getByRole('button', { name: 'Do not send' }).click();
      return digest;
    };
    const twin = await digestOf(plain.name, plain.content);
    for (const { name, content, join: says } of files) {
      if (says === undefined) {
        expect([name, await digestOf(name, content)]).toEqual([name, twin]);
      } else {
        await visit.give(name, content);
        await visit.outcome();
        const told = await visit.page.locator('.join-place').textContent();
        const words = says.replace(/^column "(.*)"$/, '$1');
        expect([name, told!.toLowerCase()]).toEqual([
          name,
          expect.stringContaining(words.toLowerCase()),
        ]);
        await nothingLeft(visit, running);
      }
    }
    await nothingLeft(visit, running);
  });
});
