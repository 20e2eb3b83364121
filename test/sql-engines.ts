import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DialectName } from '../src/sql/dialect-name.ts';
import type { RunQuery } from '../src/sql/sql-answer.ts';
import type { TestTable, TestType } from './sql-tables.ts';
import { freshDatabase } from './stores.ts';

/** A running engine, for the laws of the queries. */
export interface RunningEngine {
  readonly run: RunQuery;
  /** Puts rows into a table, where texts of numbers would be rounded. */
  insert?(name: string, table: TestTable): Promise<void>;
  stop(): Promise<void>;
}

/** An engine that may be on this machine. */
export interface TestEngine {
  readonly name: DialectName;
  readonly types: Readonly<Record<TestType, string>>;
  /** The types a column gets where it may be NULL, and what ends a definition. */
  readonly nullable?: (type: string) => string;
  readonly tableEnd?: string;
  readonly quote: '"' | '`';
  readonly escapes: boolean;
  /** Why it cannot run here; undefined where it can. */
  absent(): string | undefined;
  start(): Promise<RunningEngine>;
}

const duckdb: TestEngine = {
  name: 'duckdb',
  types: { double: 'DOUBLE', integer: 'INTEGER', decimal: 'DECIMAL(12,3)', text: 'VARCHAR' },
  quote: '"',
  escapes: false,
  absent: () => undefined,
  async start() {
    const { DuckDBInstance } = await import('@duckdb/node-api');
    const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
    const connection = await instance.connect();
    return {
      async run(text) {
        const read = await connection.runAndReadAll(text);
        const rows = read
          .getRows()
          .map((row) => row.map((cell) => (cell === null ? null : String(cell))));
        return { columns: read.columnNames(), rows };
      },
      async stop() {
        connection.closeSync();
        instance.closeSync();
      },
    };
  },
};

const postgres: TestEngine = {
  name: 'postgres',
  types: { double: 'float8', integer: 'integer', decimal: 'numeric(12,3)', text: 'text' },
  quote: '"',
  escapes: false,
  absent: () => undefined,
  async start() {
    const { default: pg } = await import('pg');
    const client = new pg.Client({
      connectionString: await freshDatabase(),
      types: { getTypeParser: () => (text: string) => text },
    });
    await client.connect();
    return {
      async run(text) {
        const { fields = [], rows } = await client.query({ text, rowMode: 'array' });
        return { columns: fields.map(({ name }) => name), rows };
      },
      stop: () => client.end(),
    };
  },
};

