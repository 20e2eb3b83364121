import type { SqlDialect } from './dialect.ts';
import { doubleQuoted, quotedText } from './literals.ts';

/** DuckDB. A sum of BIGINT is HUGEINT: 2¹²⁷, and an error beyond. */
export const duckdb: SqlDialect = {
  name: 'duckdb',
  title: 'DuckDB',
  quote: doubleQuoted,
  text: quotedText,
  double: (value) => `'${value}'::DOUBLE`,
  number: (column, type) =>
    type === 'double' || type === 'integer'
      ? `CAST(${column} AS DOUBLE)`
      : `CAST(CAST(${column} AS VARCHAR) AS DOUBLE)`,
  label: (column) => `trim(CAST(${column} AS VARCHAR))`,
  labelText: quotedText,
  isNaN: (value) => `isnan(${value})`,
  squareRoot: (value) => `sqrt(${value})`,
  whole: (value) => `CAST(${value} AS BIGINT)`,
  modulo: (value, by) => `(${value}) % ${by}`,
  sum: (value) => `sum(CAST(${value} AS BIGINT))`,
  sumType: 'HUGEINT',
  fence: '',
  most: { columns: 1500, characters: 1_000_000 },
  notes: [],
};
