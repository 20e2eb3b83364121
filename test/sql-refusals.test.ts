import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agreement } from '../src/federate.ts';
import type { SqlDialect } from '../src/sql/dialect.ts';
import { dialects } from '../src/sql/dialects.ts';
import type { SqlAnswer } from '../src/sql/sql-answer.ts';
import { summaryFrom } from '../src/sql/summary-from.ts';
import { sumsQuery } from '../src/sql/sums-query.ts';
import { ringEntry } from '../src/statistic/ring.ts';
import type { TableStudy } from '../src/study/study.ts';
import { temporaryFolder } from './cli.ts';
import { enduring } from './endurance.ts';
import { ask, byReading } from './sql-asked.ts';
import { enginesHere, load, type RunningEngine, testEngines } from './sql-engines.ts';
import { randomStudy, type TestTable } from './sql-tables.ts';

const folder = temporaryFolder();

const study: TableStudy = {
  schema: 'suffice/study@1',
  formula: 'y ~ x + c + factor(k)',
  codebook: {
    y: { type: 'number', range: [0, 10] },
    x: { type: 'number', range: [-4, 4] },
    c: { type: 'category', levels: ['a', 'b'] },
    k: { type: 'number', range: [0, 9], levels: ['1', '2'] },
  },
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
};
const agreed = agreement(study);
const columns: TestTable['columns'] = [
  { name: 'y', type: 'double' },
  { name: 'x', type: 'double' },
  { name: 'c', type: 'text' },
  { name: 'k', type: 'integer' },
];
const good: TestTable['rows'] = [
  ['1', '2.5', 'a', '1'],
  ['2', '-1', 'b', '2'],
  ['3', '0.5', 'b', '1'],
];
const duckdb = testEngines.find(({ name }) => name === 'duckdb')!;

