import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPool } from '../src/node/compute/pool.ts';
import { silentProgress } from '../src/node/run/progress.ts';
import { judgeOffer } from '../src/protocol/judge-offer.ts';
import type { OfferedColumn } from '../src/protocol/messages.ts';
import { scanSite } from '../src/site/site-table.ts';
import type { Codebook } from '../src/study/codebook.ts';
import type { TableStudy } from '../src/study/study.ts';
import { temporaryFolder } from './cli.ts';
import { agreement } from './linear.ts';

const folder = temporaryFolder();
const pool = createPool(1);

const codebook: Codebook = {
  weight: { type: 'number', unit: 'kg', range: [40, 150] },
  age: { type: 'number', unit: 'years', range: [18, 100], missing: ['', '-999'] },
  sex: { type: 'category', levels: ['female', 'male'] },
};

const study: TableStudy = {
  schema: 'suffice/study@1',
  formula: 'weight ~ age + sex',
  codebook,
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
};

let files = 0;

/** What a site with this file would offer to the study. */
async function offer(
  header: string,
  rows: readonly string[],
  decimal?: '.' | ',',
): Promise<readonly OfferedColumn[]> {
  const path = join(folder, `${++files}.csv`);
  writeFileSync(path, `${[header, ...rows].join('\n')}\n`);
  const choices = { missing: 'drop', ...(decimal === undefined ? {} : { decimal }) } as const;
  return (await scanSite(study, { path }, choices, pool, () => silentProgress)).columns;
}

const byName = (columns: readonly OfferedColumn[], name: string) =>
  columns.find((column) => column.name === name);

describe('an offer', () => {
  it('finds every column of a file that fits', async () => {
    const columns = await offer('age,sex,weight,extra', [
      '44,female,70.5,x',
      '-999,male,80,y',
      ',NA,90,z',
    ]);
    expect(columns).toEqual([
      { name: 'weight', found: 'number', unknownTexts: 0, range: 'inside' },
      { name: 'age', found: 'number', unknownTexts: 0, range: 'inside' },
      { name: 'sex', found: 'text', unknownTexts: 0, range: 'not-a-number' },
    ]);
    expect(judgeOffer(agreement(study), columns)).toEqual([]);
  });

  it('says which columns are absent, empty or text', async () => {
    const columns = await offer('weight,sex', ['heavy,', 'light,NA', 'NA,']);
    expect(byName(columns, 'age')).toMatchObject({ found: 'absent' });
    expect(byName(columns, 'sex')).toMatchObject({ found: 'empty' });
    expect(byName(columns, 'weight')).toMatchObject({ found: 'text', unknownTexts: 2 });
    expect(judgeOffer(agreement(study), columns).map(({ column }) => column)).toEqual([
      'weight',
      'age',
      'sex',
    ]);
  });

  it('counts levels and texts that the codebook does not list, never naming them', async () => {
    const secret = 'Zaphod';
    const columns = await offer('weight,age,sex', [
      `70,44,${secret}`,
      '71,N/A,Female',
      `x,45,${secret}`,
    ]);
    expect(byName(columns, 'sex')).toMatchObject({ unknownTexts: 2 });
    expect(byName(columns, 'age')).toMatchObject({ found: 'number', unknownTexts: 1 });
    expect(byName(columns, 'weight')).toMatchObject({ found: 'number', unknownTexts: 1 });
    const mismatches = judgeOffer(agreement(study), columns);
    expect(mismatches.map(({ column }) => column)).toEqual(['weight', 'age', 'sex']);
    expect(JSON.stringify([columns, mismatches])).not.toContain(secret);
  });

  it('takes a missing marker of one column for a number in another', async () => {
    const columns = await offer('weight,age,sex', ['-999,-999,male', '70,44,female']);
    expect(byName(columns, 'age')).toMatchObject({ range: 'inside' });
    expect(byName(columns, 'weight')).toMatchObject({ range: 'outside' });
  });

  it('reads a decimal comma where the cells show it, and where told if they do not', async () => {
    const rows = ['"70,5",44,male', '"80,25",50,female'];
    const unsure = ['"70,500",44,male', '"80,250",50,female'];
    const judged = async (cells: readonly string[], mark?: '.' | ',') =>
      judgeOffer(agreement(study), await offer('weight,age,sex', cells, mark));
    expect(await judged(rows)).toEqual([]);
    expect(await judged(rows, ',')).toEqual([]);
    expect(await judged(unsure, ',')).toEqual([]);
    await expect(judged(unsure)).rejects.toThrow('2 of 2 cells look like 1,234');
    expect(await judged(['70.5,44,male', '"80,25",50,female'])).toHaveLength(1);
  });

  it.each([
    ['g', 1000, 'a thousand times too large'],
    ['t', 0.001, 'a thousand times too small'],
    ['hg', 10, 'ten times too large'],
    ['dag', 100, 'a hundred times too large'],
    ['ten kg', 0.1, 'ten times too small'],
    ['hundred kg', 0.01, 'a hundred times too small'],
    ['lb at 1e6', 1e6, undefined],
  ])('suspects a weight in %s', async (_, factor, suspicion) => {
    const rows = [60, 80, 120].map((weight) => `${weight * factor},44,male`);
    const columns = await offer('weight,age,sex', rows);
    expect(byName(columns, 'weight')).toEqual({
      name: 'weight',
      found: 'number',
      unknownTexts: 0,
      range: 'outside',
      ...(suspicion === undefined ? {} : { suspicion }),
    });
    const [mismatch, ...others] = judgeOffer(agreement(study), columns);
    expect(others).toEqual([]);
    expect(mismatch.problem).toContain('from 40 to 150 kg');
    if (suspicion !== undefined) expect(mismatch.remedy).toContain(suspicion);
  });

  it('holds no number and no text of the file, whatever is in it', async () => {
    const value = fc.integer({ min: 100_000, max: 999_999 });
    await fc.assert(
      fc.asyncProperty(value, value, value, async (a, b, c) => {
        const columns = await offer('weight,age,sex', [`${a},t${b},level${c}`]);
        const said = JSON.stringify([columns, judgeOffer(agreement(study), columns)]);
        for (const one of [a, b, c]) expect(said).not.toContain(String(one));
      }),
      { numRuns: 20 },
    );
  });

  it('is refused for a file without rows', async () => {
    await expect(offer('weight,age,sex', [])).rejects.toThrow('no data rows');
  });
});

describe('a judgement', () => {
  it('misses nothing the study needs and minds nothing it does not', () => {
    const fine = (name: string): OfferedColumn => ({
      name,
      found: 'number',
      unknownTexts: 0,
      range: 'inside',
    });
    const names = ['weight', 'age', 'sex'];
    fc.assert(
      fc.property(fc.subarray(names), (given) => {
        const absent = judgeOffer(agreement(study), [...given, 'extra'].map(fine));
        expect(absent.map(({ column }) => column)).toEqual(
          names.filter((name) => !given.includes(name)),
        );
      }),
    );
  });
});
