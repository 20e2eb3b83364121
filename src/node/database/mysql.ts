import { readFileSync } from 'node:fs';
import type { Connection, ConnectionOptions, FieldPacket, SslOptions } from 'mysql2';
import type { DatabaseAddress } from '../../rows/database-address.ts';
import { backticked, escaped } from '../../sql/literals.ts';
import type { SqlAnswer } from '../../sql/sql-answer.ts';
import { UsageError } from '../../usage-error.ts';
import { databaseEnvironment, statedPassword } from './credentials.ts';
import type { AskedColumn, DatabaseColumn, DatabaseEngine, OpenTable } from './engine.ts';
import { mysqlKind } from './mysql-kinds.ts';
import { mysqlRefusal, serverOf } from './mysql-refusals.ts';
import { noSuchTable } from './no-such-table.ts';
import { fixedState } from './rows-changed.ts';
import { whileRunning } from './running-queries.ts';
import { SELECTED } from './sql-text.ts';

type MySql = Pick<typeof import('mysql2'), 'createConnection'>;

/** Loads the package, which is optional. */
export type LoadMySql = () => Promise<MySql>;

const CONNECT_MILLISECONDS = 15_000;
/** Bytes of rows that are handed on together. */
const PIECE = 65_536;

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
          () => cancelQuery(connection, connect),
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

/** What a connection is opened with, from an address and the environment. */
export function optionsOf(place: string): ConnectionOptions {
  const url = place.replace(/^mariadb:/, 'mysql:');
  if (!URL.canParse(url)) {
    throw new UsageError(`${place} is no address`, 'mysql://user@host:3306/database#table');
  }
  const { hostname, port, pathname, username, searchParams } = new URL(url);
  const host = decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1') || 'localhost';
  const socket = searchParams.get('socket');
  const ssl = socket === null ? tlsOf(host, searchParams) : undefined;
  const { MYSQL_PWD } = databaseEnvironment();
  const password = statedPassword() ?? (MYSQL_PWD || undefined);
  return {
    ...(socket === null ? { host, port: Number(port || 3306) } : { socketPath: socket }),
    user: decodeURIComponent(username),
    database: decodeURIComponent(pathname.slice(1)),
    ...(password === undefined ? {} : { password }),
    ...(ssl === undefined ? {} : { ssl }),
    charset: 'utf8mb4',
    connectTimeout: CONNECT_MILLISECONDS,
    rowsAsArray: true,
    // The server cannot ask for files of this machine.
    flags: ['-LOCAL_FILES'],
    // Cells as the server writes them.
    typeCast: (field) => field.string(),
  };
}

/** As clients of MySQL: DISABLED, REQUIRED, VERIFY_CA or VERIFY_IDENTITY, which is usual to another machine. */
function tlsOf(host: string, parameters: URLSearchParams): SslOptions | undefined {
  const isHere = host === 'localhost' || host === '::1' || /^127\./.test(host);
  const mode = (
    parameters.get('ssl-mode') ?? (isHere ? 'DISABLED' : 'VERIFY_IDENTITY')
  ).toUpperCase();
  const path = parameters.get('ssl-ca');
  const authority = path === null ? {} : { ca: authorityIn(path) };
  const modes: Readonly<Record<string, SslOptions | null>> = {
    DISABLED: null,
    REQUIRED: { ...authority, rejectUnauthorized: path !== null },
    VERIFY_CA: authority,
    VERIFY_IDENTITY: { ...authority, verifyIdentity: true } as SslOptions,
  };
  const found = modes[mode];
  if (found !== undefined) return found ?? undefined;
  throw new UsageError(
    `ssl-mode=${mode} is not known`,
    `say one of ${Object.keys(modes).join(', ')}`,
  );
}

function authorityIn(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new UsageError(`the file ${path} of ssl-ca cannot be read`, 'check the path');
  }
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
        await cancelQuery(connection, connect);
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
    cancel: () => cancelQuery(connection, connect),
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

function answerTo(connection: Connection, sql: string): Promise<SqlAnswer> {
  return new Promise((resolve, reject) => {
    connection.query(sql, (error: unknown, rows: unknown, fields?: readonly FieldPacket[]) => {
      if (error) reject(error);
      else {
        resolve({
          columns: (fields ?? []).map(({ name }) => name),
          rows: Array.isArray(rows) ? (rows as (string | null)[][]) : [],
        });
      }
    });
  });
}

/** Hands the first cells of all rows on, as lines. */
function streamed(
  connection: Connection,
  sql: string,
  push: (bytes: Uint8Array) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let lines: string[] = [];
    let length = 0;
    const flush = () => {
      if (lines.length > 0) push(Buffer.from(`${lines.join('\n')}\n`));
      lines = [];
      length = 0;
    };
    let isOver = false;
    /** The package would throw what a listener throws. */
    const guarded = (work: () => void) => {
      if (isOver) return;
      try {
        work();
      } catch (error) {
        isOver = true;
        reject(error);
      }
    };
    connection
      .query(sql)
      .on('error', (error: unknown) => {
        isOver = true;
        reject(error);
      })
      .on('result', (row: unknown) =>
        guarded(() => {
          const [line] = row as unknown as readonly string[];
          lines.push(line!);
          length += line!.length;
          if (length >= PIECE) flush();
        }),
      )
      .on('end', () =>
        guarded(() => {
          flush();
          resolve();
        }),
      );
  });
}

/** Ends the query of a connection at the server, by a second one. */
async function cancelQuery(
  { threadId }: Connection,
  connect: () => Promise<Connection>,
): Promise<void> {
  try {
    const other = await connect();
    await answerTo(other, `kill query ${Number(threadId)}`).catch(() => {});
    other.end();
  } catch {
    // The server has gone, and its queries with it.
  }
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
