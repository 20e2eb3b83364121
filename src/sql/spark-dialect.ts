import type { SqlDialect } from './dialect.ts';
import { backticked, escaped } from './literals.ts';

/** Spark SQL 3.1 and later, with ANSI rules: without them an overflow is NULL, which the reader of the result refuses. */
export const spark: SqlDialect = {
  name: 'spark',
  title: 'Spark SQL',
  quote: (name) => backticked(name),
  text: escaped,
  double: (value) => `CAST('${value}' AS DOUBLE)`,
  number: (column) => `CAST(CAST(${column} AS STRING) AS DOUBLE)`,
  label: (column) => `TRIM(CAST(${column} AS STRING))`,
  labelText: escaped,
  isNaN: (value) => `ISNAN(${value})`,
  squareRoot: (value) => `SQRT(${value})`,
  whole: (value) => `CAST(${value} AS BIGINT)`,
  modulo: (value, by) => `(${value}) % ${by}`,
  sum: (value) => `SUM(CAST(${value} AS DECIMAL(28, 0)))`,
  sumType: 'DECIMAL(38)',
  fence: '',
  most: { columns: 1000, characters: 500_000 },
  notes: ['Run it with: SET spark.sql.ansi.enabled = true'],
};
