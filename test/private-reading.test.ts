import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { agreement, reduction } from '../src/federate.ts';
import { tryFile } from '../src/node/run/try-file.ts';
import { misfitsIn } from '../src/rows/read-rows.ts';
import type { PrivacyTerms, TableStudy } from '../src/study/study.ts';
import { type CellValue, inMemoryBlock } from '../src/table/in-memory.ts';
import { suffice, temporaryFolder } from './cli.ts';

const root = temporaryFolder();

const studyWith = (privacy?: PrivacyTerms): TableStudy => ({
  schema: 'suffice/study@1',
  formula: 'y ~ x + g',
  codebook: {
    y: { type: 'number', range: [0, 9] },
    x: { type: 'number', range: [0, 9], missing: ['', '99'] },
    g: { type: 'category', levels: ['a', 'b'] },
  },
  fusion: { kind: 'ridge', ridge: 1 },
  arithmetic: 'exact',
  ...(privacy === undefined ? {} : { privacy }),
});
const rows: PrivacyTerms = { epsilon: 8, delta: 1e-5, unit: 'row' };

const columns: Readonly<Record<string, CellValue[]>> = {
  y: [1, 20, 3, -4, 5, 6, 7],
  x: [1, 2, 1e200, 4, 99, 6, null],
  g: ['a', 'b', 'a', 'b', 'a', 'c', 'b'],
};
const expected = {
  rows: 4,
  dropped: 3,
  missing: { x: 2, g: 1 },
  adjusted: { bounded: { y: 2, x: 1 }, unlabelled: 0, beyondPerson: 0, valueless: 0 },
};

function csvFile(): string {
  const path = join(mkdtempSync(join(root, 'csv-')), 'rows.csv');
  const lines = columns.y.map((_, r) => ['y', 'x', 'g'].map((name) => columns[name][r]).join(','));
  writeFileSync(path, `${['y,x,g', ...lines].join('\n')}\n`);
  return path;
}

function parquetFile(): string {
  const path = join(mkdtempSync(join(root, 'parquet-')), 'rows.parquet');
  const columnData: Parameters<typeof parquetWriteBuffer>[0]['columnData'] = [
    { name: 'y', data: columns.y, type: 'DOUBLE' },
    { name: 'x', data: columns.x, type: 'DOUBLE', nullable: true },
    { name: 'g', data: columns.g, type: 'STRING' },
  ];
  writeFileSync(path, Buffer.from(parquetWriteBuffer({ columnData })));
  return path;
}

describe('a private study takes cells that do not fit', () => {
  const silent = () => ({ update() {}, done() {} });

  it.each([
    ['CSV', csvFile],
    ['Parquet', parquetFile],
  ])('of %s', async (_, file) => {
    expect(await tryFile(studyWith(rows), file(), {}, silent)).toMatchObject(expected);
  });

  it('of rows in memory', () => {
    const agreed = agreement(studyWith(rows));
    const wanted = agreed.columns.map((one) => ({ ...one, misfits: misfitsIn(agreed) }));
    const site = reduction(agreed, { file: 'rows', missing: 'drop' });
    site.add(inMemoryBlock(wanted, columns), (r) => r + 1);
    expect(site.finish()).toMatchObject(expected);
  });

  it('and a plain study refuses them', async () => {
    for (const file of [csvFile(), parquetFile()]) {
      const { refused } = await tryFile(studyWith(), file, {}, silent);
      expect(refused?.problem).toContain('outside the range');
    }
  });

  it('and says so to whoever tries the file or fits it', async () => {
    const folder = mkdtempSync(join(root, 'study-'));
    const study = join(folder, 'study.json');
    writeFileSync(study, JSON.stringify(studyWith(rows)));
    const check = await suffice('study', 'check', study, csvFile());
    expect(check.code).toBe(0);
    expect(check.stdout).toContain('cells moved to the nearest end of the range: y 2, x 1');
    const fit = await suffice('fit', study, csvFile(), '--force');
    expect(fit.stderr).toContain('rows, cells moved to the nearest end of the range: y 2, x 1');
  });
});

describe('in a private study no cell changes how others are read', () => {
  const silent = () => ({ update() {}, done() {} });
  const german = (rest: string) => {
    const path = join(mkdtempSync(join(root, 'german-')), 'rows.csv');
    writeFileSync(path, `y;x;g\n1,5;2;a\n2,5;3;b\n${rest}`);
    return path;
  };

  it('the decimal mark is what a person says', async () => {
    const counts = (privacy?: PrivacyTerms, decimal?: ',') =>
      tryFile(studyWith(privacy), german('3;4;a\n'), decimal ? { decimal } : {}, silent);
    expect(await counts(rows)).toMatchObject({ rows: 1, missing: { y: 2 } });
    expect(await counts(rows, ',')).toMatchObject({ rows: 3, missing: {} });
    expect(await counts()).toMatchObject({ rows: 3, missing: {} });
  });

  it('and a private fit asks for it', async () => {
    const fit = ['fit', 'y ~ x + g', german('3;4;a\n'), '--epsilon', '8', '--force'];
    const { code, stdout, stderr } = await suffice(...fit);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('2 of 3 cells have another decimal mark');
    expect((await suffice(...fit, '--decimal', ',')).code).toBe(0);
  });
});

describe('a private study is sent whatever bytes a cell has', () => {
  it.each([
    ['a level that is not UTF-8', '5,6,\xe4,p1'],
    ['a level with a NUL', '5,6,a\0,p1'],
    ['a number that is not UTF-8', '5,\xb2,a,p1'],
    ['an id that is not UTF-8', '5,6,a,\xe9'],
  ])('%s', async (_, odd) => {
    const folder = mkdtempSync(join(root, 'bytes-'));
    const person: PrivacyTerms = { ...rows, unit: 'person', person: 'who', rowsPerPerson: 1 };
    const study = join(folder, 'study.json');
    const { codebook, ...rest } = studyWith(person);
    writeFileSync(
      study,
      JSON.stringify({ ...rest, codebook: { ...codebook, who: { type: 'id' } } }),
    );
    const file = join(folder, 'rows.csv');
    writeFileSync(file, Buffer.from(`y,x,g,who\n1,2,a,p2\n${odd}\n`, 'latin1'));
    const out = join(folder, 'out.suffice');
    const home = join(folder, 'home');
    const args = ['contribute', study, file, '--out', out, '--home', home, '--json'];
    const { code, stderr } = await suffice(...args);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('changed while')]);
    expect(existsSync(out)).toBe(true);
  });
});
