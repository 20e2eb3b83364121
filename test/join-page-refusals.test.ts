import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { suffice, temporaryFolder } from './cli.ts';
import { enduring } from './endurance.ts';
import { fileBrowser } from './file-browser.ts';
import {
  isContribution,
  nothingLeft,
  pageVisit,
  people,
  recovery,
  studyBeside,
} from './join-page.ts';
import { header, otherStudies, type RefusedFile } from './join-page-files.ts';
import { neverMet } from './join-page-never-met.ts';
import { refusalsOfJoin } from './join-page-refusals.ts';
import { servedStudy } from './served-study.ts';
import { stopAtOnce } from './stop-at-once.ts';

const root = temporaryFolder();
const folderOf = () => mkdtempSync(join(root, 'test-'));
const sources = fileURLToPath(new URL('../src', import.meta.url));
const testNames = ['refusals', 'refused', 'again', 'explained'].flatMap((part) => {
  const text = readFileSync(new URL(`./join-page-${part}.test.ts`, import.meta.url), 'utf8');
  return [...text.matchAll(/ it(?:\.runIf\(enduring\))?\(\s*'([^']+)'/g)].map(([, name]) => name);
});

const present = fileBrowser();

const REFUSES =
  /new (DataError|Refusal|UsageError|MismatchedColumns|AuditRefusal|NetworkFailure|AlreadyContributed)\(/g;
const IMPORTS = /^(?:import|export)(?! type)[^;]*? from '(\.[^']+)'|import\('(\.[^']+)'\)/gm;

/** Files that `suffice join` runs, by what they import, and how often each refuses. */
function refusingFiles(): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const waiting = [join(sources, 'cli/join.ts')];
  const seen = new Set(waiting);
  for (const path of waiting) {
    const text = readFileSync(path, 'utf8');
    const count = text.match(REFUSES)?.length ?? 0;
    if (count > 0) found.set(relative(sources, path), count);
    for (const [, plain, lazy] of text.matchAll(IMPORTS)) {
      const next = join(dirname(path), plain ?? lazy);
      if (seen.has(next) || !existsSync(next)) continue;
      seen.add(next);
      waiting.push(next);
    }
  }
  return found;
}

describe('the table of refusals', () => {
  it('has every one of `suffice join`, in the words of the source', () => {
    const found = refusingFiles();
    const told = [...Object.keys(refusalsOfJoin), ...Object.keys(neverMet)];
    expect([...found.keys()].sort()).toEqual(told.sort());
    for (const [file, refusals] of Object.entries(refusalsOfJoin)) {
      const text = readFileSync(join(sources, file), 'utf8');
      const words = [...new Set(refusals.map(([words]) => words))];
      for (const phrase of words) expect(text, file).toContain(phrase);
      expect(words.length, `refusals of ${file}`).toBeGreaterThanOrEqual(found.get(file)!);
    }
  });

  it('names tests that are there', () => {
    const names = Object.values(refusalsOfJoin)
      .flat()
      .flatMap(([, met]) => ('in' in met ? [met.in] : []));
    expect(testNames).toEqual(expect.arrayContaining(names));
  });
});

const filesBySource = Object.values(refusalsOfJoin).map((refusals) =>
  refusals.flatMap(([, met]): RefusedFile[] => ('content' in met ? [met] : [])),
);
const files = filesBySource.flat();
/** One file for each source, of one study besides the first, and what the page says in its own way. */
const onPage = ({ study, ownWords, secret }: RefusedFile, k: number) =>
  ownWords || secret !== undefined || (k === 0 && (study ?? 'dose') === 'dose');
/** The page is given all of them in `npm run endure`; the command, below, always. */
const filesOnPage = enduring ? files : filesBySource.flatMap((own) => own.filter(onPage));

