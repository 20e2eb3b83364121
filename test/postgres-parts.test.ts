import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agreement } from '../src/federate.ts';
import { useCredentials } from '../src/node/database/credentials.ts';
import type { OpenTable } from '../src/node/database/engine.ts';
import { postgresEngine } from '../src/node/database/postgres.ts';
import { rowHash, stateOfParts } from '../src/node/database/postgres-parts.ts';
import { databaseAddress } from '../src/rows/database-address.ts';
import { dialects } from '../src/sql/dialects.ts';
import { partsQuery } from '../src/sql/parts-query.ts';
import { sumsQuery } from '../src/sql/sums-query.ts';
import type { TableStudy } from '../src/study/study.ts';
import { runSuffice, temporaryFolder } from './cli.ts';
import { enduring } from './endurance.ts';
import { startParts, type TestParts } from './postgres-parts.ts';

const folder = temporaryFolder();
const ROWS = 600;
const columns = 'y float8, x numeric, ward text, smoker boolean, short real';

const study: TableStudy = {
  schema: 'suffice/study@1',
  formula: 'y ~ x + I(x^2) + ward + smoker',
  codebook: {
    y: { type: 'number', range: [-100, 100] },
    x: { type: 'number', range: [0, 400] },
    ward: { type: 'category', levels: ['ward a', 'ward b'] },
    smoker: { type: 'category', levels: ['FALSE', 'TRUE'] },
  },
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
  disclosure: { profile: 'none' },
};
const agreed = agreement(study);

const rows = Array.from({ length: ROWS }, (_, r) => [
  ['north', 'east', 'south'][r % 3]!,
  String(((r * 7919) % 1000) / 8 - 60),
  r % 97 === 5 ? null : (((r * 104729) % 997) / 3).toFixed(3),
  r % 89 === 7 ? null : ['ward a', ' ward b'][(r * 31) % 2]!,
  r % 71 === 3 ? null : String(r % 5 < 2),
  '0.5',
]);

