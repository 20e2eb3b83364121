import type { SqlDialect } from './dialect.ts';
import { doubleQuoted, escaped } from './literals.ts';

/** Snowflake. Integers and their sums are NUMBER(38, 0), and an error beyond. */
export const snowflake: SqlDialect = {
  name: 'snowflake',
  title: 'Snowflake',
  quote: doubleQuoted,
  text: escaped,
  double: (value) => `CAST('${value}' AS DOUBLE)`,
  number: (column) => `CAST(${column} AS DOUBLE)`,
  label: (column) => `TRIM(CAST(${column} AS VARCHAR))`,
  labelText: escaped,
  isNaN: (value) => `${value} = CAST('NaN' AS DOUBLE)`,
  whole: (value) => `CAST(${value} AS NUMBER(38, 0))`,
  modulo: (value, by) => `MOD(${value}, ${by})`,
  sum: (value) => `SUM(CAST(${value} AS NUMBER(38, 0)))`,
  sumType: 'NUMBER(38, 0)',
  fence: '',
  most: { columns: 1000, characters: 500_000 },
  notes: [
    'Column names are quoted as the study spells them: alias them in a select if the table has capitals.',
  ],
};
