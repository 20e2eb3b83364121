import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { closeSessions } from '../src/node/database/session.ts';
import { freePort, killed } from './engine-process.ts';
import { freshDatabase } from './stores.ts';

/** A column of a table in tests: its name, and its type in the words of each engine. */
export type TestType = 'number' | 'integer' | 'decimal' | 'text' | 'truth' | 'date';

/** A table in tests; each cell as the text that an export has, or null. */
export interface TestTable {
  readonly columns: Readonly<Record<string, TestType>>;
  readonly rows: readonly (readonly (string | null)[])[];
}

/** An engine with rows in it. */
export interface TestDatabase {
  readonly kind: string;
  /** Puts a table there, in place of one of the same name; gives its address. */
  put(name: string, table: TestTable): Promise<string>;
  /** The table as the engine itself exports it, with a header line. */
  exported(name: string): Promise<string>;
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

function insertion(
  name: string,
  { columns, rows }: TestTable,
  truth: (text: string) => string = quoted,
): string {
  const types = Object.values(columns);
  const cell = (text: string | null, k: number) => {
    if (text === null) return 'null';
    if (types[k] === 'truth') return truth(text);
    return ['text', 'date'].includes(types[k]) ? quoted(text) : text;
  };
  const lines = rows.map((row) => `(${row.map(cell).join(', ')})`);
  return `insert into ${name} values ${lines.join(',\n')}`;
}

function definition(
  { columns }: TestTable,
  types: Readonly<Record<TestType, string>>,
  nullable = (type: string) => type,
): string {
  return Object.entries(columns)
    .map(([name, type]) => `"${name}" ${nullable(types[type])}`)
    .join(', ');
}

/** A database of its own on the PostgreSQL server of the run. */
export async function postgresDatabase(): Promise<
  TestDatabase & { readonly client: pg.Client; readonly place: string }
> {
  const url = await freshDatabase();
  const client = new pg.Client(url);
  await client.connect();
  const place = url.replace(':postgres@', '@');
  const types = {
    ...{ number: 'double precision', integer: 'integer', decimal: 'numeric' },
    ...{ text: 'text', truth: 'boolean', date: 'date' },
  };
  return {
    kind: 'PostgreSQL',
    client,
    place,
    env: { PGPASSWORD: 'postgres' },
    async put(name, table) {
      await closeSessions();
      await client.query(`drop table if exists ${name}`);
      await client.query(`create table ${name} (${definition(table, types)})`);
      if (table.rows.length > 0) await client.query(insertion(name, table));
      return `${place}#${name}`;
    },
    exported: (name) => copied(client, `copy ${name} to stdout (format csv, header)`),
    async stop() {
      await closeSessions();
      await client.end();
    },
  };
}

/** What COPY writes, message by message, as the package reads it. */
function copied(client: pg.Client, sql: string): Promise<string> {
  const parts: Buffer[] = [];
  return new Promise((resolve, reject) => {
    const query = {
      submit: (connection: { query(text: string): void }) => connection.query(sql),
      handleCopyData: ({ chunk }: { chunk: Buffer }) => parts.push(Buffer.from(chunk)),
      handleError: reject,
      handleReadyForQuery: () => resolve(Buffer.concat(parts).toString('utf8')),
      handleCommandComplete() {},
    };
    client.query(query as unknown as pg.Submittable);
  });
}

/** A file of DuckDB for each table. */
export async function duckdbDatabase(folder: string): Promise<TestDatabase> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const types = {
    ...{ number: 'double', integer: 'integer', decimal: 'decimal(18, 6)' },
    ...{ text: 'varchar', truth: 'boolean', date: 'date' },
  };
  // Long lists of values take seconds there.
  const loading = (name: string, { rows }: TestTable) => {
    const path = join(folder, `${name}-rows.csv`);
    const spell = (cell: string | null) =>
      cell === null ? '\\N' : `"${cell.replaceAll('"', '""')}"`;
    writeFileSync(path, rows.map((row) => `${row.map(spell).join(',')}\n`).join(''));
    return `copy ${name} from ${quoted(path)} (format csv, header false, nullstr '\\N', quote '"', escape '"')`;
  };
  const within = async (name: string, sql: readonly string[]) => {
    await closeSessions();
    const instance = await DuckDBInstance.create(join(folder, `${name}.db`));
    const connection = await instance.connect();
    for (const one of sql) await connection.run(one);
    connection.closeSync();
    instance.closeSync();
  };
  return {
    kind: 'DuckDB',
    env: {},
    async put(name, table) {
      await within(name, [
        `create or replace table ${name} (${definition(table, types)})`,
        ...(table.rows.length === 0 ? [] : [loading(name, table)]),
      ]);
      return `duckdb:${join(folder, `${name}.db`)}#${name}`;
    },
    async exported(name) {
      const path = join(folder, `${name}-export.csv`);
      await within(name, [`copy ${name} to ${quoted(path)} (format csv, header)`]);
      const { readFileSync } = await import('node:fs');
      return readFileSync(path, 'utf8');
    },
    stop: closeSessions,
  };
}

