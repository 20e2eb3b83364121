import pg from 'pg';
import { FailureError } from '../../failure.ts';
import type { DatabaseAddress } from '../../rows/database-address.ts';
import { doubleQuoted, quotedText } from '../../sql/literals.ts';
import { usualTls } from '../store/postgres-tls.ts';
import { databaseEnvironment, postgresPassword } from './credentials.ts';
import type { AskedColumn, DatabaseColumn, DatabaseEngine, OpenTable } from './engine.ts';
import { noSuchTable } from './no-such-table.ts';
import { cancelQuery, copyOut } from './postgres-copy.ts';
import { postgresKind } from './postgres-kinds.ts';
import {
  type ForeignParts,
  foreignParts,
  partsElsewhere,
  rowHash,
  stateOfParts,
} from './postgres-parts.ts';
import { postgresRefusal, refuseOldServer } from './postgres-refusals.ts';
import { fixedState } from './rows-changed.ts';
import { whileRunning } from './running-queries.ts';
import { cellsInRow, SELECTED } from './sql-text.ts';

const CONNECT_MILLISECONDS = 15_000;

/** Answers as the server writes them. */
const asText = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig;

/** PostgreSQL: one read-only transaction, so one snapshot, however often the rows are read; rows come by COPY. */
export const postgresEngine: DatabaseEngine = {
  name: 'PostgreSQL',
  async open(address) {
    const client = await connected(address);
    try {
      return await whileRunning(
        () => cancelQuery(client),
        () => openTable(client, address),
      );
    } catch (error) {
      await client.end().catch(() => {});
      throw postgresRefusal(error, address.text);
    }
  },
};

