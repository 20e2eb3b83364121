import type { SqlDialect } from './dialect.ts';
import { backticked, escaped } from './literals.ts';

/** BigQuery. Sums are BIGNUMERIC: NUMERIC has only 29 digits before the point. */
export const bigquery: SqlDialect = {
  name: 'bigquery',
  title: 'BigQuery',
  quote: (name) => backticked(name.replaceAll('\\', '\\\\'), '\\`'),
  text: escaped,
  double: (value) => `CAST('${value}' AS FLOAT64)`,
  number: (column) => `CAST(${column} AS FLOAT64)`,
  label: (column) => `TRIM(CAST(${column} AS STRING))`,
  labelText: escaped,
  isNaN: (value) => `IS_NAN(${value})`,
  whole: (value) => `CAST(${value} AS INT64)`,
  modulo: (value, by) => `MOD(${value}, ${by})`,
  sum: (value) => `SUM(CAST(${value} AS BIGNUMERIC))`,
  sumType: 'BIGNUMERIC',
  fence: '',
  most: { columns: 1000, characters: 500_000 },
  notes: [],
};
