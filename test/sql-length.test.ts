import { describe, expect, it } from 'vitest';
import { otherSettings, READING, SUMMING } from '../src/node/database/clickhouse-settings.ts';
import { dialects } from '../src/sql/dialects.ts';
import { factsQuery } from '../src/sql/facts-query.ts';
import { sumsQuery } from '../src/sql/sums-query.ts';
import type { TableStudy } from '../src/study/study.ts';
import { agreement } from './linear.ts';

/** A study of number columns. */
function wide(columns: number): TableStudy {
  const names = Array.from({ length: columns }, (_, k) => `x${k}`);
  return {
    schema: 'suffice/study@1',
    formula: `y ~ ${names.join(' + ')}`,
    codebook: Object.fromEntries(
      ['y', ...names].map((name) => [name, { type: 'number', range: [0, 1] }]),
    ),
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic: 'exact',
  };
}

describe('the length of a query', () => {
  const { clickhouse, duckdb } = dialects;

  it('is what the engine takes, sums and facts', () => {
    const agreed = agreement(wide(24));
    for (const dialect of [
      clickhouse,
      { ...duckdb, most: { columns: 1000, characters: 150_000 } },
    ]) {
      const sums = sumsQuery(agreed, dialect, 't');
      const facts = factsQuery(agreed, dialect, 't');
      const select = (text: string) => text.replace(/^--.*\n/gm, '');
      for (const { sql } of [...sums, ...facts]) {
        expect(select(sql).length).toBeLessThanOrEqual(1.01 * dialect.most.characters);
      }
      // Each output once, in whatever query.
      const names = facts.flatMap(({ columns }) => columns);
      const once = names.filter(
        (name) => !['study', 'engine', 'row_count', 'used', 'row_check'].includes(name),
      );
      expect(new Set(once).size).toBe(once.length);
    }
  });

  it('is named where no splitting helps, with what the administrator has to set', () => {
    const most = { columns: 1000, characters: 5000 };
    const [long] = sumsQuery(agreement(wide(24)), { ...clickhouse, most }, 't');
    expect(long!.sql.length).toBeGreaterThan(most.characters);
    const said = /^-- .*max_query_size = (\d+), max_ast_elements = \d+/m.exec(long!.sql);
    expect(Number(said?.[1])).toBeGreaterThan(long!.sql.length);
    const [short] = sumsQuery(agreement(wide(4)), clickhouse, 't');
    expect(short!.sql).not.toContain('max_query_size');
    expect(short!.sql).toContain('short_circuit_function_evaluation');
  });
});

describe('the settings of a query for ClickHouse', () => {
  const said = (code: number, text = '') => `Code: ${code}, e.displayText() = ${text}`;
  it('are fewer where a server does not know one, and none where a user may change none', () => {
    expect(otherSettings(SUMMING, said(115), 9)).toEqual(READING);
    expect(otherSettings(READING, said(115), 9)).toBe(undefined);
    expect(otherSettings(SUMMING, said(164), 9)).toEqual({});
    expect(otherSettings({}, said(164), 9)).toBe(undefined);
  });

  it('allow a longer query once', () => {
    for (const message of [
      said(168, 'AST is too big'),
      said(62, 'Max query size exceeded'),
      said(36, 'Query tree is too big'),
    ]) {
      const longer = otherSettings(SUMMING, message, 300_000)!;
      expect(longer).toMatchObject({ ...SUMMING, max_query_size: 400_000 });
      expect(otherSettings(longer, message, 300_000)).toBe(undefined);
      expect(otherSettings({}, message, 300_000)).toBe(undefined);
    }
    expect(otherSettings(SUMMING, said(241), 300_000)).toBe(undefined);
  });
});
