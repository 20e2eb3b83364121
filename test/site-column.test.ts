import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fitReport, suffice, temporaryFolder } from './cli.ts';

const folder = temporaryFolder();
const islands = ['biscoe', 'dream', 'torgersen'];
const paths = islands.map((island) => `examples/penguins/${island}.csv`);
const formula = 'body_mass ~ bill_length + sex + species';

/** The three island files as one, with a column that names the island. */
function oneFile(name: string, island: (name: string, row: number) => string): string {
  const tables = paths.map((path) => readFileSync(path, 'utf8').trimEnd().split('\n'));
  const lines = tables.flatMap((table, k) =>
    table.slice(1).map((line, r) => `${line},${island(islands[k], r)}`),
  );
  const path = join(folder, name);
  writeFileSync(path, `${[`${tables[0][0]},island`, ...lines].join('\n')}\n`);
  return path;
}

describe('--site-column', () => {
  it('splits one file into the sites that several files are', async () => {
    const files = await fitReport(formula, paths);
    const column = await fitReport(
      formula,
      [oneFile('all.csv', (name) => name)],
      '--site-column',
      'island',
    );
    expect(column.terms).toEqual(files.terms);
    expect(column.glance).toEqual(files.glance);
    expect(column.sites).toEqual(files.sites);
  });

  it('gives the sites effects of their own through .site', async () => {
    const files = await fitReport(`${formula} + .site`, paths);
    const path = oneFile('effects.csv', (name) => name);
    const column = await fitReport(`${formula} + .site`, [path], '--site-column', 'island');
    expect(column.terms).toEqual(files.terms);
    expect(files.terms?.map((row) => row.term)).toContain('.sitedream');
  });

  it('refuses a row that belongs to no site', async () => {
    const path = oneFile('nowhere.csv', (name, r) => (name === 'dream' && r === 4 ? '' : name));
    const { code, stderr } = await suffice('fit', formula, path, '--site-column', 'island');
    expect(code).toBe(3);
    expect(stderr).toContain('row 173, column "island": the row belongs to no site');
  });
});
