import { DataError } from '../../data-error.ts';
import type { Agreement } from '../../federate.ts';
import type { TableTraits } from '../../sql/cells.ts';
import type { SqlDialect, SqlType } from '../../sql/dialect.ts';
import { dialects } from '../../sql/dialects.ts';
import { pushable } from '../../sql/pushable.ts';
import { countedRows, summaryFrom } from '../../sql/summary-from.ts';
import type { Summary } from '../../statistic/cross-product.ts';
import { columnsIn } from '../../statistic/layout.ts';
import { grouped } from '../../text/number-text.ts';
import type { DatabaseColumn, OpenTable } from './engine.ts';
import { sumsQueries } from './sums-queries.ts';

/** When the database computes the sums: where it is quicker, always, or never. */
export type PushdownWhen = 'auto' | 'always' | 'never';

/** What a person chose, and where the choice is explained. */
export interface PushdownChoice {
  readonly when: PushdownWhen;
  /** Prints one line. */
  explain(text: string): void;
}

let chosen: PushdownChoice = { when: 'never', explain() {} };

/** Sets when databases compute sums, for this process; never unless it is set. */
export function usePushdown(choice: PushdownChoice): void {
  chosen = choice;
}

/** Fewer rows are read in less than a second. */
const MANY_ROWS = 200_000;
/**
 * Columns of the model up to which the products in SQL take less time than sending the cells. Processor seconds of 100,000 rows,
 * query beside export, for 5, 10 and 20 columns, once and on a busy machine: DuckDB 0.33 and 0.39, 0.44 and 0.81, 1.46 and 1.77;
 * ClickHouse 18.16 0.38 and 0.35, 1.46 and 0.27, 10.6 and 0.59. Rows of PostgreSQL and MariaDB are read quicker for every model
 * (`npm run bench -- --only databases`); `--only pushdown` measures all again.
 */
const FEW_COLUMNS: Readonly<Record<string, number>> = {
  postgres: 0,
  duckdb: 20,
  clickhouse: 6,
  mysql: 0,
};

/** A table, and the study that queries are written for. */
export interface QueriedRows {
  readonly scheme: string;
  readonly name: string;
  readonly table: OpenTable;
  readonly agreed: Agreement;
  readonly site: string;
}

/** The rows whose sums are wanted. */
export interface SummedRows extends QueriedRows {
  readonly missing: 'drop' | 'refuse';
}

/** The sums of a table, and how many rows it had when it answered. */
export interface InsideSums {
  readonly summary: Summary;
  readonly counted: number;
}

/** The sums as the database computes them; undefined where the rows are to be read. */
export async function sumsInside(rows: SummedRows): Promise<InsideSums | undefined> {
  const { when, explain } = chosen;
  if (when === 'never') return undefined;
  const slow = when === 'auto' ? (whyRead(rows) ?? whySlow(rows)) : undefined;
  if (slow !== undefined) {
    explain(`${rows.name}: rows are read here: ${slow}`);
    return undefined;
  }
  const { table, agreed, missing, name } = rows;
  const queried = queriedTable(rows);
  const { queries, travels } = await sumsQueries(table, agreed, queried);
  const count = queries.length === 1 ? 'a query' : `${grouped(queries.length)} queries`;
  explain(
    `${name}: the database computes the sums of ${grouped(table.rows)} rows by ${count}; ${travels}`,
  );
  const answers = [];
  for (const { sql } of queries) answers.push(await table.query(sql));
  return {
    summary: summaryFrom(agreed, answers, { missing, file: name, ...queried.traits }),
    counted: countedRows(answers),
  };
}

/** Says that the database adds, for a site. */
export function explainQueries(
  { name, table }: QueriedRows,
  queries: number,
  travels: string,
): void {
  chosen.explain(
    `${name}: the database computes the sums of ${grouped(table.rows)} rows, and facts about them for the disclosure rules, by ${grouped(queries)} queries; ${travels}`,
  );
}

/** How the queries of a study are written for a table; refuses, by name, a study that only a reader of rows can sum. */
export function queriedTable(rows: QueriedRows): {
  readonly dialect: SqlDialect;
  readonly traits: TableTraits;
} {
  const why = whyRead(rows);
  if (why === undefined) {
    const traits = { types: typesOf(rows.table.columns), site: rows.site };
    return { dialect: dialectOf(rows)!, traits };
  }
  throw new DataError(
    `the database does not compute these sums: ${why}`,
    { file: rows.name },
    'let the rows be read instead',
    { name: 'pushdown', value: 'auto' },
  );
}

function dialectOf({ scheme, table }: QueriedRows): SqlDialect | undefined {
  const wanted = table.dialect ?? scheme;
  return Object.values(dialects).find(({ name }) => name === wanted);
}

/** Why only a reader of rows can do it; undefined where a query can. */
function whyRead(rows: QueriedRows): string | undefined {
  const dialect = dialectOf(rows);
  if (dialect === undefined) return 'its engine has no dialect here';
  const { agreed, table } = rows;
  try {
    pushable(agreed);
  } catch (failure) {
    if (!(failure instanceof DataError)) throw failure;
    return failure.problem.replace(/, so .*$/, '');
  }
  const wanted = agreed.columns.map(({ name }) => name);
  const columns = table.columns.filter(({ name }) => wanted.includes(name));
  const dated = columns.find(({ kind }) => kind === 'date');
  if (dated !== undefined) return `${dated.name} is a date`;
  const inexact = columns.find(
    ({ kind, type }) => kind === 'number' && dialect.isExact?.(type) === false,
  );
  return (
    inexact && `${dialect.title} does not compute exactly with ${inexact.type} of ${inexact.name}`
  );
}

/** Why reading is quicker; undefined where the query is. */
function whySlow({ scheme, table, agreed }: QueriedRows): string | undefined {
  if (table.rows < MANY_ROWS) return `${grouped(table.rows)} rows are soon read`;
  const columns = columnsIn(agreed.rowsLayout);
  return columns > FEW_COLUMNS[scheme]!
    ? `sums of ${grouped(columns)} columns take longer in SQL than sending their cells`
    : undefined;
}

function typesOf(columns: readonly DatabaseColumn[]): Record<string, SqlType> {
  return Object.fromEntries(
    columns.flatMap((column) => {
      const type = sqlType(column);
      return type === undefined ? [] : [[column.name, type]];
    }),
  );
}

/** The type in the words of the queries, from the engine's own word for it. */
function sqlType({ kind, type }: DatabaseColumn): SqlType | undefined {
  if (kind === 'text') return 'text';
  if (kind === 'logical') return 'boolean';
  if (kind !== 'number') return undefined;
  if (/double|float64/i.test(type)) return 'double';
  if (/real|float/i.test(type)) return 'real';
  if (/numeric|decimal/i.test(type)) return 'decimal';
  return 'integer';
}
