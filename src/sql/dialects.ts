import { bigquery } from './bigquery-dialect.ts';
import { clickhouse } from './clickhouse-dialect.ts';
import type { SqlDialect } from './dialect.ts';
import type { DialectName } from './dialect-name.ts';
import { duckdb } from './duckdb-dialect.ts';
import { mariadb } from './mariadb-dialect.ts';
import { postgres } from './postgres-dialect.ts';
import { snowflake } from './snowflake-dialect.ts';
import { spark } from './spark-dialect.ts';

/** Every engine that a statistic can be written for. */
export const dialects: { readonly [Name in DialectName]: SqlDialect } = {
  postgres,
  duckdb,
  clickhouse,
  mariadb,
  spark,
  bigquery,
  snowflake,
};