/** Why ClickHouse is left out, which is printed; undefined where it is installed. */
export function whyNoClickhouse(): string | undefined {
  if (spawnSync('which', ['clickhouse-server']).status === 0) return undefined;
  console.warn('tests on ClickHouse are skipped: clickhouse-server is not installed');
  return 'not installed';
}

/** A user in the configuration of ClickHouse. */
function user(name: string, profile: string, rights = ''): string {
  return `<${name}><password>click secret</password><networks><ip>127.0.0.1</ip></networks><profile>${profile}</profile><quota>default</quota>${rights}</${name}>`;
}

/** A ClickHouse server of its own; its only user has a password. */
export async function clickhouseDatabase(): Promise<
  TestDatabase & { readonly place: string; run(sql: string): Promise<string>; kill(): void }
> {
  const folder = mkdtempSync(join(tmpdir(), 'suffice-clickhouse-'));
  const port = await freePort();
  const config = join(folder, 'config.xml');
  writeFileSync(
    config,
    `<yandex><logger><level>error</level><log>${folder}/log</log><errorlog>${folder}/errors</errorlog></logger>
<http_port>${port}</http_port><listen_host>127.0.0.1</listen_host><path>${folder}/data/</path><tmp_path>${folder}/tmp/</tmp_path>
<mark_cache_size>5368709</mark_cache_size>
<users>${user('reader', 'default')}${user('strict', 'strict')}${user('brief', 'brief')}${user('fixed', 'fixed')}${user('elsewhere', 'default', '<allow_databases><database>other</database></allow_databases>')}</users>
<profiles><default></default><strict><readonly>1</readonly></strict>
<brief><max_ast_elements>200</max_ast_elements></brief><fixed><readonly>1</readonly><max_ast_elements>200</max_ast_elements></fixed></profiles><quotas><default></default></quotas>
<users_config>config.xml</users_config><default_profile>default</default_profile><default_database>default</default_database></yandex>`,
  );
  const server: ChildProcess = spawn('clickhouse-server', ['--config-file', config], {
    stdio: 'ignore',
  });
  const headers = { 'X-ClickHouse-User': 'reader', 'X-ClickHouse-Key': 'click secret' };
  const run = async (body: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text.slice(0, 1000));
    return text;
  };
  for (const deadline = Date.now() + 60_000; ; ) {
    if (await run('select 1').catch(() => undefined)) break;
    if (Date.now() > deadline) throw new Error('ClickHouse did not start');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const types = {
    ...{ number: 'Float64', integer: 'Int32', decimal: 'Decimal(15, 6)' },
    ...{ text: 'String', truth: 'UInt8', date: 'Date' },
  };
  const place = `clickhouse://reader@127.0.0.1:${port}/default`;
  return {
    kind: 'ClickHouse',
    place,
    run,
    kill: () => server.kill('SIGKILL'),
    env: { SUFFICE_DB_PASSWORD: 'click secret' },
    async put(name, table) {
      await run(`drop table if exists ${name}`);
      const defined = definition(table, types, (type) => `Nullable(${type})`);
      await run(`create table ${name} (${defined}) engine = Memory`);
      const bit = (text: string) => (text === 'true' ? '1' : '0');
      if (table.rows.length > 0) await run(insertion(name, table, bit));
      return `${place}#${name}`;
    },
    exported: (name) => run(`select * from ${name} format CSVWithNames`),
    async stop() {
      await killed(server);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
