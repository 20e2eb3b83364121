import { Dialect, init, transpile } from '@polyglot-sql/sdk';
import { beforeAll, describe, expect, it } from 'vitest';
import { agreement } from '../src/federate.ts';
import { type DialectName, dialectNames } from '../src/sql/dialect-name.ts';
import { dialects } from '../src/sql/dialects.ts';
import { factsQuery } from '../src/sql/facts-query.ts';
import { sumsQuery } from '../src/sql/sums-query.ts';
import type { TableStudy } from '../src/study/study.ts';
import { enduring } from './endurance.ts';
import { randomStudy } from './sql-tables.ts';

/** The parser's names of the engines; MariaDB speaks MySQL's language. */
const spoken: Readonly<Record<DialectName, Dialect>> = {
  postgres: Dialect.PostgreSQL,
  duckdb: Dialect.DuckDB,
  clickhouse: Dialect.ClickHouse,
  mariadb: Dialect.MySQL,
  spark: Dialect.Spark,
  bigquery: Dialect.BigQuery,
  snowflake: Dialect.Snowflake,
};

beforeAll(() => init());

/** What a parser of the engine's language makes of a text: its statements, or an error. */
function parsed(text: string, name: DialectName) {
  const deep = { maxParserDepth: 200, maxAstDepth: null, maxParenthesisDepth: null };
  const { success, sql, error } = transpile(text, spoken[name], spoken[name], {
    complexityGuard: deep,
  });
  return { success, statements: sql?.length, error };
}

/** The others run in tests of their own. */
const parsedOnly = ['spark', 'bigquery', 'snowflake'] as const;

describe.each(enduring ? dialectNames : parsedOnly)('queries for %s', (name) => {
  const dialect = dialects[name];

  // Those with odd numbers have weights, and some engines no root that is sure.
  const known = [101, 103, 105, 106, 108].filter(
    (seed) => seed % 2 === 0 || dialect.squareRoot !== undefined,
  );
  it.each(enduring ? known : known.filter((seed) => seed === 108))(
    'are in its language: study %i',
    (seed) => {
      const agreed = agreement(randomStudy(seed).study);
      const queries = [
        ...sumsQuery(agreed, dialect, 'patients'),
        ...factsQuery(agreed, dialect, 'patients'),
      ];
      for (const { sql } of queries) {
        expect(parsed(sql, name)).toEqual({ success: true, statements: 1, error: null });
      }
      expect(parsed('select sum( from where', name).success).toBe(false);
    },
  );

  it('quote names and texts, so that neither ends early', () => {
    const odd = `a"b'c\\d`;
    const study: TableStudy = {
      ...randomStudy(102).study,
      formula: 'y ~ .',
      codebook: {
        y: { type: 'number', range: [0, 1] },
        [odd]: { type: 'category', levels: [odd, "'; drop table patients; --", 'é`'] },
      },
    };
    for (const { sql } of sumsQuery(agreement(study), dialect, 'patients')) {
      expect(parsed(sql, name)).toEqual({ success: true, statements: 1, error: null });
    }
  });
});

it('sums of BigQuery are BIGNUMERIC, whose 38 digits hold what NUMERIC cannot', () => {
  const [query] = sumsQuery(agreement(randomStudy(102).study), dialects.bigquery, 'patients');
  expect(query!.sql).toMatch(/SUM\(CAST\(.* AS BIGNUMERIC\)\)/);
  expect(query!.sql).not.toMatch(/AS NUMERIC\b/);
});
