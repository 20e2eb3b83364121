import type { SqlDialect } from './dialect.ts';
import { backticked, escaped } from './literals.ts';

/** Types that toFloat64 turns into the nearest float64: decimals up to 15 digits are one whole number over a power of ten. */
const EXACT_TYPES = 'Float64|Int[0-9]+|Decimal[(]([1-9]|1[0-5]),';
/** Outside every range. */
const NO_NUMBER = '1e300';

/**
 * ClickHouse, from 18.16 on: there a sum of Int64 stays Int64 and wraps without a word, so sums are Decimal128, and every sum has
 * its check.
 */
export const clickhouse: SqlDialect = {
  name: 'clickhouse',
  title: 'ClickHouse',
  quote: (name) => backticked(name.replaceAll('\\', '\\\\'), '\\`'),
  text: escaped,
  double: (value) => `toFloat64(${value})`,
  // Not by the text: ClickHouse reads texts of numbers with an error of a bit. So a type whose text says another number is no number.
  number: (column, type) =>
    type === 'double' || type === 'integer'
      ? `toFloat64(${column})`
      : `case when match(toTypeName(${column}), '${EXACT_TYPES}') then toFloat64(${column}) else ${NO_NUMBER} end`,
  isExact: (type) => new RegExp(EXACT_TYPES).test(type),
  label: (column) => `replaceRegexpAll(toString(${column}), '^ +| +$', '')`,
  labelText: escaped,
  isNaN: (value) => `isNaN(${value})`,
  squareRoot: (value) => `sqrt(${value})`,
  // Trees of comparisons take the analyser seconds.
  element: (place, values) =>
    `arrayElement([${values.map((value) => value.toExponential()).join(',')}], ${place})`,
  whole: (value) => `toInt64(${value})`,
  modulo: (value, by) => `toInt64((${value}) % toInt32(${by}))`,
  sum: (value) => `sum(toDecimal128(toInt64(${value}), 0))`,
  sumType: 'Decimal128',
  fence: '',
  named: (value, name) => `${value} as ${name}`,
  // The parser takes 256 kB and 50,000 elements unless its settings say otherwise; an element has some five characters.
  most: { columns: 1000, characters: 240_000 },
  notes: [
    'Numbers must be Float64, integers, or Decimal of at most 15 digits: Float32, texts and longer decimals are refused.',
    "From ClickHouse 21.9 on: SET short_circuit_function_evaluation = 'disable' first. Without it long queries take minutes in place of seconds.",
  ],
  ifLonger: (characters) => [
    `The query is longer than ClickHouse takes as it is installed. The profile of the user needs ${Object.entries(
      clickhouseLimits(characters),
    )
      .map(([setting, value]) => `${setting} = ${value}`)
      .join(', ')}.`,
  ],
};

/** The settings that a query of a length in characters needs: its length, and its elements before and after names are resolved. */
export function clickhouseLimits(characters: number): Readonly<Record<string, number>> {
  const most = Math.ceil((characters * 1.1) / 100_000) * 100_000;
  return { max_query_size: most, max_ast_elements: most, max_expanded_ast_elements: 10 * most };
}
