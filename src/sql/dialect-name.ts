/** The engines that a query can be written for. */
export const dialectNames = [
  'postgres',
  'duckdb',
  'clickhouse',
  'mariadb',
  'spark',
  'bigquery',
  'snowflake',
] as const;

/** The name of an engine in `suffice sql --dialect`. */
export type DialectName = (typeof dialectNames)[number];
