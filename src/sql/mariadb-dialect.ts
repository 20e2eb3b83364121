import type { SqlDialect } from './dialect.ts';
import { backticked, escaped } from './literals.ts';

const NUMBER = '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$';
/** Outside every range: what a text that is no number becomes, where the engine would say 0. */
const NO_NUMBER = '1e300';

/** MariaDB 10.2 and later. A sum of bigint is DECIMAL, and overflow is an error. */
export const mariadb: SqlDialect = {
  name: 'mariadb',
  title: 'MariaDB',
  quote: (name) => backticked(name),
  text: escaped,
  double: (value) => `(${/e/.test(String(value)) ? value : `${value}e0`})`,
  number: (column, type) =>
    type === 'double' || type === 'integer' || type === 'decimal'
      ? `(${column} + 0e0)`
      : `case when ${column} is null then null when trim(cast(${column} as char)) regexp '${NUMBER}' then cast(cast(${column} as char) as double) else ${NO_NUMBER} end`,
  label: (column) => `cast(trim(convert(cast(${column} as char) using utf8mb4)) as binary)`,
  labelText: (value) =>
    // What is not printable ASCII goes as bytes.
    /^[\x20-\x7e]*$/.test(value) ? escaped(value) : `x'${hexOf(value)}'`,
  squareRoot: (value) => `sqrt(${value})`,
  whole: (value) => `cast(${value} as signed)`,
  modulo: (value, by) => `(${value}) % ${by}`,
  sum: (value) => `sum(${value})`,
  sumType: 'DECIMAL',
  // Merged, a layer would be computed once for each of its uses: 60 times slower with two columns.
  fence: 'limit 9223372036854775807',
  most: { columns: 2000, characters: 1_000_000 },
  notes: [],
};

function hexOf(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