async function connected({ place, text }: DatabaseAddress): Promise<pg.Client> {
  const env = databaseEnvironment();
  const ssl = usualTls(place, env);
  try {
    const client = new pg.Client({
      // The package checks the certificate in these modes too, and warns that its next version will not.
      connectionString: place
        .replace(/^postgresql:/, 'postgres:')
        .replace(/([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, '$1verify-full'),
      types: asText,
      application_name: 'suffice',
      connectionTimeoutMillis: CONNECT_MILLISECONDS,
      keepAlive: true,
      ...(ssl === undefined ? {} : { ssl }),
    });
    const { host, port, database = '', user = '' } = client;
    const password = postgresPassword({ host, port, database, user });
    client.password = password ?? '';
    // A lost connection shows in the query that waits for it.
    client.on('error', () => {});
    await client.connect().catch((error) => {
      throw password === undefined && isPasswordAsked(error) ? noPassword(text) : error;
    });
    return client;
  } catch (error) {
    throw postgresRefusal(error, text);
  }
}

/** Without a password some servers name no reason. */
function isPasswordAsked({ code, message }: { code?: unknown; message?: unknown }): boolean {
  return code === '28P01' || /SASL|must be a (non-empty )?string/i.test(String(message));
}

function noPassword(address: string): FailureError {
  return new FailureError('policy', {
    problem: 'the database asks for a password, and none was given',
    remedy: 'give it in a file, in PGPASSWORD or in ~/.pgpass, which only you can read',
    place: { file: address },
    option: { name: 'password-file' },
  });
}

async function openTable(client: pg.Client, address: DatabaseAddress): Promise<OpenTable> {
  const rowsOf = async (sql: string, values: readonly unknown[] = []): Promise<string[][]> => {
    const query = { text: sql, values: [...values], rowMode: 'array' as const };
    return (await client.query<string[]>(query)).rows;
  };
  const [[number]] = await rowsOf("select current_setting('server_version_num')");
  const version = Number(number);
  refuseOldServer(version, address.text);
  await client.query("set client_encoding = 'UTF8'");
  // The server then ends a long query whose client has gone; some systems cannot.
  if (version >= 140_000) {
    await client.query("set client_connection_check_interval = '2s'").catch(() => {});
  }
  await client.query('begin isolation level repeatable read read only');
  await client.query("set local datestyle = 'ISO, YMD'");
  await client.query(`set local extra_float_digits = ${version >= 120_000 ? 1 : 3}`);
  // Each reading then has the same order of rows.
  await client.query('set local synchronize_seqscans = off');
  if (version >= 140_000) await client.query('set local enable_async_append = off');
  const named = await namedRows(address, rowsOf);
  const described = await client.query({
    text: `select ${named.columns?.map(doubleQuoted).join(', ') ?? '*'} from ${named.from} limit 0`,
    rowMode: 'array',
    // The server takes one statement only, and no second one after a semicolon.
    queryMode: 'extended',
  } as pg.QueryArrayConfig);
  const columns = await typedColumns(described.fields, rowsOf);
  const stateNow = () => stateOf(named, columns, rowsOf);
  const state = await (named.isTable ? stateNow() : fixedState(address, stateNow));
  await client.query('set local max_parallel_workers_per_gather = 0');
  return {
    columns,
    rows: Number(state.rows),
    state,
    from: named.from,
    ...(named.parts === undefined ? {} : { elsewhere: partsElsewhere(named.parts, rowsOf) }),
    read: (asked, push) => {
      const cells = cellsInRow(asked.map((column) => cellSql(column, columns)));
      const sql = `copy (select ${cells} from ${named.from}) to stdout (format csv)`;
      return copyOut(client, sql, push, (error) => postgresRefusal(error, address.text));
    },
    async query(sql) {
      try {
        // The order of rows does not matter to sums.
        await client.query('set local max_parallel_workers_per_gather to default');
        if (version >= 140_000) await client.query('set local enable_async_append to default');
        const { fields, rows } = await client.query<(string | null)[]>({
          text: sql,
          rowMode: 'array',
        });
        await client.query('set local max_parallel_workers_per_gather = 0');
        if (version >= 140_000) await client.query('set local enable_async_append = off');
        return { columns: fields.map(({ name }) => name), rows };
      } catch (error) {
        throw postgresRefusal(error, address.text);
      }
    },
    cancel: () => cancelQuery(client),
    hold(held) {
      const { stream } = (client as unknown as { connection: { stream: Held } }).connection;
      if (held) stream.ref();
      else stream.unref();
    },
    close: () => client.end().catch(() => {}),
  };
}

interface Held {
  ref(): unknown;
  unref(): unknown;
}

type RowsOf = (sql: string, values?: readonly unknown[]) => Promise<string[][]>;

/** The rows of an address as a query reads them. */
interface NamedRows {
  readonly from: string;
  /** The columns of a table that the role may read; all columns of a select. */
  readonly columns?: readonly string[];
  /** Whether each row shows the transaction that wrote it. */
  readonly hasWriter: boolean;
  /** Parts of the table, where other servers hold some. */
  readonly parts?: ForeignParts;
  /** Whether the rows are stored, not computed. */
  readonly isTable: boolean;
}

async function namedRows({ rows, text }: DatabaseAddress, rowsOf: RowsOf): Promise<NamedRows> {
  if ('select' in rows) {
    return { from: `(${rows.select}\n) as ${SELECTED}`, hasWriter: false, isTable: false };
  }
  const from = rows.table.map(doubleQuoted).join('.');
  const [[oid]] = await rowsOf('select to_regclass($1)::oid', [from]);
  if (oid === null) throw noSuchTable(rows.table, await tablesSeen(rowsOf), text);
  const [[kind, whole]] = await rowsOf(
    "select relkind, has_table_privilege(oid, 'select') from pg_class where oid = $1",
    [oid],
  );
  const columns = await rowsOf(
    `select attname, has_column_privilege(attrelid, attnum, 'select') from pg_attribute
     where attrelid = $1 and attnum > 0 and not attisdropped order by attnum`,
    [oid],
  );
  const readable = columns.filter(([, may]) => may === 't').map(([name]) => name);
  if (readable.length === 0) throw Object.assign(new Error('no permission'), { code: '42501' });
  const parts = await foreignParts(oid, kind, rowsOf);
  const isTable = 'rpm'.includes(kind);
  const hasWriter = parts === undefined && isTable && whole === 't';
  return { from, columns: readable, hasWriter, isTable, ...(parts === undefined ? {} : { parts }) };
}

async function tablesSeen(rowsOf: RowsOf): Promise<string[]> {
  const found = await rowsOf(
    `select case when pg_table_is_visible(c.oid) then relname else nspname || '.' || relname end
     from pg_class c join pg_namespace n on n.oid = relnamespace
     where relkind in ('r', 'p', 'v', 'm', 'f') and nspname !~ '^(pg_|information_schema)'
       and has_schema_privilege(n.oid, 'usage') and has_any_column_privilege(c.oid, 'select')
     order by 1 limit 1000`,
  );
  return found.map(([name]) => name);
}

async function typedColumns(
  fields: readonly pg.FieldDef[],
  rowsOf: RowsOf,
): Promise<DatabaseColumn[]> {
  const types = await rowsOf(
    'select oid, format_type(oid, null), typcategory from pg_type where oid = any($1::oid[])',
    [fields.map(({ dataTypeID }) => dataTypeID)],
  );
  const byOid = new Map(types.map(([oid, type, category]) => [Number(oid), { type, category }]));
  return fields.map(({ name, dataTypeID }) => {
    const { type = 'unknown', category = 'X' } = byOid.get(dataTypeID) ?? {};
    return { name, type, kind: postgresKind(dataTypeID, category) };
  });
}

/**
 * The number of rows, and a sum that is another once a row is another. Every change of a table writes a row with a later
 * transaction, or makes them fewer, so the sum of the writers' numbers is enough there; elsewhere it is one of the rows' text.
 */
async function stateOf(
  { from, hasWriter, parts }: NamedRows,
  columns: readonly DatabaseColumn[],
  rowsOf: RowsOf,
): Promise<OpenTable['state']> {
  const hash = rowHash(columns);
  if (parts !== undefined && parts.closed === undefined && hash !== undefined) {
    const [[count, sum]] = await rowsOf(stateOfParts(parts.names, hash));
    return { rows: Number(count), state: sum ?? '0' };
  }
  const cells = columns.map(({ name }) => doubleQuoted(name)).join(', ');
  const mark = hasWriter ? 'xmin::text::bigint' : `hashtextextended(row(${cells})::text, 0)`;
  const [[rows, sum]] = await rowsOf(`select count(*), sum(${mark}) from ${from}`);
  return { rows: Number(rows), state: sum ?? '0' };
}

function cellSql(
  { name, words, missing }: AskedColumn,
  columns: readonly DatabaseColumn[],
): string {
  const quoted = doubleQuoted(name);
  const { kind } = columns.find((column) => column.name === name)!;
  const cell =
    kind === 'logical' && words !== undefined
      ? `case when ${quoted} then ${quotedText(words[0])} when not ${quoted} then ${quotedText(words[1])} end`
      : quoted;
  return missing === undefined ? cell : `coalesce((${cell})::text, ${quotedText(missing)})`;
}
