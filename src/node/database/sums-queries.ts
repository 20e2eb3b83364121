import type { Agreement } from '../../federate.ts';
import type { TableTraits } from '../../sql/cells.ts';
import type { SqlDialect } from '../../sql/dialect.ts';
import { partsQuery } from '../../sql/parts-query.ts';
import type { SqlQuery } from '../../sql/sql-answer.ts';
import { sumsQuery } from '../../sql/sums-query.ts';
import type { OpenTable } from './engine.ts';

/** The queries for the sums of a table, and what travels for them, in words. */
export interface SumsQueries {
  readonly queries: readonly SqlQuery[];
  readonly travels: string;
}

/** Writes the queries for the sums; where other servers hold rows, such that they send sums, if their plan allows it. */
export async function sumsQueries(
  table: OpenTable,
  agreed: Agreement,
  { dialect, traits }: { readonly dialect: SqlDialect; readonly traits: TableTraits },
): Promise<SumsQueries> {
  const whole = (travels: string) => ({
    queries: sumsQuery(agreed, dialect, table.from, traits),
    travels,
  });
  const { elsewhere } = table;
  if (elsewhere === undefined) return whole('no row leaves it');
  const fetched = (why: string) => whole(`its servers send each other rows: ${why}`);
  const queries = partsQuery(agreed, dialect, elsewhere.parts, traits);
  if (queries === undefined) return fetched('the model is too long for one select');
  for (const { sql } of queries) {
    const why = await elsewhere.whyFetched(sql);
    if (why !== undefined) return fetched(why);
  }
  return { queries, travels: 'the servers that hold the rows send sums, and no row' };
}
