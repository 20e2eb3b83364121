import type { SqlDialect } from './dialect.ts';
import { doubleQuoted, quotedText } from './literals.ts';

/** PostgreSQL 12 and later. A sum of bigint is numeric, which has no limit here. */
export const postgres: SqlDialect = {
  name: 'postgres',
  title: 'PostgreSQL',
  quote: doubleQuoted,
  text: quotedText,
  double: (value) => `'${value}'::float8`,
  // The text of a real or numeric is what an export has; its nearest float64 is what a reader of the export gets.
  number: (column, type) =>
    type === 'double' || type === 'integer' || type === 'decimal'
      ? `cast(${column} as float8)`
      : `cast(cast(${column} as text) as float8)`,
  label: (column) => `trim(cast(${column} as text)) collate "C"`,
  labelText: quotedText,
  isNaN: (value) => `${value} = 'NaN'::float8`,
  squareRoot: (value) => `sqrt(${value})`,
  whole: (value) => `cast(${value} as bigint)`,
  modulo: (value, by) => `(${value}) % ${by}`,
  sum: (value) => `sum(${value})`,
  sumType: 'numeric',
  fence: 'offset 0',
  // postgres_fdw sends no expression that names a collation, or whose texts are not a column's; texts of columns are equal by their bytes.
  elsewhere: {
    label: (column, type) =>
      type === 'boolean'
        ? `case when ${column} then 'true'::bytea when not ${column} then 'false'::bytea end`
        : `trim(cast(${column} as text))`,
  },
  // 1664 target entries is the engine's limit.
  most: { columns: 1600, characters: 1_000_000 },
  notes: [
    'For large tables: set jit = off, because compiling the sums takes longer than it saves.',
  ],
};
