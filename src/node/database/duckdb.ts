import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import { DataError } from '../../data-error.ts';
import { FailureError } from '../../failure.ts';
import type { DatabaseAddress } from '../../rows/database-address.ts';
import { doubleQuoted, quotedText } from '../../sql/literals.ts';
import { UsageError } from '../../usage-error.ts';
import type { AskedColumn, CellKind, DatabaseColumn, DatabaseEngine, OpenTable } from './engine.ts';
import { noSuchTable } from './no-such-table.ts';
import { fixedState } from './rows-changed.ts';
import { SELECTED } from './sql-text.ts';

type DuckDb = typeof import('@duckdb/node-api');

/** Loads the package, which is optional. */
export type LoadDuckDb = () => Promise<DuckDb>;

/** DuckDB in this process, by its file, which is opened for reading only. */
export function duckdbFrom(load: LoadDuckDb): DatabaseEngine {
  return {
    name: 'DuckDB',
    async open(address) {
      const path = resolve(address.place.replace(/^duckdb:(\/\/)?/, ''));
      if (!existsSync(path)) {
        throw new DataError('no such file', { file: address.text }, 'check the path before #');
      }
      const { DuckDBInstance } = await load().catch(() => {
        throw new UsageError(
          'the package @duckdb/node-api is not installed',
          'npm install @duckdb/node-api beside suffice, or export the table as CSV and give that file',
        );
      });
      let instance: DuckDBInstance;
      try {
        instance = await DuckDBInstance.create(path, { access_mode: 'READ_ONLY' });
      } catch (error) {
        throw refusalOf(error, address.text);
      }
      const connection = await instance.connect();
      const close = async () => {
        connection.closeSync();
        instance.closeSync();
      };
      try {
        return await openTable(connection, address, path, close);
      } catch (error) {
        await close();
        throw refusalOf(error, address.text);
      }
    },
  };
}

/** DuckDB from the package that is installed here. */
export const duckdbEngine: DatabaseEngine = duckdbFrom(() => import('@duckdb/node-api'));

async function openTable(
  connection: DuckDBConnection,
  address: DatabaseAddress,
  path: string,
  close: () => Promise<void>,
): Promise<OpenTable> {
  const rowsOf = async (sql: string): Promise<(string | null)[][]> => {
    const rows = await (await connection.run(sql)).getRows();
    return rows.map((row) => row.map(textOf));
  };
  await connection.run('begin transaction');
  const { from, isTable } = await namedRows(connection, address, rowsOf);
  const described = await rowsOf(`describe select * from ${from}`);
  const columns = described.map(
    ([name, type]): DatabaseColumn => ({ name: name!, type: type!, kind: kindOf(type!) }),
  );
  const cells = columns.map(({ name }) => doubleQuoted(name)).join(', ');
  const stateNow = async (hash: string) => {
    const [[count, sum]] = await rowsOf(`select count(*), ${hash} from ${from}`);
    return { rows: Number(count), state: sum ?? '0' };
  };
  const { rows } = await (isTable
    ? stateNow('0')
    : fixedState(address, () => stateNow(`sum(hash(${cells})::hugeint)`)));
  return {
    columns,
    rows: Number(rows),
    state: { rows: Number(rows), ...fileState(path) },
    from,
    async read(asked, push) {
      const line = asked.map((column) => cellSql(column, columns)).join(" || ',' || ");
      try {
        // A second cell keeps a line with one empty cell from being blank.
        const sql = `select ${line}${asked.length === 1 ? " || ',1'" : ''} from ${from}`;
        const result = await connection.stream(sql);
        for (;;) {
          const chunk = await result.fetchChunk();
          if (chunk === null || chunk.rowCount === 0) break;
          push(Buffer.from(`${chunk.getColumnValues(0).join('\n')}\n`));
        }
      } catch (error) {
        connection.interrupt();
        throw refusalOf(error, address.text);
      }
    },
    async query(sql) {
      try {
        const result = await connection.run(sql);
        const rows = await result.getRows();
        return { columns: result.columnNames(), rows: rows.map((row) => row.map(textOf)) };
      } catch (error) {
        throw refusalOf(error, address.text);
      }
    },
    hold() {},
    close,
  };
}

