import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSuffice, temporaryFolder } from './cli.ts';
import {
  clickhouseDatabase,
  duckdbDatabase,
  postgresDatabase,
  type TestDatabase,
  type TestTable,
  whyNoClickhouse,
} from './database-tables.ts';

const folder = temporaryFolder();

const rows = Array.from({ length: 700 }, (_, r) => [
  (((r * 7919) % 1000) / 8 - 60).toString(),
  r % 97 === 5 ? null : (((r * 104729) % 997) / 3).toFixed(3),
  r % 89 === 7 ? null : ['ward a', 'ward b', 'ward c'][(r * 31) % 3],
  r % 71 === 3 ? null : String(r % 5 < 2),
]);
const table: TestTable = {
  columns: { y: 'number', x: 'decimal', ward: 'text', smoker: 'truth' },
  rows,
};
const study = {
  schema: 'suffice/study@1',
  formula: 'y ~ x + I(x^2) + ward*smoker',
  codebook: {
    y: { type: 'number', range: [-100, 100] },
    x: { type: 'number', range: [0, 400] },
    ward: { type: 'category', levels: ['ward a', 'ward b', 'ward c'] },
    smoker: { type: 'category', levels: ['FALSE', 'TRUE'] },
  },
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
  disclosure: { profile: 'none' },
};

const engines: readonly (readonly [string, () => Promise<TestDatabase>, boolean])[] = [
  ['PostgreSQL', postgresDatabase, true],
  ['DuckDB', () => duckdbDatabase(folder), true],
  ['ClickHouse', clickhouseDatabase, whyNoClickhouse() === undefined],
];

describe.each(engines.filter(([, , here]) => here))('sums that %s computes', (_, start) => {
  let database: TestDatabase;
  let address: string;
  const path = join(folder, 'study.json');
  beforeAll(async () => {
    database = await start();
    address = await database.put('patients', table);
    writeFileSync(path, JSON.stringify(study));
  });
  afterAll(() => database?.stop());

  const fitted = (...args: readonly string[]) =>
    runSuffice(['fit', ...args, '--json'], { env: database.env });

  it('give the report of the rows, to the last digit', async () => {
    const read = await fitted(path, address, '--pushdown', 'never');
    const computed = await fitted(path, address, '--pushdown', 'always');
    expect([read.code, read.stderr]).toEqual([0, '']);
    expect(computed.stderr).toContain('the database computes the sums of 700 rows by a query');
    expect(JSON.parse(computed.stdout)).toEqual(JSON.parse(read.stdout));
    expect(JSON.parse(read.stdout).n).toBeGreaterThan(600);
  });

  it('are not asked for of a small table, which is said', async () => {
    const { code, stderr } = await fitted(path, address);
    expect([code, stderr]).toEqual([0, expect.stringContaining('700 rows are soon read')]);
  });

  it('are refused by name where only a reader of rows can do it', async () => {
    const refused = await fitted('y ~ x', address, '--weights', 'x', '--pushdown', 'always');
    expect([refused.code, refused.stdout]).toEqual([3, '']);
    expect(refused.stderr).toContain('the database does not compute these sums: weights');
  });

  it('are refused where the rows are those that the codebook refuses', async () => {
    const spoilt = {
      ...table,
      rows: rows.map((row, r) => (r === 300 ? ['1e9', ...row.slice(1)] : row)),
    };
    const there = await database.put('spoilt', spoilt);
    for (const when of ['never', 'always']) {
      const { code, stdout, stderr } = await fitted(path, there, '--pushdown', when);
      expect([code, stdout]).toEqual([3, '']);
      expect(stderr).toContain('"column":"y"');
    }
  });
});
