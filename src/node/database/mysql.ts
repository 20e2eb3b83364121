import type { Connection, FieldPacket } from 'mysql2';
import type { DatabaseAddress } from '../../rows/database-address.ts';
import { backticked, escaped } from '../../sql/literals.ts';
import { UsageError } from '../../usage-error.ts';
import type { AskedColumn, DatabaseColumn, DatabaseEngine, OpenTable } from './engine.ts';
import { mysqlKind } from './mysql-kinds.ts';
import { optionsOf } from './mysql-options.ts';
import { answerTo, killQuery, streamed } from './mysql-queries.ts';
import { mysqlRefusal, serverOf } from './mysql-refusals.ts';
import { noSuchTable } from './no-such-table.ts';
import { fixedState } from './rows-changed.ts';
import { whileRunning } from './running-queries.ts';
import { SELECTED } from './sql-text.ts';

type MySql = Pick<typeof import('mysql2'), 'createConnection'>;

/** Loads the package, which is optional. */
export type LoadMySql = () => Promise<MySql>;

/** MySQL and MariaDB: one read-only transaction with one snapshot; rows come as text, one after the other. */
export function mysqlFrom(load: LoadMySql): DatabaseEngine {
  return {
    name: 'MySQL',
    async open(address) {
      const { createConnection } = await load().catch(() => {
        throw new UsageError(
          'the package mysql2 is not installed',
          'npm install mysql2 beside suffice, or export the table as CSV and give that file',
        );
      });
      const connect = () => connected(createConnection, address);
      const connection = await connect();
      try {
        return await whileRunning(
          () => killQuery(connection, connect),
          () => openTable(connection, connect, address),
        );
      } catch (error) {
        connection.destroy();
        throw mysqlRefusal(error, address.text);
      }
    },
  };
}

/** MySQL and MariaDB by the package that is installed here. */
export const mysqlEngine: DatabaseEngine = mysqlFrom(async () => {
  // The types of the package are those of a module with a default.
  const found = (await import('mysql2')) as unknown as MySql & { default?: MySql };
  return found.default ?? found;
});

async function connected(
  createConnection: MySql['createConnection'],
  { place, text }: DatabaseAddress,
): Promise<Connection> {
  const options = optionsOf(place);
  return new Promise((resolve, reject) => {
    const connection = createConnection(options);
    // A lost connection shows in the query that waits for it.
    connection.on('error', () => {});
    connection.connect((error) => {
      if (error) reject(mysqlRefusal(error, text));
      else resolve(connection);
    });
  });
}

async function openTable(
  connection: Connection,
  connect: () => Promise<Connection>,
  address: DatabaseAddress,
): Promise<OpenTable> {
  const ask = (sql: string) => answerTo(connection, sql);
  const rowsOf = async (sql: string) => (await ask(sql)).rows as string[][];
  const [[version]] = await rowsOf('select version()');
  const server = serverOf(version!, address.text);
  // Texts are then written as the queries write them.
  await ask("set session sql_mode = replace(@@sql_mode, 'NO_BACKSLASH_ESCAPES', '')");
  await ask("set session time_zone = '+00:00'");
  await ask('set session transaction isolation level repeatable read');
  await ask('start transaction with consistent snapshot, read only');
  const named = await namedRows(address, rowsOf);
  const columns = await typedColumns(connection, named);
  const stateNow = () => stateOf(named.from, columns, rowsOf);
  const state = await (named.isTable ? stateNow() : fixedState(address, stateNow));
  return {
    columns,
    rows: Number(state.rows),
    state,
    from: named.from,
    // Queries are tried on MariaDB alone.
    ...(server === 'MariaDB' ? { dialect: 'mariadb' as const } : {}),
    async read(asked, push) {
      const cells = asked.map((column) => cellSql(column, columns));
      // A second cell keeps a line with one empty cell from being blank.
      const line = [...cells, ...(asked.length === 1 ? ["'1'"] : [])].join(", ',', ");
      try {
        await streamed(connection, `select concat(${line}) from ${named.from}`, push);
      } catch (error) {
        connection.destroy();
        await killQuery(connection, connect);
        throw mysqlRefusal(error, address.text);
      }
    },
    async query(sql) {
      try {
        return await ask(sql);
      } catch (error) {
        throw mysqlRefusal(error, address.text);
      }
    },
    cancel: () => killQuery(connection, connect),
    hold(held) {
      const { stream } = connection as unknown as { stream: Held };
      if (held) stream.ref();
      else stream.unref();
    },
    close: () =>
      new Promise((resolve) => {
        connection.end(() => resolve());
      }),
  };
}