async function namedRows(
  connection: DuckDBConnection,
  { rows, text }: DatabaseAddress,
  rowsOf: (sql: string) => Promise<(string | null)[][]>,
): Promise<{ readonly from: string; readonly isTable: boolean }> {
  if ('select' in rows) {
    const from = `(${rows.select}\n) as ${SELECTED}`;
    const { count } = await connection.extractStatements(`select * from ${from}`);
    if (count === 1) return { from, isTable: false };
    throw new UsageError(`${text} has more than one statement`, 'give one select after #');
  }
  const found = await rowsOf(
    "select table_schema, table_name, table_type from information_schema.tables where table_schema not in ('information_schema', 'pg_catalog') order by 2",
  );
  const named = found.map(([schema, name]) => (schema === 'main' ? name! : `${schema}.${name}`));
  const wanted = rows.table.join('.').replace(/^main\./, '');
  const at = named.findIndex((name) => name.toLowerCase() === wanted.toLowerCase());
  if (at < 0) throw noSuchTable(rows.table, named, text);
  return {
    from: rows.table.map(doubleQuoted).join('.'),
    isTable: found[at]![2] === 'BASE TABLE',
  };
}

/** The state of a file and of its log, where a writer has left one. */
function fileState(path: string): Record<string, number> {
  const log = statSync(`${path}.wal`, { throwIfNoEntry: false });
  const { size, mtimeMs } = statSync(path);
  return { bytes: size + (log?.size ?? 0), modified: Math.max(mtimeMs, log?.mtimeMs ?? 0) };
}

function kindOf(type: string): CellKind {
  if (/^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\([^)]*\))$/.test(type)) {
    return 'number';
  }
  if (type === 'BOOLEAN') return 'logical';
  if (type === 'DATE') return 'date';
  return /^(VARCHAR|UUID|ENUM\(.*\))$/s.test(type) ? 'text' : 'other';
}

/** A cell as an export writes it: texts in quotes, NULL as nothing. */
function cellSql(
  { name, words, missing = '' }: AskedColumn,
  columns: readonly DatabaseColumn[],
): string {
  const quoted = doubleQuoted(name);
  const { kind } = columns.find((column) => column.name === name)!;
  const texts: Readonly<Record<string, string>> = {
    text: `'"' || replace(${quoted}::varchar, '"', '""') || '"'`,
    logical: `case when ${quoted} then ${quotedText(words?.[0] ?? 'true')} when not ${quoted} then ${quotedText(words?.[1] ?? 'false')} end`,
  };
  return `coalesce(${texts[kind] ?? `${quoted}::varchar`}, ${quotedText(missing)})`;
}

function textOf(value: DuckDBValue): string | null {
  return value === null ? null : String(value);
}

function refusalOf(error: unknown, address: string): unknown {
  if (error instanceof FailureError || !(error instanceof Error)) return error;
  const place = { file: address };
  if (/lock/i.test(error.message) && /IO Error/.test(error.message)) {
    return new DataError(
      'another process has the DuckDB file open for writing',
      place,
      'close it there, or give a copy of the file',
    );
  }
  if (/not a valid DuckDB database file/i.test(error.message)) {
    return new DataError('the file is no DuckDB database', place, 'check the path before #');
  }
  if (/\b(Parser|Binder|Catalog) Error/.test(error.message)) {
    const [line] = error.message.split('\n');
    return new UsageError(`${address}: ${line}`, 'correct the table or the select after #');
  }
  // Other errors of the engine may contain cells; those of this program are as they are.
  const kind = /^([A-Z][A-Za-z ]+ Error):/.exec(error.message)?.[1];
  if (kind === undefined) return error;
  return new DataError(
    `DuckDB could not read the rows (${kind})`,
    place,
    'run the select in DuckDB to see why; its message may contain cells, so it is not shown here',
  );
}
