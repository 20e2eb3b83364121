import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { tagsInOrder } from '../src/disclosure/row-tags.ts';
import { createPool } from '../src/node/compute/pool.ts';
import { silentProgress } from '../src/node/run/progress.ts';
import { judgeOffer } from '../src/protocol/judge-offer.ts';
import { joinTagResults } from '../src/rows/tag-job.ts';
import { taggedColumns } from '../src/rows/tagged-columns.ts';
import { acceptFile, type FileRequest } from '../src/site/accepted-file.ts';
import { MismatchedColumns } from '../src/site/mismatched-columns.ts';
import { reduceSite, scanSite } from '../src/site/site-table.ts';
import type { TableStudy } from '../src/study/study.ts';
import { temporaryFolder } from './cli.ts';
import { agreement } from './linear.ts';
import { testTagKey as tagKey } from './tags-of.ts';

const folder = temporaryFolder();
const pool = createPool(1);
const quiet = () => silentProgress;

const study: TableStudy = {
  schema: 'suffice/study@1',
  formula: 'weight ~ age + sex + dose',
  codebook: {
    weight: { type: 'number', unit: 'kg', range: [40, 150] },
    age: { type: 'number', range: [18, 100], missing: ['', '-999'] },
    sex: { type: 'category', levels: ['female', 'male'] },
    dose: { type: 'category', levels: ['1', '2', '10'] },
  },
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
};
const agreed = agreement(study);

let files = 0;
function request(text: string, more: Partial<FileRequest> = {}): FileRequest {
  const path = join(folder, `${++files}.csv`);
  writeFileSync(path, text);
  return { agreed, site: 'north', rows: { path }, missing: 'drop', tagKey, ...more };
}

const header = 'age,sex,weight,dose,extra\n';

const good = `${header}44,female,70.5,1,x\n 45 ,"male","80.25",2.0,\n46,male,9.1e1,10,y\n`;
const comma = good.replace('2.0', '2').replaceAll(',', ';').replaceAll('.', ',');

/** What a person sees happen while a file is read. */
async function seen(of: FileRequest): Promise<readonly string[]> {
  const bars: string[] = [];
  await acceptFile(of, pool, (what) => {
    bars.push(what);
    return silentProgress;
  }).catch(() => {});
  return bars;
}

async function said(of: FileRequest) {
  const { source } = await scanSite(study, of.rows, of, pool, quiet);
  const sets = [{ columns: taggedColumns(agreed), form: 'cells' }] as const;
  const job = { kind: 'tag', source, tagKey, of: 'values', sets } as const;
  const [{ tags }] = await pool.run([job], joinTagResults, () => {});
  return tags[0];
}

describe('a file that matches the study', () => {
  it.each([
    ['every cell there', good],
    ['cells missing', `${good},female,60,1,\n-999,male,61,2,\n`],
  ])('is read once, and offers what a scan would: %s', async (_, text) => {
    const of = request(text);
    expect(await seen(of)).toEqual(['reducing']);
    const { table, reduced } = await acceptFile(of, pool, quiet);
    const scanned = await scanSite(study, of.rows, of, pool, quiet);
    expect(table).toEqual(scanned);
    const again = await reduceSite(agreed, 'north', scanned, of, pool, quiet);
    expect(reduced.summary).toEqual(again.summary);
  });

  it('has the tags of what its cells say', async () => {
    const of = request(good);
    const { reduced } = await acceptFile(of, pool, quiet);
    const tags = tagsInOrder(reduced.inspection.tags ?? []);
    expect(tags).toEqual(await said(of));
    expect(tags.length).toBe(3);
  });

  it.each([
    ['a missing cell is a text too', request(`${good}-999,male,61,2,\n`)],
    ['with a decimal comma', request(comma, { decimal: ',' })],
  ])('has none of them where values do not tell: %s', async (_, of) => {
    const { reduced } = await acceptFile(of, pool, quiet);
    expect(reduced.inspection.tags).toBeUndefined();
  });

  it('has none of them if it is no text: a date is a number in a table of numbers', async () => {
    const path = join(folder, 'rows.parquet');
    const column = (name: string, data: unknown[], type: 'DOUBLE' | 'STRING') => ({
      name,
      data,
      type,
    });
    const columnData = [
      column('age', [44, 45], 'DOUBLE'),
      column('sex', ['female', 'male'], 'STRING'),
      column('weight', [70, 80], 'DOUBLE'),
      column('dose', ['1', '2'], 'STRING'),
    ];
    writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData })));
    const { reduced } = await acceptFile({ ...request(''), rows: { path } }, pool, quiet);
    expect(reduced.summary.rows).toBe(2);
    expect(reduced.inspection.tags).toBeUndefined();
  });
});

describe('a file that does not match is refused as a scan refuses it', () => {
  it.each([
    ['a column is absent', 'age,sex,weight\n44,male,70\n'],
    ['numbers out of range', `${good}44,male,70500,1,\n45,male,80500,2,\n`],
    ['texts among numbers, an unknown level', `${good}old,other,70,1,\n`],
    ['a column is empty', `${header},female,70,1,\n,male,80,1,\n`],
    ['the other decimal mark', `${good.replaceAll(',', ';')}44;male;70,5;1;\n`],
  ])('%s', async (_, text) => {
    const of = request(text);
    const failure = await acceptFile(of, pool, quiet).catch((error) => error);
    const scanned = await scanSite(study, of.rows, of, pool, quiet);
    expect(failure).toBeInstanceOf(MismatchedColumns);
    expect(failure.mismatches).toEqual(judgeOffer(agreed, scanned.columns));
    expect(failure.mismatches).not.toEqual([]);
    expect(failure.otherDecimals).toEqual(scanned.otherDecimals);
  });

  it.each([
    ['no rows', header],
    ['a ragged row', `${good}44,male,70\n`],
    ['an open quote', `${good}44,"male,70,1,\n`],
    ['a number too large', `${good}44,male,1e200,1,\n`],
  ])('%s', async (_, text) => {
    const of = request(text);
    const [failure, scanned] = await Promise.all(
      [acceptFile, (o: FileRequest) => scanSite(study, o.rows, o, pool, quiet)].map((look) =>
        look(of, pool, quiet).catch((error: Error) => error),
      ),
    );
    expect(scanned).toBeInstanceOf(Error);
    expect(failure).toEqual(scanned);
  });

  it('what only the reduction refuses is said after the scan', async () => {
    const of = request(`${good}-999,male,61,2,\n`, { missing: 'refuse' });
    expect(await seen(of)).toEqual(['reducing', 'looking at the file']);
    await expect(acceptFile(of, pool, quiet)).rejects.toMatchObject({
      problem: 'the cell is missing',
      place: { row: 4, column: 'age' },
    });
  });
});
