import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../src/model/report.ts';
import { type Outcome, temporaryFolder } from './cli.ts';
import { enduring } from './endurance.ts';
import { type ExtendedCopy, extendedCopy } from './extended-copy.ts';
import { fileBrowser } from './file-browser.ts';
import { islands, penguinPath } from './page-states.ts';
import { reads, resultVisit } from './result-visit.ts';
import { type Serving, startServing } from './serving.ts';
import { runBuiltSuffice } from './site-process.ts';

const toy = readFileSync(new URL('./extension/toy-mean.ts.txt', import.meta.url), 'utf8');
const importLine = "import { toyMean } from './toy-mean.ts';";
const registryLine = "  'toy-mean': toyMean,";
const lawRow =
  "  'toy-mean of a column': { schema: 'suffice/study@1', data: { kind: 'numbers', column: 'x', range: [0, 16] }, fusion: { kind: 'toy-mean' }, arithmetic: 'exact' },";

const study = {
  schema: 'suffice/study@1',
  name: 'How heavy penguins are',
  data: { kind: 'numbers', column: 'body_mass', unit: 'g', range: [2000, 8000] },
  fusion: { kind: 'toy-mean' },
  arithmetic: 'exact',
  quorum: { sites: 3 },
};

/** Checking types and building the command and the pages anew takes half a minute: `npm run endure` does it. */
const built = it.runIf(enduring);

