import { FailureError } from '../../failure.ts';
import type { DatabaseAddress } from '../../rows/database-address.ts';
import { doubleQuoted } from '../../sql/literals.ts';
import type { SqlAnswer } from '../../sql/sql-answer.ts';
import { UsageError } from '../../usage-error.ts';
import { clickhouseRefusal, clickhouseUnreachable } from './clickhouse-refusals.ts';
import { type ClickhouseSettings, otherSettings, READING, SUMMING } from './clickhouse-settings.ts';
import { statedPassword } from './credentials.ts';
import type { AskedColumn, CellKind, DatabaseColumn, DatabaseEngine, OpenTable } from './engine.ts';
import { noSuchTable } from './no-such-table.ts';
import { fixedState } from './rows-changed.ts';
import { whileRunning } from './running-queries.ts';
import { cellsInRow, SELECTED } from './sql-text.ts';

/** ClickHouse by its HTTP interface. It has no snapshots: rows that arrive between two readings are noticed, and refused. */
export const clickhouseEngine: DatabaseEngine = {
  name: 'ClickHouse',
  open(address) {
    const server = serverOf(address);
    return whileRunning(server.cancel, () => openTable(server, address));
  },
};

async function openTable(server: Server, address: DatabaseAddress): Promise<OpenTable> {
  const { from, computed, spread } = await namedRows(server, address);
  const meta = await server.text(`select * from ${from} limit 0 format JSONCompact`);
  const described: { meta: readonly { name: string; type: string }[] } = JSON.parse(meta);
  const columns = described.meta.map(
    ({ name, type }): DatabaseColumn => ({ name, type, kind: kindOf(bareType(type)) }),
  );
  const cells = columns.map(({ name }) => `ifNull(toString(${doubleQuoted(name)}), '\\\\N')`);
  const hash = `sum(cityHash64(${cells.join(', ')}))`;
  const stateNow = async () => {
    const [[rows, sum]] = (await server.query(`select count(), ${hash} from ${from}`)).rows;
    return { rows: Number(rows), state: String(sum) };
  };
  const state = await (computed ? fixedState(address, stateNow) : stateNow());
  return {
    columns,
    rows: Number(state.rows),
    state,
    from,
    // One select over a Distributed table goes to its servers as it is; what is around an inner select does not.
    ...(spread ? { elsewhere: { parts: [from], whyFetched: async () => undefined } } : {}),
    read: (asked, push) => {
      const row = cellsInRow(asked.map((column) => cellSql(column, columns)));
      return server.stream(`select ${row} from ${from} format CSV`, push);
    },
    query: (sql) => server.query(sql),
    cancel: server.cancel,
    hold() {},
    close: async () => {},
  };
}

interface Server {
  readonly database: string;
  stream(sql: string, push: (bytes: Uint8Array) => void): Promise<void>;
  text(sql: string): Promise<string>;
  query(sql: string): Promise<SqlAnswer>;
  cancel(): Promise<void>;
}