const clickhouse: TestEngine = {
  name: 'clickhouse',
  types: { double: 'Float64', integer: 'Int32', decimal: 'Decimal(12,3)', text: 'String' },
  nullable: (type) => `Nullable(${type})`,
  tableEnd: 'engine = Memory',
  quote: '`',
  escapes: true,
  absent: () =>
    isInstalled('clickhouse-server') ? undefined : 'clickhouse-server is not installed',
  async start() {
    const folder = mkdtempSync(join(tmpdir(), 'suffice-clickhouse-'));
    const port = await freePort();
    const config = join(folder, 'config.xml');
    writeFileSync(config, clickhouseConfig(folder, port));
    const server = spawn('clickhouse-server', ['--config-file', config], { stdio: 'ignore' });
    const ask = async (body: BodyInit, query = '') => {
      const url = `http://127.0.0.1:${port}/?default_format=JSONCompact&query=${encodeURIComponent(query)}`;
      const answer = await fetch(url, { method: 'POST', body });
      const said = await answer.text();
      if (!answer.ok) throw new Error(said.slice(0, 2000));
      return said;
    };
    await until(() => ask('select 1'), server);
    return {
      async run(text) {
        const body = await ask(text);
        if (body.trim() === '') return { columns: [], rows: [] };
        // Decimals are written as bare numbers: their digits must not pass through a float64.
        const quoted = body.replace(/([[,]\s*)(-?\d+(?:\.\d+)?)(?=\s*[\],])/g, '$1"$2"');
        const { meta, data } = JSON.parse(quoted) as {
          meta: { name: string }[];
          data: (string | number | null)[][];
        };
        return {
          columns: meta.map(({ name }) => name),
          rows: data.map((row) => row.map((cell) => (cell === null ? null : String(cell)))),
        };
      },
      async insert(name, table) {
        await ask(new Uint8Array(rowBinary(table)), `insert into ${name} format RowBinary`);
      },
      async stop() {
        await ended(server);
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};

/** Rows in ClickHouse's own bytes, all columns Nullable. */
function rowBinary({ columns, rows }: TestTable): Buffer {
  const parts = rows.flatMap((row) =>
    row.flatMap((cell, k) => {
      if (cell === null) return [Buffer.from([1])];
      const bytes = Buffer.alloc(8);
      switch (columns[k]!.type) {
        case 'double':
          bytes.writeDoubleLE(Number(cell));
          return [Buffer.from([0]), bytes];
        case 'decimal':
          bytes.writeBigInt64LE(BigInt(Math.round(Number(cell) * 1000)));
          return [Buffer.from([0]), bytes];
        case 'integer':
          bytes.writeInt32LE(Number(cell));
          return [Buffer.from([0]), bytes.subarray(0, 4)];
        default: {
          const text = Buffer.from(cell);
          return [Buffer.from([0, text.length]), text];
        }
      }
    }),
  );
  return Buffer.concat(parts);
}

function clickhouseConfig(folder: string, port: number): string {
  return `<yandex>
<logger><level>error</level><log>${folder}/log</log><errorlog>${folder}/errors</errorlog></logger>
<http_port>${port}</http_port><listen_host>127.0.0.1</listen_host>
<path>${folder}/data/</path><tmp_path>${folder}/tmp/</tmp_path>
<mark_cache_size>5368709</mark_cache_size>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
<profiles><default><max_query_size>1048576</max_query_size></default></profiles><quotas><default></default></quotas>
<users_config>config.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
</yandex>`;
}

const mariadb: TestEngine = {
  name: 'mariadb',
  types: { double: 'double', integer: 'int', decimal: 'decimal(12,3)', text: 'varchar(40)' },
  tableEnd: 'default charset = utf8mb4',
  quote: '`',
  escapes: true,
  absent: () => (isInstalled('mariadbd') ? undefined : 'mariadbd is not installed'),
  async start() {
    const folder = mkdtempSync(join(tmpdir(), 'suffice-mariadb-'));
    chmodSync(folder, 0o777);
    const data = join(folder, 'data');
    mkdirSync(data);
    const asUser = process.getuid?.() === 0 ? ['--user=root'] : [];
    spawnSync(
      'mariadb-install-db',
      ['--no-defaults', `--datadir=${data}`, '--auth-root-authentication-method=normal', ...asUser],
      { stdio: 'ignore' },
    );
    const socket = join(folder, 'socket');
    const server = spawn(
      'mariadbd',
      ['--no-defaults', `--datadir=${data}`, `--socket=${socket}`, '--skip-networking', ...asUser],
      { stdio: 'ignore' },
    );
    const run: RunQuery = (text) =>
      new Promise((resolve, reject) => {
        const client = execFile(
          'mariadb',
          [
            '--no-defaults',
            `--socket=${socket}`,
            '--default-character-set=utf8mb4',
            '--batch',
            '--xml',
            'test',
          ],
          { maxBuffer: 2 ** 28 },
          (error, stdout, stderr) => {
            if (error) reject(new Error(stderr.slice(0, 2000)));
            else resolve(fromXml(stdout));
          },
        );
        client.stdin!.end(text);
      });
    await until(() => run('select 1'), server);
    return {
      run,
      async stop() {
        await ended(server);
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};

function fromXml(text: string) {
  const rows = text.split('<row>').slice(1);
  const fields = rows.map((row) =>
    Array.from(
      row.matchAll(/<field name="([^"]*)"(?: xsi:nil="true" \/>|>([^<]*)<\/field>)/g),
      ([, name, value]) => ({
        name: name!,
        value: value ?? null,
      }),
    ),
  );
  return {
    columns: (fields[0] ?? []).map(({ name }) => name),
    rows: fields.map((row) => row.map(({ value }) => value)),
  };
}

/** The engines that can run on a test machine, each by its own law. */
export const testEngines: readonly TestEngine[] = [duckdb, postgres, clickhouse, mariadb];

/** The engines that are here; says which are not. */
export function enginesHere(): readonly TestEngine[] {
  return testEngines.filter((engine) => {
    const why = engine.absent();
    if (why !== undefined) console.warn(`skipped ${engine.name}: ${why}`);
    return why === undefined;
  });
}

/** Puts a table into an engine. */
export async function load(
  engine: TestEngine,
  running: RunningEngine,
  name: string,
  { columns, rows }: TestTable,
): Promise<void> {
  const { run } = running;
  const { quote, types, nullable = (type: string) => type, tableEnd = '' } = engine;
  const defined = columns.map(
    (column) => `${quote}${column.name}${quote} ${nullable(types[column.type])}`,
  );
  await run(`create table ${name} (${defined.join(', ')}) ${tableEnd}`);
  const text = (value: string) =>
    `'${(engine.escapes ? value.replaceAll('\\', '\\\\') : value).replaceAll("'", "''")}'`;
  const cell = (value: string | null, k: number) => {
    if (value === null) return 'null';
    if (columns[k]!.type === 'text') return text(value);
    return columns[k]!.type === 'double' && !/e/.test(value) ? `${value}e0` : value;
  };
  if (running.insert !== undefined) return running.insert(name, { columns, rows });
  for (let from = 0; from < rows.length; from += 500) {
    const part = rows.slice(from, from + 500).map((row) => `(${row.map(cell).join(', ')})`);
    await run(`insert into ${name} values ${part.join(', ')}`);
  }
}

function isInstalled(program: string): boolean {
  return ['/usr/bin', '/usr/sbin', '/usr/local/bin'].some((folder) =>
    existsSync(join(folder, program)),
  );
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}

async function until(ask: () => Promise<unknown>, server: ChildProcess): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      await ask();
      return;
    } catch (error) {
      if (server.exitCode !== null || Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  const gone = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGKILL');
  await gone;
}
