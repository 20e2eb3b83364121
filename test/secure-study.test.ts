import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { aggregations } from '../src/aggregation/aggregations.ts';
import { foldsOf } from '../src/aggregation/folds.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { partOfPenguins, penguins, secureSetting, studyFile } from './secure-setting.ts';

const folder = temporaryFolder();
const setting = await secureSetting(folder);
const islands = setting.sites.map((site) => penguins(`${site}.csv`));

const reportOf = async (links: string) => {
  await setting.served.coordinator.runDueWork();
  const { code, stdout, stderr } = await suffice('report', join(links, 'admin.link'), '--json');
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
};

it.each(['x25519', 'x-wing'])(
  'three sites and a helper by %s give the model of one file',
  async (kem) => {
    const links = await setting.create(penguins('study.json'), `open-${kem}`, '--kem', kem);
    for (const site of setting.sites) {
      const { code, stderr } = await setting.join(links, site);
      expect([code, stderr]).toEqual([0, '']);
    }
    const report = await reportOf(links);
    const study = join(folder, `open-${kem}.json`);
    const fit = await suffice('fit', study, ...islands, '--json');
    const { digest, terms } = JSON.parse(fit.stdout);
    expect({ digest: report.digest, terms: report.terms }).toEqual({ digest, terms });
    const { stdout: said } = await suffice(
      ...['helper', 'statements', setting.helper.address],
      (await suffice('study', 'digest', study)).stdout.trim(),
    );
    expect(said).toMatch(/3 contributions of 3 sites/);
    expect(readFileSync(study, 'utf8')).toContain('"kind": "two-aggregators"');
  },
);

it('a site reads who sees what and its numbers before they are masked; one with another key than the roster’s is refused', async () => {
  const links = await setting.create(penguins('study.json'), 'read');
  const { stdout, stderr } = await suffice(
    ...['join', join(links, 'biscoe.invitation'), penguins('biscoe.csv')],
    ...['--dry-run', '--home', setting.home('biscoe')],
  );
  const text = stdout + stderr;
  const { stdout: known } = await suffice('key', '--home', setting.home('biscoe'));
  for (const said of [
    'The coordinator gets numbers that look random,',
    `and the helper at ${new URL(setting.helper.address).host} a sealed seed.`,
    'Together they learn only the sum over the sites, of 3 sites or more.',
    `${known.slice(0, 12)}…  biscoe`,
    'They are sent masked:',
    'Unmasked   163 rows used, 5 left out',
  ]) {
    expect(text).toContain(said);
  }
  expect(text).not.toContain('sees your statistic');

  const home = join(folder, 'a-strange-home');
  const { stdout: strange } = await suffice('key', '--home', home);
  for (const flag of ['--dry-run', '--yes']) {
    // The file is not even looked for.
    const refused = await suffice(
      ...['join', join(links, 'biscoe.invitation'), join(folder, 'no-such-file.csv')],
      ...['--quiet', '--home', home, flag],
    );
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain(
      `the study knows biscoe by another key than the one here, ${strange.slice(0, 12)}…; nothing was read and nothing was sent`,
    );
  }
  expect((await suffice('ledger', '--home', home, '--json')).stdout).not.toContain('biscoe');
  const { stdout: status } = await suffice('status', join(links, 'admin.link'), '--json');
  const states = JSON.parse(status).sites.map(({ state }: { state: string }) => state);
  expect(states).toEqual(['invited', 'invited', 'invited']);
});

it('groups are opened one by one to choose a ridge, and only if each is large enough', async () => {
  const names = Array.from({ length: 6 }, (_, k) => `site ${k}`);
  const six = await secureSetting(join(folder, 'six'), names);
  const study = studyFile(folder, 'folds', {
    ...JSON.parse(readFileSync(penguins('study.json'), 'utf8')),
    fusion: { kind: 'ridge', ridge: 'k-fold', folds: 2 },
    disclosure: { profile: 'none' },
  });
  const files = names.map((_, k) => partOfPenguins(join(folder, `site ${k}.csv`), k, 6));
  const links = await six.create(study, 'folded', '--folds', '2');
  for (const [k, site] of names.entries()) {
    const { code, stderr } = await six.join(links, site, files[k]);
    expect([code, stderr]).toEqual([0, '']);
  }
  await six.served.coordinator.runDueWork();
  const { stdout } = await suffice('report', join(links, 'admin.link'), '--json');
  const report = JSON.parse(stdout);
  const pooled = await suffice('fit', join(folder, 'six', 'folded.json'), ...files, '--json');
  const fit = JSON.parse(pooled.stdout);
  expect([report.digest, report.ridge, report.terms]).toEqual([fit.digest, fit.ridge, fit.terms]);
  expect(report.ridge.value).toBeGreaterThan(0);
  const { aggregation } = JSON.parse(readFileSync(join(folder, 'six', 'folded.json'), 'utf8'));
  expect([...foldsOf(aggregation.roster, 2).values()].toSorted()).toEqual([0, 0, 0, 1, 1, 1]);
  expect(() => aggregations['two-aggregators'].aggregation({ ...aggregation, folds: 3 })).toThrow(
    /3 groups of 3 sites or more need 9 sites, and the roster has 6/,
  );
});