describe('a private study', () => {
  it.runIf(enduring)(
    'takes what does not fit, since a refusal would be seen, and shows the site what it did',
    async (context) => {
      const running = await servedStudy(folderOf(), otherStudies.persons, ['north', 'south']);
      const visit = await pageVisit(present(context), running, 'north');
      await visit.come();
      await visit.ready();
      const rows = ['12,44,mr-smith', '13,45,mr-smith', '14,146,mrs-jones', 'soon,46,mrs-white'];
      await visit.give('rows.csv', `days,age,who\n${rows.join('\n')}\n`);
      await visit.heading('What will be sent');
      const text = (await visit.text())!;
      for (const words of [
        'rows left out, their persons have more than the study hides: 1',
        'cells moved to the nearest end of the range: age 1',
        'age: not all numbers are from 18 to 100',
        'days: one text is neither a number nor a missing marker',
        'Nobody else sees it.',
      ]) {
        expect(text).toContain(words);
      }
      expect(text).not.toContain('mr-smith');
      const labels = await studyBeside(running, otherStudies.labels, ['north']);
      await visit.come(labels);
      await visit.ready();
      await visit.give('rows.csv', `${people(60)}44,new,NA\n`);
      await visit.heading('What will be sent');
      expect(await visit.text()).toContain(
        'rows without a response, which counts as the public centre: 1',
      );
    },
  );
});

describe('nothing leaves by the command', () => {
  it('of a file that the page refuses, and it says the same', async () => {
    const folder = folderOf();
    const running = await servedStudy(folder, recovery, ['north', 'south']);
    const studies = new Map([[undefined as RefusedFile['study'], running]]);
    for (const [k, file] of files.entries()) {
      const { study, name = 'rows.csv', content, says, ownWords, secret, whole } = file;
      if (study !== undefined && !studies.has(study)) {
        const own = mkdtempSync(join(folder, 'other-'));
        studies.set(
          study,
          await servedStudy(own, otherStudies[study], ['north'], {}, running.served),
        );
      }
      const { invitation, admin } = studies.get(study)!;
      const place = mkdtempSync(join(folder, `file-${k}-`));
      writeFileSync(join(place, name), content);
      const { code, stdout, stderr } = await suffice(
        ...[
          'join',
          invitation('north'),
          join(place, name),
          '--dry-run',
          '--home',
          join(place, 'home'),
        ],
        ...(whole ? ['--missing', 'refuse'] : []),
      );
      const told = `${stdout}${stderr}`.replace(/\s+/g, ' ').toLowerCase();
      expect(code, told).not.toBe(0);
      const same = says.filter((words) => told.includes(words.toLowerCase()));
      if (!ownWords) expect(same, `${says}: ${told}`).not.toEqual([]);
      if (secret !== undefined)
        expect(stderr.slice(stderr.indexOf('suffice:'))).not.toContain(secret);
      expect((await admin.auditLog()).entries.filter(isContribution)).toEqual([]);
    }
  });
});

