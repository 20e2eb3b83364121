import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fusionOf } from '../src/cli/method-flags.ts';
import { DataError } from '../src/data-error.ts';
import { fitStudy } from '../src/node/run/fit.ts';
import { silentProgress } from '../src/node/run/progress.ts';
import type { SealedResolution } from '../src/protocol/messages.ts';
import type { TableStudy } from '../src/study/study.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { joinHere } from './join-here.ts';
import { islands, penguinPath } from './page-states.ts';
import { PATIENCE_MS } from './patience.ts';
import { type ServedStudy, servedStudy } from './served-study.ts';
import { watchingProxy } from './watching-proxy.ts';

const root = temporaryFolder();
const formula = 'body_mass ~ bill_length + flipper_length + sex';
const { codebook }: TableStudy = JSON.parse(readFileSync(penguinPath('study.json'), 'utf8'));
const study: TableStudy = {
  schema: 'suffice/study@1',
  name: 'Average penguins',
  formula,
  codebook,
  fusion: { kind: 'fesc' },
  arithmetic: 'exact',
};

async function resolved({ admin }: ServedStudy): Promise<SealedResolution> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; ) {
    if ((await admin.resolutions()).length > 0) return admin.resolution('latest');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('no resolution came');
}

describe('a study of averaged estimates at a coordinator', () => {
  it('resolves to what fit makes of the files, once each site has its own answer', async () => {
    const folder = mkdtempSync(join(root, 'served-'));
    const running = await servedStudy(folder, study, islands);
    const proxy = await watchingProxy(running.served.address);
    const home = (site: string) => join(folder, `home-${site}`);
    const told: string[] = [];
    const sent = (site: string, path: string) =>
      joinHere({ link: running.link(site, proxy.address), path }, home(site), told);

    // A site where all are female cannot tell what being male adds.
    const female = join(folder, 'female.csv');
    const lines = readFileSync(penguinPath('biscoe.csv'), 'utf8').split('\n');
    writeFileSync(female, lines.filter((line) => !/,(male|)$/.test(line)).join('\n'));
    const before = (await running.admin.auditLog()).entries.length;
    await expect(sent('biscoe', female)).rejects.toThrow(DataError);
    await expect(sent('biscoe', female)).rejects.toMatchObject({
      problem: 'the rows of biscoe do not determine sexmale',
      remedy: expect.stringContaining('ridge'),
    });
    expect(proxy.received.map(({ method }) => method)).toEqual(['GET', 'GET']);
    expect((await running.admin.auditLog()).entries).toHaveLength(before);
    for (const name of ['outbox', 'receipts']) {
      const kept = join(home('biscoe'), name);
      expect(existsSync(kept) ? readdirSync(kept) : []).toEqual([]);
    }
    expect(existsSync(join(home('biscoe'), 'ledger.jsonl'))).toBe(false);

    for (const site of islands) await sent(site, penguinPath(`${site}.csv`));
    const shown = told.join('\n');
    expect(shown).toContain('the number of rows and the 4 coefficients of your own regression');
    expect(shown).toContain('coefficient of bill_length 43.26'); // R's, of biscoe
    expect(shown).toContain('sees the coefficients of your own regression in plain.');
    expect(shown).not.toContain('sums over rows');
    expect(shown).not.toContain('sums over all your rows');
    const { report } = await resolved(running);
    const paths = islands.map((island) => penguinPath(`${island}.csv`));
    const here = await fitStudy(study, paths, () => silentProgress, { threads: 1 });
    expect(report).toEqual(JSON.parse(JSON.stringify(here.report)));
    expect(report.estimates!.weights.map(({ site }) => site)).toEqual([...islands]);
    const posts = proxy.received.filter(({ method }) => method === 'POST');
    expect(posts.map(({ body }) => body.length < 1500)).toEqual([true, true, true]);

    await expect(running.admin.analyse({ questions: [{ about: 'anova' }] })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('not sums'),
    });
    const { report: again } = await running.admin.analyse({ questions: [] });
    expect(again).toEqual(report);
  });
});

describe('averaged estimates on the command line', () => {
  const folder = mkdtempSync(join(root, 'offline-'));
  const place = (name: string) => join(folder, name);
  const paths = islands.map((island) => penguinPath(`${island}.csv`));
  const run = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await suffice(...args);
    if (code !== 0) throw new Error(`exit ${code}: ${args.join(' ')}\n${stderr}`);
    return stdout;
  };

  it('goes from init over contribute and combine to predictions', async () => {
    const path = place('study.json');
    const method = ['--fusion', 'average', '--ridge', '0.5', '--covariance'];
    await run('study', 'init', formula, ...paths, '--out', path, ...method, '--quiet');
    expect(JSON.parse(readFileSync(path, 'utf8')).fusion).toEqual({
      kind: 'average',
      ridge: 0.5,
      covariance: true,
    });
    const checked = JSON.parse(await run('study', 'check', path, paths[0], '--json', '--quiet'));
    expect(checked).toMatchObject({ ok: true, numbers: 15, bytes: 240 });
    expect(checked.hints.join()).toContain('as many numbers as with the ridge fusion');
    const files: string[] = [];
    for (const [k, island] of islands.entries()) {
      const out = place(`${island}.suffice`);
      const where = ['--site', island, '--home', place('home'), '--out', out];
      await run('contribute', path, paths[k], ...where, '--acknowledge', 'R6', '--quiet');
      files.push(out);
    }
    const combined = JSON.parse(await run('combine', path, ...files, '--json'));
    const model = place('model.json');
    const fitted = JSON.parse(
      await run('fit', path, ...paths, '--json', '--quiet', '--save-model', model),
    );
    expect(combined).toEqual(fitted);
    expect(fitted).toMatchObject({ errors: 'within-sites', freedom: 'normal', n: 333 });

    const csv = (await run('predict', model, paths[2])).split('\n');
    expect(csv[0]).toContain('.fitted');
    const [intercept, bill, flipper, male] = fitted.terms.map(
      ({ estimate }: { estimate: number }) => estimate,
    );
    const first = readFileSync(paths[2], 'utf8').split('\n')[1].split(',');
    const expected = intercept + bill * Number(first[1]) + flipper * Number(first[3]) + male;
    expect(Number(csv[1].split(',').at(-1))).toBeCloseTo(expected, 6);
    const refused = await suffice('predict', model, paths[2], '--interval', 'confidence');
    expect([refused.code, refused.stdout]).toEqual([3, '']);
    expect(refused.stderr).toContain('averaged estimates');
    expect(await run('export', model, '--format', 'r')).toContain('averaged by rows');
    expect(await run('export', model, '--format', 'html')).toContain('This is not the same fit');
  });

  it.each<[string, Parameters<typeof fusionOf>[0], string]>([
    ['--se', { fusion: 'fesc', se: 'clustered' }, 'do not go together'],
    ['--family', { fusion: 'fesc', family: 'binomial' }, 'do not go together'],
    ['a ridge that is chosen', { fusion: 'average', ridge: 'gcv' }, 'the ridge is a number'],
    ['--covariance alone', { covariance: true }, '--covariance belongs to --fusion'],
  ])('refuses %s', (_, flags, words) => {
    expect(() => fusionOf(flags)).toThrow(words);
  });

  it('refuses a question, and writes no model', async () => {
    const model = place('never.json');
    const asked = ['--fusion', 'average', '--show', 'anova', '--save-model', model];
    const { code, stdout, stderr } = await suffice('fit', formula, ...paths, ...asked);
    expect([code, stdout, existsSync(model)]).toEqual([2, '', false]);
    expect(stderr).toContain('nothing but the report is available');
  });
});
