import type { Dialect } from './dialect.ts';
import { backticked, escaped } from './literals.ts';

/**
 * ClickHouse, from 18.16 on: there a sum of Int64 stays Int64 and wraps without a word, so sums are Decimal128, and every sum has
 * its check.
 */
export const clickhouse: Dialect = {
  name: 'clickhouse',
  title: 'ClickHouse',
  quote: (name) => backticked(name.replaceAll('\\', '\\\\'), '\\`'),
  text: escaped,
  double: (value) => `toFloat64(${value})`,
  // Not by the text: ClickHouse reads texts of numbers with an error of a bit.
  number: (column) => `toFloat64(${column})`,
  label: (column) => `replaceRegexpAll(toString(${column}), '^ +| +$', '')`,
  labelText: escaped,
  isNaN: (value) => `isNaN(${value})`,
  whole: (value) => `toInt64(${value})`,
  modulo: (value, by) => `toInt64((${value}) % toInt32(${by}))`,
  sum: (value) => `sum(toDecimal128(toInt64(${value}), 0))`,
  sumType: 'Decimal128',
  fence: { text: '', every: 1 },
  // The parser takes 256 kB unless max_query_size says otherwise.
  most: { columns: 1000, characters: 200_000 },
  notes: [
    'Real columns (Float32) are widened, not read by their text: name a select with toFloat64(toString(x)) for them.',
  ],
};
