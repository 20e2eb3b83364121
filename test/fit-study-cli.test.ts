import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { suffice, temporaryFolder } from './cli.ts';
import { islands, penguinPath } from './page-states.ts';

const root = temporaryFolder();
const paths = islands.map((island) => penguinPath(`${island}.csv`));
const study = penguinPath('study.json');

describe('suffice fit with a study in place of a formula', () => {
  it('solves what the formula and the codebook do, and tells of a site what it would send', () => {
    const codebook = join(mkdtempSync(join(root, 'fit-')), 'codebook.json');
    const { formula, codebook: columns } = JSON.parse(readFileSync(study, 'utf8'));
    writeFileSync(codebook, JSON.stringify(columns));
    const byStudy = suffice('fit', study, ...paths, '--json');
    const byFormula = suffice('fit', formula, ...paths, '--codebook', codebook, '--json');
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
  ])('refuses %s, which the study settles, and writes nothing', (...flag) => {
    const model = join(mkdtempSync(join(root, 'fit-')), 'model.json');
    const { code, stdout, stderr } = suffice(
      'fit',
      study,
      ...paths,
      ...flag,
      '--save-model',
      model,
    );
    expect([code, stdout, existsSync(model)]).toEqual([2, '', false]);
    expect(stderr).toContain(`the study settles what ${flag[0]} would`);
  });

  it('says what is wrong with the file', () => {
    const { code, stderr } = suffice('fit', join(root, 'none.json'), ...paths);
    expect(code).toBe(3);
    expect(stderr).toContain('none.json');
  });
});