function serverOf({ place, text: shown }: DatabaseAddress): Server {
  if (!URL.canParse(place))
    throw new UsageError(`${place} is no address`, 'clickhouse://user@host:8123/database#table');
  const { hostname, port, pathname, username, searchParams } = new URL(place);
  const isSecure = ['1', 'true'].includes(searchParams.get('secure') ?? '');
  const database = decodeURIComponent(pathname.slice(1)) || 'default';
  const url = `${isSecure ? 'https' : 'http'}://${hostname}:${port || (isSecure ? 8443 : 8123)}/?database=${encodeURIComponent(database)}`;
  const password = statedPassword();
  const headers: Record<string, string> = {
    'X-ClickHouse-User': decodeURIComponent(username) || 'default',
    ...(password === undefined ? {} : { 'X-ClickHouse-Key': password }),
  };
  const lost = () =>
    new FailureError('network', {
      problem: 'the connection to the database was lost',
      remedy: 'nothing was sent; run the same command again',
      place: { file: shown },
    });
  let running = '';
  const newQuery = () => {
    running = `suffice-${crypto.randomUUID()}`;
    return running;
  };
  const ask = async (
    sql: string,
    signal: AbortSignal,
    settings: ClickhouseSettings = READING,
  ): Promise<Response> => {
    let response: Response;
    try {
      const stated = Object.entries(settings).map(([name, value]) => `&${name}=${value}`);
      const query = `${url}${stated.join('')}&query_id=${newQuery()}`;
      response = await fetch(query, { method: 'POST', headers, body: sql, signal });
    } catch (error) {
      throw clickhouseUnreachable(error, shown) ?? lost();
    }
    if (response.ok) return response;
    const message = await response.text();
    const others = otherSettings(settings, message, sql.length);
    if (others !== undefined) return ask(sql, signal, others);
    throw clickhouseRefusal(message, shown, sql.length);
  };
  const stream = async (sql: string, push: (bytes: Uint8Array) => void): Promise<void> => {
    const stop = new AbortController();
    const response = await ask(sql, stop.signal);
    const reader = response.body!.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read().catch(() => {
          throw lost();
        });
        if (done) return;
        push(value);
      }
    } finally {
      // Closing the connection ends the query.
      stop.abort();
    }
  };
  const text = async (sql: string, settings?: ClickhouseSettings) =>
    (await ask(sql, new AbortController().signal, settings)).text();
  return {
    database,
    stream,
    text,
    // A user that may not kill a query may replace it by another of the same name.
    async cancel() {
      const query = `${url}&readonly=2&replace_running_query=1&query_id=${running}`;
      await fetch(query, { method: 'POST', headers, body: 'select 1' }).catch(() => {});
    },
    async query(sql) {
      const asked = `${sql} format TabSeparatedWithNames`;
      const [names = '', ...lines] = (await text(asked, SUMMING)).replace(/\n$/, '').split('\n');
      return {
        columns: names.split('\t').map(unescaped).map(String),
        rows: lines.map((line) => line.split('\t').map(unescaped)),
      };
    },
  };
}

function unescaped(cell: string): string | null {
  if (cell === '\\N') return null;
  const marks: Readonly<Record<string, string>> = {
    t: '\t',
    n: '\n',
    r: '\r',
    0: '\0',
    b: '\b',
    f: '\f',
  };
  return cell.replace(/\\(.)/g, (_, mark: string) => marks[mark] ?? mark);
}

interface NamedRows {
  /** The rows as a query reads them. */
  readonly from: string;
  /** Whether they are those of a select or a view. */
  readonly computed: boolean;
  /** Whether other servers hold them: a Distributed table. */
  readonly spread: boolean;
}

async function namedRows(server: Server, { rows, text }: DatabaseAddress): Promise<NamedRows> {
  if ('select' in rows) {
    return { from: `(${rows.select}\n) as ${SELECTED}`, computed: true, spread: false };
  }
  const [name, database = server.database] = rows.table.toReversed();
  const { rows: found } = await server.query(
    `select name, engine from system.tables where database = ${quoted(database)} order by name`,
  );
  const there = found.map(([one]) => String(one));
  if (!there.includes(name!)) throw noSuchTable([name!], there, text);
  const [, engine] = found.find(([one]) => one === name)!;
  return {
    from: `${doubleQuoted(database)}.${doubleQuoted(name!)}`,
    computed: engine === 'View',
    spread: engine === 'Distributed',
  };
}

/** A text of ClickHouse: backslashes and quotes are escaped by a backslash. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function bareType(type: string): string {
  const inner = /^(?:Nullable|LowCardinality)\((.*)\)$/s.exec(type)?.[1];
  return inner === undefined ? type : bareType(inner);
}

function kindOf(type: string): CellKind {
  if (/^(U?Int\d+|Float(32|64)|Decimal\d*\(.*\))$/.test(type)) return 'number';
  if (type === 'Bool') return 'logical';
  if (type === 'Date' || type === 'Date32') return 'date';
  return /^(String|UUID|FixedString\(\d+\)|Enum(8|16)\(.*\))$/s.test(type) ? 'text' : 'other';
}

/** A cell; NULL as nothing, where an export would write \N. */
function cellSql(
  { name, words, missing = '' }: AskedColumn,
  columns: readonly DatabaseColumn[],
): string {
  const cell = doubleQuoted(name);
  const { type, kind } = columns.find((column) => column.name === name)!;
  const isNullable = /^(LowCardinality\()?Nullable\(/.test(type);
  if (kind === 'logical') {
    const [yes, no] = words ?? ['true', 'false'];
    const text = `if(${cell}, ${quoted(yes)}, ${quoted(no)})`;
    return isNullable ? `if(isNull(${cell}), ${quoted(missing)}, ${text})` : text;
  }
  return isNullable ? `ifNull(toString(${cell}), ${quoted(missing)})` : cell;
}
