import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agreement } from '../src/federate.ts';
import { dd, ddLog } from '../src/numeric/double-double.ts';
import { dialects } from '../src/sql/dialects.ts';
import { layers, nested, sql } from '../src/sql/layers.ts';
import { logarithmRange, logarithmSql } from '../src/sql/logarithm-sql.ts';
import { summaryFrom } from '../src/sql/summary-from.ts';
import { sumsQuery } from '../src/sql/sums-query.ts';
import type { TableStudy } from '../src/study/study.ts';
import { cases } from './endurance.ts';
import { ask } from './sql-asked.ts';
import { load, type RunningEngine, testEngines } from './sql-engines.ts';
import { seeded, type TestTable } from './sql-tables.ts';

const study: TableStudy = {
  schema: 'suffice/study@1',
  formula: 'y ~ x',
  codebook: {
    y: { type: 'number', range: [0, 10] },
    x: { type: 'number', range: [-4, 4] },
    g: { type: 'number', range: [0, 8] },
  },
  weights: 'g',
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
};
const agreed = agreement(study);
const columns: TestTable['columns'] = ['y', 'x', 'g'].map((name) => ({ name, type: 'double' }));
const duckdb = testEngines.find(({ name }) => name === 'duckdb')!;

describe('weights in a query', () => {
  let running: RunningEngine;
  let tables = 0;
  beforeAll(async () => {
    running = await duckdb.start();
  });
  afterAll(() => running?.stop());
  const answersTo = async (rows: TestTable['rows']) => {
    const name = `t${++tables}`;
    await load(duckdb, running, name, { columns, rows });
    return ask(running, sumsQuery(agreed, dialects.duckdb, name));
  };

  it('have the logarithm of reading rows, unit by unit, for weights of every size', async () => {
    const random = seeded(23);
    const weights = Array.from({ length: cases(20_000) }, (_, k) => {
      if (k < 200) return k + 1;
      if (k < 400) return 1 / (k - 199);
      if (k < 500) return 2 ** (k - 450);
      return k % 2 === 0 ? 2 ** (127 * random() - 64) : 0.9 + 0.2 * random();
    });
    await running.run('create table sizes (k integer, w double)');
    for (let from = 0; from < weights.length; from += 5000) {
      const part = weights.slice(from, from + 5000).map((w, k) => `(${from + k}, ${w}e0)`);
      const values = part.join(', ').replaceAll(/(e[-+]\d+)e0/g, '$1');
      await running.run(`insert into sizes values ${values}`);
    }
    const named = layers();
    const { units, unsure } = logarithmSql(
      named.name(sql`w`),
      logarithmRange,
      named,
      dialects.duckdb,
    );
    const { relation, columns: texts } = nested(
      [sql`sum(${unsure})`, sql`list(${units} order by ${named.name(sql`k`)})`],
      'sizes as source',
      dialects.duckdb,
    );
    const { rows } = await running.run(`select ${texts.join(', ')} from ${relation}`);
    const [count, list] = rows[0]!;
    expect(count).toBe('0');
    const found = list!.slice(1, -1).split(', ').map(Number);
    const wanted = weights.map((w) => Math.round(ddLog(dd(w)).hi * 2 ** 44));
    expect(found).toEqual(wanted);
  });

  it('of 0 leave the row out, and a missing one drops it', async () => {
    const answers = await answersTo([
      ['1', '2', '1'],
      ['2', '1', '0'],
      ['3', null, '0'],
      ['4', '1', null],
      ['5', '-1', '2.5'],
    ]);
    expect(summaryFrom(agreed, answers)).toMatchObject({
      rows: 2,
      dropped: 2,
      missing: { x: 1, g: 1 },
    });
  });

  it('that are negative are refused, without the value', async () => {
    const answers = await answersTo([['1', '2', '-0.125']]);
    const read = () => summaryFrom(agreed, answers);
    expect(read).toThrow(/column "g": 1 cells do not fit/);
    expect(read).not.toThrow('0.125');
  });

  it.each([
    ['a weight that is next to nothing', String(2 ** -80)],
    ['a weight whose logarithm is half a unit', String(1 + 2 ** -45)],
  ])('are refused for %s', async (_, weight) => {
    const answers = await answersTo([
      ['1', '2', '1'],
      ['1', '3', weight],
    ]);
    expect(() => summaryFrom(agreed, answers)).toThrow(/column "g": 1 weights are too small/);
  });

  it('have a check sum of their logarithms', async () => {
    const [answer] = await answersTo([
      ['1', '2', '3'],
      ['2', '1', '0.5'],
    ]);
    const { columns: names, rows } = answer!;
    const changed = rows.map((row) =>
      row.map((cell, k) => (names[k] === 'logarithms' ? String(BigInt(cell!) + 2n ** 64n) : cell)),
    );
    expect(() => summaryFrom(agreed, [{ columns: names, rows: changed }])).toThrow(
      'the sums of duckdb do not agree',
    );
  });

  it.each(['bigquery', 'snowflake'] as const)('are refused for %s by name', (name) => {
    expect(() => sumsQuery(agreed, dialects[name], 'patients')).toThrow(
      `nothing says that those of ${dialects[name].title} are right`,
    );
  });
});