interface Held {
  ref(): unknown;
  unref(): unknown;
}

interface NamedRows {
  readonly from: string;
  /** The columns of a table that the user may read; all columns of a select. */
  readonly columns?: readonly string[];
  /** Whether the rows are stored, not computed. */
  readonly isTable: boolean;
}

type RowsOf = (sql: string) => Promise<string[][]>;

async function namedRows({ rows, text }: DatabaseAddress, rowsOf: RowsOf): Promise<NamedRows> {
  if ('select' in rows) return { from: `(${rows.select}\n) as ${SELECTED}`, isTable: false };
  const [name, database] = rows.table.toReversed();
  const schema = database === undefined ? 'database()' : escaped(database);
  const found = await rowsOf(
    `select column_name, privileges from information_schema.columns
     where table_schema = ${schema} and table_name = ${escaped(name!)} order by ordinal_position`,
  );
  const columns = found
    .filter(([, rights]) => rights!.split(',').includes('select'))
    .map(([column]) => column!);
  if (columns.length === 0) {
    const there = await rowsOf(
      `select table_name from information_schema.tables where table_schema = ${schema} order by 1 limit 1000`,
    );
    const seen = there.map(([one]) => one!);
    if (!seen.includes(name!)) throw noSuchTable(rows.table, seen, text);
    throw Object.assign(new Error('no permission'), { errno: 1142 });
  }
  const [kind] = await rowsOf(
    `select table_type from information_schema.tables where table_schema = ${schema} and table_name = ${escaped(name!)}`,
  );
  return {
    from: rows.table.map((part) => backticked(part)).join('.'),
    columns,
    isTable: kind?.[0] === 'BASE TABLE',
  };
}

async function typedColumns(
  connection: Connection,
  { from, columns }: NamedRows,
): Promise<DatabaseColumn[]> {
  const names = columns?.map((name) => backticked(name)).join(', ') ?? '*';
  const fields = await new Promise<readonly FieldPacket[]>((resolve, reject) => {
    const sql = `select ${names} from ${from} limit 0`;
    connection.query(sql, (error: unknown, _: unknown, found: readonly FieldPacket[]) => {
      if (error) reject(error);
      else resolve(found);
    });
  });
  return fields.map((field) => {
    const { columnType, characterSet } = field as unknown as Readonly<Record<string, number>>;
    return { name: field.name, ...mysqlKind(columnType!, characterSet!) };
  });
}

/** The number of rows, and a sum that is another once a row is another. */
async function stateOf(
  from: string,
  columns: readonly DatabaseColumn[],
  rowsOf: RowsOf,
): Promise<OpenTable['state']> {
  const cells = columns.map(
    ({ name }) => `coalesce(hex(cast(${backticked(name)} as char)), 'NULL')`,
  );
  const mark = `cast(conv(left(md5(concat_ws(',', ${cells.join(', ')})), 15), 16, 10) as unsigned)`;
  const [[rows, sum]] = await rowsOf(`select count(*), sum(${mark}) from ${from}`);
  return { rows: Number(rows), state: sum ?? '0' };
}

/** A cell as an export writes it: texts in quotes, NULL as nothing. */
function cellSql({ name, missing = '' }: AskedColumn, columns: readonly DatabaseColumn[]): string {
  const cell = `cast(${backticked(name)} as char)`;
  const { kind } = columns.find((column) => column.name === name)!;
  const text = kind === 'text' ? `concat('"', replace(${cell}, '"', '""'), '"')` : cell;
  return `coalesce(${text}, ${escaped(missing)})`;
}
