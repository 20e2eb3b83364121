import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agreement } from '../src/federate.ts';
import { useCredentials } from '../src/node/database/credentials.ts';
import { answersOfDatabase } from '../src/node/database/database-answers.ts';
import type { TableStudy } from '../src/study/study.ts';
import { runSuffice, temporaryFolder } from './cli.ts';
import {
  clickhouseDatabase,
  duckdbDatabase,
  postgresDatabase,
  type TestDatabase,
  type TestTable,
  whyNoClickhouse,
} from './database-tables.ts';
import { enduring } from './endurance.ts';
import { mariadbDatabase, whyNoMariadb } from './mariadb-server.ts';
import { servedStudy } from './served-study.ts';

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
  ['MariaDB', mariadbDatabase, enduring && whyNoMariadb() === undefined],
];

describe.each(engines.filter(([, , here]) => here))('sums that %s computes', (kind, start) => {
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

  it('give the report of the rows of a select, with weights', async () => {
    const select = `${address.split('#')[0]}#select y, x, ward from patients where y < 50`;
    const weighted = ['y ~ ward', select, '--weights', 'x', '--pushdown'];
    const [read, computed] = [
      await fitted(...weighted, 'never'),
      await fitted(...weighted, 'always'),
    ];
    expect(read.code, read.stderr).toBe(0);
    expect(computed.code, computed.stderr).toBe(0);
    expect(computed.stderr).toContain('the database computes the sums');
    expect(JSON.parse(computed.stdout)).toEqual(JSON.parse(read.stdout));
  });

  it('are not asked for of a small table, which is said', async () => {
    const { code, stderr } = await fitted(path, address);
    expect([code, stderr]).toEqual([0, expect.stringContaining('700 rows are soon read')]);
  });

  it('are refused by name where only a reader of rows can do it', async () => {
    const refused = await fitted('y ~ log(x + 1)', address, '--pushdown', 'always');
    expect([refused.code, refused.stdout]).toEqual([3, '']);
    expect(refused.stderr).toContain('log(x + 1) is not the same to the last bit');
  });

  it.runIf(kind === 'ClickHouse')('are refused for types that lose a bit', async () => {
    const long = `${address.split('#')[0]}#select y, toDecimal64(y, 6) as x from patients`;
    const refused = await fitted('y ~ x', long, '--pushdown', 'always');
    expect([refused.code, refused.stdout]).toEqual([3, '']);
    expect(refused.stderr).toContain(
      'ClickHouse does not compute exactly with Nullable(Decimal(18, 6)) of x',
    );
  });

  it('give a contribution the bytes of the rows, with the facts for the rules', async () => {
    const audited = join(folder, 'audited.json');
    // The facts of products are many, and slow to ask for; the reports above have the whole formula.
    const formula = enduring ? study.formula : 'y ~ x + ward + smoker';
    const disclosure = { profile: 'default' };
    writeFileSync(audited, JSON.stringify({ ...study, formula, disclosure }));
    const made = async (when: string) => {
      const out = join(folder, `${kind}-${when}.suffice`);
      const home = join(folder, `home-${kind}-${when}`);
      const flags = ['--unsigned', '--out', out, '--home', home, '--pushdown', when, '--json'];
      const { code, stdout, stderr } = await runSuffice(
        ['contribute', audited, address, ...flags, '--acknowledge', 'R5,R6,R7,R9', '--quiet'],
        { env: database.env },
      );
      expect(code, stderr).toBe(0);
      return { bytes: readFileSync(out), audit: JSON.parse(stdout).audit };
    };
    const [read, computed] = [await made('never'), await made('always')];
    expect(computed.bytes.equals(read.bytes)).toBe(true);
    expect(computed.audit.rules.map(({ rule }: { rule: string }) => rule)).toEqual(
      read.audit.rules.map(({ rule }: { rule: string }) => rule),
    );
  });

  it.runIf(kind === 'DuckDB')('have rules that judge weights as they do for rows', async () => {
    const weighted = join(folder, 'weighted.json');
    // One row has most of the weight of its ward.
    const select = `${address.split('#')[0]}#select y, x, ward, case when y = 4.5 then 4000 else 1 + x / 400 end as g from patients`;
    const g = { type: 'number', range: [0, 5000] };
    const { smoker: _, ...codebook } = study.codebook;
    writeFileSync(
      weighted,
      JSON.stringify({
        ...{ ...study, formula: 'y ~ x + ward', codebook: { ...codebook, g }, weights: 'g' },
        disclosure: { profile: 'default' },
      }),
    );
    const judged = async (when: string) => {
      const flags = ['--dry-run', '--json', '--quiet', '--home', join(folder, `heavy-${when}`)];
      const { stdout } = await runSuffice(
        ['contribute', weighted, select, '--unsigned', '--pushdown', when, ...flags],
        { env: database.env },
      );
      const { rules } = JSON.parse(stdout).audit as {
        rules: readonly { readonly rule: string; readonly unjudged?: string }[];
      };
      return new Map(rules.map(({ rule, ...rest }) => [rule, rest]));
    };
    const [read, computed] = [await judged('never'), await judged('always')];
    for (const rule of ['R0', 'R1', 'R2', 'R3', 'R4', 'R5', 'R7', 'R8']) {
      expect(computed.get(rule), rule).toEqual(read.get(rule));
    }
    expect(JSON.stringify(read.get('R3'))).toContain('of the weight');
    expect(JSON.stringify(read.get('R6'))).not.toContain('not measured');
    expect(JSON.stringify(computed.get('R6'))).toContain('not measured');
  });

  it('join a study, asked now or run before by the people of the site', async () => {
    const open = join(folder, `open-${kind}`);
    mkdirSync(open);
    const running = await servedStudy(open, study as TableStudy, ['asked', 'run']);
    const joined = (site: string, ...rows: readonly string[]) =>
      runSuffice(
        [
          ...['join', running.invitation(site), ...rows, '--yes', '--quiet'],
          ...['--acknowledge', 'none', '--home', join(open, site)],
        ],
        { env: database.env },
      );
    const asked = await joined('asked', address, '--pushdown', 'always');
    expect([asked.code, asked.stderr]).toEqual([0, '']);
    useCredentials({ env: database.env });
    const agreed = agreement(study as TableStudy);
    const { answers } = await answersOfDatabase(address, agreed, 'run');
    const files = answers.map((answer, k) => {
      const path = join(open, `answer-${k}.json`);
      const objects = answer.rows.map((row) =>
        Object.fromEntries(row.map((cell, c) => [answer.columns[c], cell])),
      );
      writeFileSync(path, JSON.stringify(objects));
      return path;
    });
    const run = await joined('run', '--from-result', ...files);
    expect([run.code, run.stderr]).toEqual([0, '']);
    const { sites } = await running.admin.view();
    const rowsOf = JSON.parse((await fitted(path, address, '--pushdown', 'never')).stdout).n;
    expect(sites.map(({ state, n }) => [state, n])).toEqual([
      ['contributed', rowsOf],
      ['contributed', rowsOf],
    ]);
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