describe('an answer is refused', () => {
  let running: RunningEngine;
  let tables = 0;
  beforeAll(async () => {
    running = await duckdb.start();
  });
  afterAll(() => running?.stop());

  const loaded = async (rows: TestTable['rows']) => {
    const name = `t${++tables}`;
    await load(duckdb, running, name, { columns, rows });
    return name;
  };
  const answersTo = async (rows: TestTable['rows'], dialect: SqlDialect = dialects.duckdb) =>
    ask(running, sumsQuery(agreed, dialect, await loaded(rows)));

  it.each([
    ['a number outside its range', ['1', '-1234.5', 'a', '1'], 'x', '-1234.5'],
    ['a level that the codebook lacks', ['1', '1', 'secret', '1'], 'c', 'secret'],
    ['a number that is no level of factor()', ['1', '1', 'a', '7'], 'k', '7'],
    ['an infinite number', ['1', 'Infinity', 'a', '1'], 'x', 'Infinity'],
  ])('for %s, without the value', async (_, row, column, value) => {
    const cells = row.map((cell) => (cell === 'Infinity' ? "'Infinity'::DOUBLE" : cell));
    const name = await loaded(good);
    const literal = cells.map((cell, k) => (k === 2 ? `'${cell}'` : cell)).join(', ');
    await running.run(`insert into ${name} values (${literal})`);
    const answers = await ask(running, sumsQuery(agreed, dialects.duckdb, name));
    const read = () => summaryFrom(agreed, answers);
    expect(read).toThrow(expect.objectContaining({ place: expect.objectContaining({ column }) }));
    expect(read).toThrow(/^[^:]*: 1 (cells|values) /);
    expect(read).not.toThrow(value);
  });

  it('for missing cells where the study’s site refuses them, and dropped otherwise', async () => {
    const answers = await answersTo([...good, [null, '1', 'a', '1'], ['1', '1', null, '1']]);
    expect(summaryFrom(agreed, answers)).toMatchObject({
      rows: 3,
      dropped: 2,
      missing: { y: 1, c: 1 },
    });
    expect(() => summaryFrom(agreed, answers, { missing: 'refuse' })).toThrow(
      '1 cells are missing',
    );
  });

  it('not for NaN, which is missing as in a file, nor for a short float, which is what its text says', async () => {
    await running.run('create table odd (y double, x float, c varchar, k integer)');
    await running.run(
      "insert into odd values (1, 0.1, 'a', 1), ('NaN', 0.3, 'b', 2), (3, 0.7, ' b ', 2)",
    );
    const answers = await ask(running, sumsQuery(agreed, dialects.duckdb, 'odd'));
    const table: TestTable = {
      columns,
      rows: [
        ['1', '0.1', 'a', '1'],
        ['NaN', '0.3', 'b', '2'],
        ['3', '0.7', ' b ', '2'],
      ],
    };
    const { summary } = await byReading({ study, table }, folder, 'odd');
    expect(summaryFrom(agreed, answers)).toEqual(summary);
    expect(summary).toMatchObject({ rows: 2, missing: { y: 1 } });
  });

  it('for no row at all', async () => {
    const answers = await answersTo([[null, '1', 'a', '1']]);
    expect(() => summaryFrom(agreed, answers)).toThrow('no row can be used');
  });

  it('of another study', async () => {
    const answers = await answersTo(good);
    const other = agreement({ ...study, formula: 'y ~ x + c' });
    expect(() => summaryFrom(other, answers)).toThrow('of another study');
  });

  it('with a sum that was changed, and it names the engine', async () => {
    const answers = await answersTo(good);
    const changed = (name: string): SqlAnswer[] =>
      answers.map(({ columns: names, rows }) => ({
        columns: names,
        rows: rows.map((row) =>
          row.map((cell, k) => (names[k] === name ? String(BigInt(cell!) + 2n ** 64n) : cell)),
        ),
      }));
    const sums = answers[0]!.columns.filter((name) => name.startsWith('s_'));
    expect(sums.length).toBeGreaterThan(15);
    for (const name of sums) {
      expect(() => summaryFrom(agreed, changed(name)), name).toThrow(
        'the sums of duckdb do not agree',
      );
    }
  });

  it('with rounded digits, as a spreadsheet leaves them', async () => {
    const [{ columns: names, rows }] = (await answersTo(good)) as [SqlAnswer];
    const rounded = rows.map((row) =>
      row.map((cell, k) => (names[k] === 's_1_1_0' ? '1.2E+20' : cell)),
    );
    expect(() => summaryFrom(agreed, [{ columns: names, rows: rounded }])).toThrow(
      'is no whole number',
    );
  });

  it('without one of its parts, and of a table that changed between two', async () => {
    const small = { ...dialects.duckdb, most: { columns: 20, characters: 1e6 } };
    const name = await loaded(good);
    const queries = sumsQuery(agreed, small, name);
    expect(queries.length).toBeGreaterThan(2);
    const whole = await ask(running, queries);
    expect(summaryFrom(agreed, whole)).toEqual(summaryFrom(agreed, await answersTo(good)));
    expect(() => summaryFrom(agreed, whole.slice(1))).toThrow('the answer has no column');
    // One value moves, and the number of rows stays.
    await running.run(`update ${name} set x = x + 0.25 where k = 2`);
    const later = await ask(running, queries);
    expect(() => summaryFrom(agreed, [whole[0]!, ...later.slice(1)])).toThrow(
      'the table has changed',
    );
  });
});