/** What nothing for people may say. */
const unsaid = /undefined|NaN|\[object|null/;

describe('a fusion that reads something else is one file, one registry line, one law row', () => {
  const root = temporaryFolder();
  const inRoot = (name: string) => join(root, name);
  const studyPath = inRoot('study.json');
  const adminLink = inRoot('links/admin.link');
  const pooled = pooledMean();
  const browserFor = fileBrowser();
  let copy: ExtendedCopy;
  let serving: Serving;

  const suffice = (...args: readonly string[]): Promise<Outcome> =>
    runBuiltSuffice(args, { command: copy.command, folder: root });
  /** What a command printed, once it went well. */
  const told = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await suffice(...args);
    expect([code, stderr.replace(/^resolution .*\n(kept in .*\n)?$/, '')]).toEqual([0, '']);
    expect(stdout).not.toMatch(unsaid);
    return stdout;
  };

  beforeAll(async () => {
    mkdirSync(inRoot('copy'));
    copy = extendedCopy(inRoot('copy'));
    copy.add('src/fusion/toy-mean.ts', toy);
    const registry = 'src/fusion/fusions.ts';
    copy.insert(registry, "import { ridgeEntry } from './ridge-method.ts';", importLine);
    copy.insert(registry, '  fesc: fescEntry,', registryLine);
    copy.insert('test/fusion-rows.ts', "  'least squares': {},", lawRow);
    writeFileSync(studyPath, JSON.stringify(study));
    if (!enduring) return;
    // Whether any of it needs a cast.
    await copy.tool('tsc', '-b', 'src', 'src/node', 'web');
    await Promise.all([
      copy.tool('vite', 'build', '-c', 'vite.command.config.ts', '--logLevel', 'warn'),
      copy.tool('vite', 'build', '--logLevel', 'warn'),
    ]);
    serving = await startServing(['--data', inRoot('data'), '--log', 'none'], {
      command: copy.command,
    });
  });

  afterAll(async () => {
    if (enduring) await serving.stop('SIGKILL');
  });

  it('is all that differs', () => {
    expect(copy.differences()).toEqual({
      added: ['src/fusion/toy-mean.ts'],
      changed: {
        'src/fusion/fusions.ts': [importLine, registryLine],
        'test/fusion-rows.ts': [lawRow],
      },
    });
  });

  built('keeps every law by its row', async () => {
    const only = ['-t', 'toy-mean of a column', '--reporter', 'json'];
    const laws = await copy.tool('vitest', 'run', 'test/fusion-laws.test.ts', ...only);
    const { success, numPassedTests } = JSON.parse(laws);
    expect(success).toBe(true);
    expect(numPassedTests).toBeGreaterThan(10);
  });

  built('is checked and explained before there are sites', async () => {
    const text = await told('study', 'check', studyPath, penguinPath('dream.csv'));
    expect(text).toContain('asks for   the mean of body_mass');
    expect(text).toContain('body_mass  number in g, from 2000 to 8000');
    expect(text).toContain('sends 3 numbers once');
    expect(text).toContain('the file would be accepted: 124 rows');
    expect(text).not.toContain('FedAvg');
    const other = { ...study, data: { ...study.data, range: [2000] } };
    writeFileSync(inRoot('wrong.json'), JSON.stringify(other));
    const wrong = await suffice('study', 'check', inRoot('wrong.json'));
    expect(wrong.code).toBe(3);
    expect(wrong.stdout).not.toMatch(unsaid);
    const { data: _, ...without } = study;
    const table = { ...without, formula: 'body_mass ~ 1', codebook: {} };
    writeFileSync(inRoot('wrong.json'), JSON.stringify(table));
    const refused = await suffice('study', 'check', inRoot('wrong.json'));
    expect(refused.code).toBe(3);
    expect(refused.stdout).toContain('the study has no column of numbers');
  });

  built('is joined over HTTP by three sites, and reports the mean of the pooled rows', async () => {
    const { address, ready } = serving;
    const sites = islands.flatMap((site) => ['--site', site]);
    const flags = ['--coordinator', address, '--token-file', ready.adminTokenFile];
    await told('study', 'create', studyPath, ...flags, ...sites, '--out', inRoot('links'));
    const joined = await Promise.all(
      islands.map((site) => {
        const invitation = inRoot(`links/${site}.invitation`);
        return told(
          'join',
          invitation,
          penguinPath(`${site}.csv`),
          '--yes',
          '--home',
          inRoot(site),
        );
      }),
    );
    for (const text of joined) {
      expect(text).toContain('the number of rows, the sum of body_mass and the sum of its squares');
      expect(text).toContain('Sent and acknowledged');
    }
    const signed = inRoot('resolution.json');
    const text = await told('report', adminLink, '--wait', '--out', signed);
    expect(text).toMatch(/mean of body_mass +4201\.8 +43\.365/);
    const report: Report = JSON.parse(await told('report', adminLink, '--json'));
    expect(report.n).toBe(pooled.rows);
    expect(report.terms).toHaveLength(1);
    const [{ estimate, 'std.error': error }] = report.terms!;
    expect(Math.abs(estimate / pooled.mean - 1)).toBeLessThan(1e-12);
    expect(Math.abs(error! / pooled.error - 1)).toBeLessThan(1e-12);
    expect(await told('status', adminLink)).toContain('resolved; 3 of 3 sites');
    const verified = await told('verify', signed, '--link', adminLink, '--study', studyPath);
    expect(verified).toContain('a resolution as it was signed');
    const here = await told('fit', studyPath, ...islands.map((site) => penguinPath(`${site}.csv`)));
    expect(here).toContain(report.digest);
  });

  built('answers nothing but its report, and says so', async () => {
    for (const asked of [
      ['--show', 'anova'],
      ['--ridge', '2'],
      ['--without', 'sex'],
    ]) {
      const { code, stdout, stderr } = await suffice('report', adminLink, ...asked);
      expect([code, stdout]).toEqual([5, '']);
      expect(stderr).toContain('the mean is all there is');
    }
    const predicted = await suffice('predict', inRoot('resolution.json'), penguinPath('dream.csv'));
    expect(predicted.code).toBe(3);
    expect(predicted.stderr).toContain('the study has no formula');
  });

  built(
    'is combined from files to the same report; those of another study are refused',
    async () => {
      const write = async (of: string, site: string, out: string, home = site) => {
        const kept = ['--home', inRoot(`files-${home}`)];
        const flags = ['--site', site, '--out', inRoot(out), '--yes', '--quiet', ...kept];
        await told('contribute', of, penguinPath(`${site}.csv`), ...flags);
        return inRoot(out);
      };
      const files = await Promise.all(islands.map((site) => write(studyPath, site, `${site}.one`)));
      const combined: Report = JSON.parse(await told('combine', studyPath, ...files, '--json'));
      expect(combined).toEqual(JSON.parse(await told('report', adminLink, '--json')));

      writeFileSync(inRoot('other.json'), JSON.stringify({ ...study, name: 'Another' }));
      const other = await write(inRoot('other.json'), 'dream', 'dream.other');
      // From a site of its own: the regression leaves out other rows, which R9 would refuse.
      const table = penguinPath('study.json');
      const regression = await write(table, 'biscoe', 'biscoe.regression', 'elsewhere');
      for (const foreign of [other, regression]) {
        const { code, stderr } = await suffice('combine', studyPath, files[0], foreign);
        expect(code).toBe(3);
        expect(stderr).toContain(foreign);
        expect(stderr).toContain('made for another study');
      }
      const { code, stderr } = await suffice('combine', table, ...files);
      expect([code, stderr]).toEqual([3, expect.stringContaining('made for another study')]);
    },
  );

  built('does not let a row be found as the difference of two releases', async () => {
    const rows = readFileSync(penguinPath('torgersen.csv'), 'utf8').trim().split('\n');
    writeFileSync(inRoot('less.csv'), `${rows.slice(0, -1).join('\n')}\n`);
    writeFileSync(inRoot('again.json'), JSON.stringify({ ...study, name: 'Once more' }));
    const flags = ['--out', inRoot('less.one'), '--home', inRoot('torgersen')];
    const { code, stdout } = await suffice(
      ...['contribute', inRoot('again.json'), inRoot('less.csv'), '--site', 'torgersen', ...flags],
    );
    expect(code).toBe(5);
    expect(stdout).toMatch(/Refused by R9: nothing may be sent/);
  });

  built('has pages that show the mean, and nothing that only a formula has', async (context) => {
    const browser = browserFor(context);
    const link = readFileSync(adminLink, 'utf8').trim();
    const { page, part, table } = await resultVisit(browser, link.replace('/study#', '/result#'));
    const [header, ...rows] = await table('Estimates');
    expect(header).toEqual(['Term', 'Estimate', 'Std. error']);
    expect(rows.map(([term]) => term)).toEqual(['mean of body_mass']);
    expect(reads(rows[0][1], pooled.mean)).toBe(true);
    expect(reads(rows[0][2], pooled.error)).toBe(true);
    const certificate = await part('certificate');
    await expect.poll(() => certificate.locator('.checks li.yes').count()).toBe(5);
    await part('files');
    expect(await page.locator('#effects').count()).toBe(0);
    await expectPlain(page);

    const about = await resultVisit(browser, link);
    await about.page.getByText('the mean of body_mass').waitFor();
    expect(await about.page.getByText('3 of 3 sites have contributed').count()).toBe(1);
    await expectPlain(about.page);

    const invitation = readFileSync(inRoot('links/dream.invitation'), 'utf8').trim();
    const joining = await resultVisit(browser, invitation);
    await joining.page.getByText('The mean of body_mass.').waitFor({ state: 'attached' });
    await expectPlain(joining.page);
  });
});

/** What a page says, without what is said when a value was missing, and without a title twice. */
async function expectPlain(page: Page): Promise<void> {
  const text = (await page.locator('main').textContent()) ?? '';
  expect(text).not.toMatch(unsaid);
  expect(text).not.toContain('FedAvg');
  const title = await page.locator('h1').textContent();
  expect(text.split(title ?? '')).toHaveLength(2);
}

/** The mean of the column over all islands and its standard error, in plain arithmetic. */
function pooledMean(): { readonly rows: number; readonly mean: number; readonly error: number } {
  const values = islands.flatMap((site) => {
    const [head, ...lines] = readFileSync(penguinPath(`${site}.csv`), 'utf8')
      .trim()
      .split('\n');
    const place = head.split(',').indexOf('body_mass');
    const cells = lines.map((line) => line.split(',')[place]);
    return cells.filter((cell) => cell !== '' && cell !== 'NA').map(Number);
  });
  const rows = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / rows;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { rows, mean, error: Math.sqrt(squares / (rows - 1) / rows) };
}
