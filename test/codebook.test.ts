import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { fitReport, suffice, temporaryFolder } from './cli.ts';

const folder = temporaryFolder();
const islands = ['biscoe', 'dream', 'torgersen'];
const penguins = islands.map((name) => `examples/penguins/${name}.csv`);
const formula = 'body_mass ~ flipper_length + sex * species';

describe('a drafted codebook', () => {
  it('is saved, shown, and gives the same study when it comes back', async () => {
    const path = join(folder, 'codebook.json');
    const drafted = await fitReport(formula, penguins, '--save-codebook', path);
    const given = await fitReport(formula, penguins, '--codebook', path);
    expect(given).toEqual(drafted);
    const { stdout } = await suffice('fit', formula, ...penguins, '--dry-run', '--show-codebook');
    expect(stdout.startsWith(readFileSync(path, 'utf8'))).toBe(true);
    expect(stdout).toContain('nothing was reduced');
  });

  it('holds what all files hold together, whichever comes first', async () => {
    const { stdout } = await suffice(
      'fit',
      'body_mass ~ species',
      ...penguins.toReversed(),
      '--dry-run',
      '--show-codebook',
    );
    expect(stdout).toContain('"levels":["Adelie","Chinstrap","Gentoo"]');
    expect(stdout).toContain('"range":[2700,6300]');
  });

  it('tells a number used as a factor, and one used both ways', async () => {
    const path = join(folder, 'grades.csv');
    writeFileSync(path, 'y,g\n1,1\n2,2.0\n4,3\n4,1\n7,3\n9,2\n');
    const factor = await fitReport('y ~ factor(g)', [path]);
    expect(factor.terms?.map((row) => row.term)).toEqual([
      '(Intercept)',
      'factor(g)2',
      'factor(g)3',
    ]);
    const both = await fitReport('y ~ g + factor(g)', [path]);
    expect(both.terms?.map((row) => row.term)).toEqual(['(Intercept)', 'g', 'factor(g)2']);
    expect(both.aliased).toEqual(['factor(g)3']);
  });

  it('that does not describe a column is refused by name', async () => {
    const path = join(folder, 'short.json');
    writeFileSync(path, '{"body_mass":{"type":"number","range":[2000,7000]}}');
    const { code, stderr } = await suffice(
      'fit',
      'body_mass ~ sex',
      ...penguins,
      '--codebook',
      path,
    );
    expect(code).toBe(3);
    expect(stderr).toContain('column "sex": the codebook does not describe it');
  });

  it('that is no JSON, or breaks a rule, is refused before any file is read', async () => {
    const path = join(folder, 'broken.json');
    writeFileSync(path, '{');
    expect((await suffice('fit', 'y ~ x', 'nowhere.csv', '--codebook', path)).stderr).toContain(
      'is not JSON',
    );
    writeFileSync(path, '{"y":{"type":"number","range":[3,1]}}');
    const { code, stderr } = await suffice('fit', 'y ~ x', 'nowhere.csv', '--codebook', path);
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining('y.range: range must run from low to high'),
    ]);
  });
});

describe('Parquet', () => {
  it('gives the report of the same rows in CSV, drafted, mixed with CSV sites', async () => {
    const lines = readFileSync(penguins[1], 'utf8').trimEnd().split('\n');
    const cells = lines.slice(1).map((line) => line.split(','));
    const column = (name: string) => cells.map((row) => row[lines[0].split(',').indexOf(name)]);
    const numbers = (name: string) =>
      column(name).map((text) => (text === 'NA' ? null : Number(text)));
    const texts = (name: string) => column(name).map((text) => (text === 'NA' ? null : text));
    const path = join(folder, 'dream.parquet');
    const file = parquetWriteBuffer({
      columnData: [
        { name: 'species', data: texts('species'), type: 'STRING' },
        { name: 'flipper_length', data: numbers('flipper_length'), type: 'DOUBLE' },
        { name: 'body_mass', data: numbers('body_mass'), type: 'DOUBLE' },
        { name: 'sex', data: texts('sex'), type: 'STRING' },
      ],
    });
    writeFileSync(path, new Uint8Array(file));
    const mixed = await fitReport(formula, [penguins[0], path, penguins[2]]);
    const plain = await fitReport(formula, penguins);
    expect(mixed.terms).toEqual(plain.terms);
    expect(mixed.sites).toEqual(plain.sites);
    expect(mixed.digest).toBe(plain.digest);
  });
});
