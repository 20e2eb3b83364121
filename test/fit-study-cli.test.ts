import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { suffice, temporaryFolder } from './cli.ts';
import { islands, penguinPath } from './page-states.ts';

const root = temporaryFolder();
const paths = islands.map((island) => penguinPath(`${island}.csv`));
const study = penguinPath('study.json');

describe('suffice fit with a study in place of a formula', () => {
  it('solves what the formula and the codebook do, and tells of a site what it would send', async () => {
    const codebook = join(mkdtempSync(join(root, 'fit-')), 'codebook.json');
    const { formula, codebook: columns } = JSON.parse(readFileSync(study, 'utf8'));
    writeFileSync(codebook, JSON.stringify(columns));
    const byStudy = await suffice('fit', study, ...paths, '--json');
    const byFormula = await suffice('fit', formula, ...paths, '--codebook', codebook, '--json');
    expect([byStudy.code, byFormula.code]).toEqual([0, 0]);
    const { digest, sites, ...report } = JSON.parse(byStudy.stdout);
    const { digest: other, sites: told, ...pooled } = JSON.parse(byFormula.stdout);
    expect(report).toEqual(pooled);
    expect(digest).not.toBe(other);
    expect(told[0]).toEqual({ ...sites[0], missing: expect.anything() });
    expect(Object.keys(sites[0])).toEqual(['name', 'n', 'dropped']);
  });

  it.each([
    ['--ridge', '3'],
    ['--codebook', study],
    ['--epsilon', '1'],
    ['--arithmetic', 'exact'],
  ])('refuses %s, which the study fixes, and writes nothing', async (...flag) => {
    const model = join(mkdtempSync(join(root, 'fit-')), 'model.json');
    const { code, stdout, stderr } = await suffice(
      'fit',
      study,
      ...paths,
      ...flag,
      '--save-model',
      model,
    );
    expect([code, stdout, existsSync(model)]).toEqual([2, '', false]);
    expect(stderr).toContain(`the study already fixes ${flag[0]}`);
  });

  it('refuses a file whose name is no site of a study with site effects, and writes nothing', async () => {
    const folder = mkdtempSync(join(root, 'fit-'));
    const { formula, codebook, ...terms } = JSON.parse(readFileSync(study, 'utf8'));
    const named = { ...codebook, '.site': { type: 'category', levels: [...islands] } };
    const bySite = join(folder, 'study.json');
    writeFileSync(
      bySite,
      JSON.stringify({ ...terms, formula: `${formula} + .site`, codebook: named }),
    );
    const known = await suffice('fit', bySite, ...paths);
    expect([known.code, known.stderr]).toEqual([0, expect.not.stringContaining('no site')]);
    const renamed = join(folder, 'elsewhere.csv');
    writeFileSync(renamed, readFileSync(paths[2]));
    const model = join(folder, 'model.json');
    const files = [paths[0], paths[1], renamed];
    const { code, stdout, stderr } = await suffice('fit', bySite, ...files, '--save-model', model);
    expect([code, stdout, existsSync(model)]).toEqual([3, '', false]);
    expect(stderr).toContain('the study has no site named "elsewhere"');
    expect(stderr).toContain(`its sites are ${islands.join(', ')}`);
  });

  it('says what is wrong with the file', async () => {
    const { code, stderr } = await suffice('fit', join(root, 'none.json'), ...paths);
    expect(code).toBe(3);
    expect(stderr).toContain('none.json');
  });
});