describe('a table whose parts other servers hold', () => {
  let parts: TestParts;
  let address: string;
  const path = join(folder, 'study.json');
  beforeAll(async () => {
    writeFileSync(path, JSON.stringify(study));
    parts = await startParts(columns, enduring);
    address = `${parts.place}#patients`;
    for (const [k, holder] of parts.holders.entries()) {
      const own = rows.filter((_, r) => r % 3 === k);
      await holder.query('insert into rows select * from json_populate_recordset(null::rows, $1)', [
        JSON.stringify(
          own.map(([clinic, y, x, ward, smoker, short]) => ({ clinic, y, x, ward, smoker, short })),
        ),
      ]);
    }
  });
  afterAll(() => parts?.stop());

  const fitted = (where: string, ...flags: readonly string[]) =>
    runSuffice(['fit', path, where, ...flags, '--json'], { env: parts.env });
  const opened = () => {
    useCredentials({ env: parts.env });
    return postgresEngine.open(databaseAddress(address));
  };
  /** What a query asks the other servers, and how many rows each of them sends. */
  const sentFor = async (table: OpenTable, sql: string) => {
    const plan = await table.query(`explain (analyze, verbose, costs off, timing off) ${sql}`);
    const text = plan.rows.map(([line]) => line).join('\n');
    return {
      asked: text.match(/(?<=Remote SQL: ).*/g) ?? [],
      rows: Array.from(text.matchAll(/Foreign Scan.*actual rows=(\d+)/g), ([, n]) => Number(n)),
    };
  };

  it('is summed by the servers that hold them, with the digest of the rows', async () => {
    const computed = await fitted(address, '--pushdown', 'always');
    const read = await fitted(address, '--pushdown', 'never');
    expect([computed.code, computed.stderr]).toEqual([
      0,
      expect.stringContaining('the servers that hold the rows send sums, and no row'),
    ]);
    expect(JSON.parse(computed.stdout)).toEqual(JSON.parse(read.stdout));
    const file = join(folder, 'rows.csv');
    const lines = rows.map((row) => row.map((cell) => cell ?? '').join(','));
    writeFileSync(file, `clinic,y,x,ward,smoker,short\n${lines.join('\n')}\n`);
    const { digest } = JSON.parse(read.stdout);
    expect(JSON.parse((await fitted(file)).stdout).digest).toBe(digest);
    // The holders themselves, one after the other.
    const three = await runSuffice(
      ['fit', path, ...parts.own.map((place) => `${place}#rows`), '--pushdown', 'always', '--json'],
      { env: { PGPASSWORD: 'postgres' } },
    );
    expect([three.code, JSON.parse(three.stdout).digest]).toEqual([0, digest]);
  });

  it('sends sums, and no row: the plans say so', async () => {
    const table = await opened();
    expect(table.elsewhere!.parts).toEqual(['east_rows', 'north_rows', 'south_rows']);
    const queries = partsQuery(agreed, dialects.postgres, table.elsewhere!.parts, {
      types: { y: 'double', x: 'decimal', ward: 'text', smoker: 'boolean' },
    })!;
    expect(queries.length).toBe(2);
    const state = stateOfParts(table.elsewhere!.parts, rowHash(table.columns)!);
    for (const sql of [...queries.map((query) => query.sql), state]) {
      const { asked, rows: sent } = await sentFor(table, sql);
      expect(sent).toEqual([1, 1, 1]);
      for (const one of asked)
        expect(one).toMatch(/^SELECT (count\(\*\)|sum\().* FROM public\.rows/);
    }
    // An aggregate on the parent fetches the rows.
    const [whole] = sumsQuery(agreed, dialects.postgres, table.from);
    const { asked, rows: sent } = await sentFor(table, whole!.sql);
    expect(sent).toEqual([ROWS / 3, ROWS / 3, ROWS / 3]);
    expect(asked[0]).toBe('SELECT y, x, ward, smoker FROM public.rows');
    await table.close();
  });

  it('is summed by the server that was asked where the others cannot be, which is said', async () => {
    const other = join(folder, 'short.json');
    const codebook = { ...study.codebook, short: { type: 'number', range: [0, 1] } };
    writeFileSync(other, JSON.stringify({ ...study, formula: 'y ~ short:x', codebook }));
    const when = (choice: string) =>
      runSuffice(['fit', other, address, '--pushdown', choice, '--json'], { env: parts.env });
    const [computed, read] = [await when('always'), await when('never')];
    expect(computed.stderr).toContain(
      'its servers send each other rows: the server of east_rows cannot be sent these sums',
    );
    expect(JSON.parse(computed.stdout)).toEqual(JSON.parse(read.stdout));
    await parts.admin.query(`revoke select on south_rows from ${parts.reader}`);
    const closed = await fitted(address, '--pushdown', 'always');
    await parts.admin.query(`grant select on south_rows to ${parts.reader}`);
    expect(closed.stderr).toContain('the role may read south_rows through its parent only');
    expect(closed.code).toBe(0);
  });

  it.runIf(enduring)(
    'gives a contribution the bytes of the rows, with the facts for the rules',
    async () => {
      const audited = join(folder, 'audited.json');
      writeFileSync(audited, JSON.stringify({ ...study, disclosure: { profile: 'default' } }));
      const made = async (when: string) => {
        const out = join(folder, `${when}.suffice`);
        const flags = [
          '--unsigned',
          '--out',
          out,
          '--home',
          join(folder, when),
          '--pushdown',
          when,
        ];
        const { code, stderr } = await runSuffice(
          ['contribute', audited, address, ...flags, '--acknowledge', 'R5,R6,R7,R9', '--quiet'],
          { env: parts.env },
        );
        expect(code, stderr).toBe(0);
        return readFileSync(out);
      };
      expect((await made('always')).equals(await made('never'))).toBe(true);
    },
  );

  it('keeps one state of each server from its first query on, not one moment for all', async () => {
    const table = await opened();
    const [north, , south] = parts.holders;
    const grow = (holder = north!) => holder.query("insert into rows (clinic, y) values ('x', 1)");
    await Promise.all([grow(), grow(south)]);
    const counted = async () =>
      (await table.query('select count(*) from patients')).rows.map(([count]) => Number(count));
    expect(await counted()).toEqual([ROWS]);
    await table.close();
    const again = await opened();
    expect(again.rows).toBe(ROWS + 2);
    expect(again.state.state).not.toBe(table.state.state);
    await again.close();
    // A transaction of somebody else, which asks the servers one after the other.
    await parts.admin.query(
      `create user mapping for current_user server north options (user 'postgres', password 'postgres');
       create user mapping for current_user server south options (user 'postgres', password 'postgres')`,
    );
    await parts.admin.query('begin isolation level repeatable read');
    const seen = async (part: string) =>
      Number((await parts.admin.query(`select count(*) from ${part}`)).rows[0].count);
    const before = await seen('north_rows');
    await Promise.all([grow(), grow(south)]);
    expect([await seen('north_rows'), await seen('south_rows')]).toEqual([before, before + 1]);
    await parts.admin.query('rollback');
    for (const holder of [north, south]) await holder!.query("delete from rows where clinic = 'x'");
  });
});