describe('nothing leaves by the page', () => {
  it.runIf(enduring)(
    'of a file that does not fit, cannot be read, or breaks a rule',
    async (context) => {
      const running = await servedStudy(folderOf(), recovery, ['north', 'south']);
      const visit = await pageVisit(present(context), running, 'north');
      const { page } = visit;
      for (const name of new Set(filesOnPage.map(({ study }) => study))) {
        const study =
          name === undefined ? running : await studyBeside(running, otherStudies[name], ['north']);
        await visit.come(study);
        await visit.ready();
        visit.mark();
        for (const file of filesOnPage.filter(({ study }) => study === name)) {
          const { name = 'rows.csv', content, says, secret, whole } = file;
          if (whole) {
            await page.getByText('How the file is read').click();
            await page.getByLabel('Rows with missing cells').selectOption('refuse');
          }
          await visit.give(name, content);
          await visit.outcome();
          const text = (await visit.text())!;
          for (const words of says) expect(text.toLowerCase()).toContain(words.toLowerCase());
          if (secret !== undefined) {
            const own = (await page.getByLabel('Cells that do not fit').textContent())!;
            expect(own).toContain(secret);
            expect(text.replace(own, '')).not.toContain(secret);
          }
          await nothingLeft(visit, study);
          const another = page.getByRole('button', { name: 'Choose another file' });
          if ((await another.count()) > 0) await another.click();
          if (whole) {
            await page.getByRole('button', { name: 'Read again and leave such rows out' }).click();
            await visit.heading('What will be sent');
            await page.getByRole('button', { name: 'Do not send' }).click();
          }
        }
      }
    },
  );

  it.runIf(enduring)('of what was not approved, or whose reading was stopped', async (context) => {
    const folder = folderOf();
    const running = await servedStudy(folder, recovery, ['north', 'south']);
    const visit = await pageVisit(present(context), running, 'north');
    const { page } = visit;
    await visit.come();
    await visit.ready();
    visit.mark();
    await page.getByText('Paste rows instead').click();
    await page.getByRole('button', { name: 'Read the pasted rows' }).click({ force: true });
    expect(await visit.text()).not.toContain('Reading pasted.csv');
    await visit.give('rows.csv', people(300, 20));
    await visit.heading('What will be sent');
    await page.getByRole('button', { name: /^Send / }).click({ force: true });
    await page.getByRole('button', { name: 'Save the contribution' }).click({ force: true });
    expect(await visit.text()).toContain('acknowledge the warning of R7 first');
    await page.getByRole('button', { name: 'Do not send' }).click();
    await nothingLeft(visit, running);

    // Without rules of the study or the site, that is what must be acknowledged.
    const formula = 'days ~ I((age > 45) * 1)';
    const open = { ...recovery, formula, disclosure: { profile: 'none' } } as const;
    await visit.come(await studyBeside(running, open, ['north']));
    await visit.ready();
    visit.mark();
    await visit.give('rows.csv', people(300));
    await visit.heading('What will be sent');
    await page.getByRole('button', { name: /^Send / }).click({ force: true });
    expect(await visit.text()).toContain('acknowledge that no rule applies first');
    await page.getByRole('checkbox', { name: 'no rule has checked' }).check();
    expect(await visit.text()).not.toContain('Before you can send');
    await page.getByRole('button', { name: 'Do not send' }).click();
    await nothingLeft(visit, running);
    await page.getByText('How the file is read').click();
    await page.getByLabel('Comparisons such as I(age > 65)').selectOption('forbid');
    await visit.give('rows.csv', people(300));
    await visit.heading('What the rules say');
    expect(await visit.text()).toContain('Refused by R3: nothing can be sent.');
    await nothingLeft(visit, running);
    await visit.come();
    await visit.ready();
    visit.mark();

    const large = join(folder, 'large.csv');
    const lines = people(50_000).slice(header.length);
    writeFileSync(large, header + lines.repeat(enduring ? 80 : 20));
    await stopAtOnce(page, 'Cancel');
    await page.locator('input[type=file]').setInputFiles(large);
    await page.getByText('You stopped the reading').waitFor();
    await nothingLeft(visit, running);

    // A file that was changed, moved or is a folder cannot be read: one answer for all three.
    const changing = join(folder, 'changing.csv');
    writeFileSync(changing, people(300).replaceAll(',', ';').replace('18.5', '18,5'));
    await page.locator('input[type=file]').setInputFiles(changing);
    const again = page.getByRole('button', { name: 'Read again with a decimal comma' });
    await again.waitFor();
    writeFileSync(changing, people(301));
    await again.click();
    await visit.heading('The file cannot be used as it is');
    expect(await visit.text()).toContain('The file can no longer be read');
    await nothingLeft(visit, running);
    // The file's own cells show its mark, whatever was said of another file.
    await visit.give('rows.csv', people(60));
    await visit.heading('What will be sent');
  });
});