describe('a study is refused by name, before any query', () => {
  it.each([
    ['y ~ log(x + 5)', {}, 'log(x + 5)'],
    ['y ~ sqrt(y + 1)', {}, 'sqrt(y + 1)'],
    ['y ~ I(1/(x + 5))', {}, '1/(x + 5)'],
    ['y ~ I((y + 1)^0.5)', {}, '(y + 1)^0.5'],
    ['y ~ x', { arithmetic: 'compact' }, 'compact'],
    ['y ~ x + k', { features: [{ kind: 'projection', dimension: 1, seed: 1 }] }, 'feature map'],
    ['I(y > 3) ~ x', { fusion: { kind: 'glm', family: 'binomial' } }, 'logistic'],
    ['y ~ x', { privacy: { epsilon: 1, delta: 1e-5, unit: 'row' } }, 'private'],
  ] as const)('%s %o', (formula, terms, named) => {
    const other = agreement({ ...study, formula, ...terms } as TableStudy);
    const write = () => sumsQuery(other, dialects.postgres, 'patients');
    expect(write).toThrow(named);
    expect(write).toThrow(
      expect.objectContaining({ remedy: expect.stringMatching(/rows be read/) }),
    );
  });
});

/** A million rows take seconds in the others, so those are for endure. */
const quick = enginesHere().filter(
  ({ name }) => enduring || ['duckdb', 'clickhouse'].includes(name),
);

describe.each(quick)('overflow in $name', (engine) => {
  let running: RunningEngine;
  beforeAll(async () => {
    running = await engine.start();
  });
  afterAll(() => running?.stop());
  // A million rows at the end of the range: Σ u·2⁴⁴ is 2⁶⁴, beyond int64.
  const rows = 1_000_000;
  const many = {
    duckdb: `select 10.0::double as y, 4.0::double as x from range(${rows})`,
    postgres: `select 10::float8 as y, 4::float8 as x from generate_series(1, ${rows})`,
    clickhouse: `select toFloat64(10) as y, toFloat64(4) as x from numbers(${rows})`,
    mariadb: `select 10e0 as y, 4e0 as x from seq_1_to_${rows}`,
  }[engine.name as 'duckdb'];
  const narrow = agreement({ ...study, formula: 'y ~ x' });

  it('does not happen in the query as it is written', async () => {
    const answers = await ask(running, sumsQuery(narrow, dialects[engine.name], many));
    const { statistic } = summaryFrom(narrow, answers);
    // The entries (1, 1), (1, x), (1, y): scales 4 and 8, centres 0 and 5.
    const entries = [0, 1, 2].map((k) => ringEntry(statistic.values, 4, k));
    const grid = 1n << 44n;
    expect(entries).toEqual(
      [grid * grid, grid * grid, (grid * grid * 5n) / 8n].map((one) => one * BigInt(rows)),
    );
  });

  it('is refused where sums are int64 against the bound', async () => {
    const honest = dialects[engine.name];
    const lying: SqlDialect = {
      ...honest,
      sum: (value) =>
        engine.name === 'clickhouse' ? `sum(toInt64(${value}))` : honest.whole(honest.sum(value)),
    };
    const reading = ask(running, sumsQuery(narrow, lying, many)).then((answers) =>
      summaryFrom(narrow, answers),
    );
    // Only ClickHouse says nothing; the check sums do.
    await expect(reading).rejects.toThrow(
      engine.name === 'clickhouse' ? 'the sums of clickhouse do not agree' : overflow[engine.name],
    );
  });
});

/** What the other engines say themselves; MariaDB gives its largest int64, and the check sums notice. */
const overflow: Readonly<Record<string, RegExp>> = {
  duckdb: /out of range|overflow/i,
  postgres: /bigint out of range/,
  mariadb: /the sums of mariadb do not agree|out of range/,
};

it('random studies have what they are for', () => {
  const made = Array.from({ length: 24 }, (_, k) => randomStudy(101 + k).study);
  expect(new Set(made.filter(({ weights }) => weights).map(({ grid }) => grid)).size).toBe(4);
  expect(new Set(made.map(({ grid }) => grid))).toEqual(new Set([22, 44, 66, 88]));
  for (const part of ['^3', ':w', 'factor(k)', '>', 'abs', 'c2 ~', '- 1', 'I(y^2)']) {
    expect(
      made.some(({ formula }) => formula.includes(part)),
      part,
    ).toBe(true);
  }
});
