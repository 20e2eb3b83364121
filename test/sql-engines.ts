import { execFile, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DialectName } from '../src/sql/dialect-name.ts';
import type { RunQuery } from '../src/sql/sql-answer.ts';
import { clickhouse, clickhouseInProcess } from './clickhouse-engines.ts';
import { answers, isInstalled, killed } from './engine-process.ts';
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
  /** Which of several versions of an engine. */
  readonly release?: string;
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
      [
        '--no-defaults',
        `--datadir=${data}`,
        `--tmpdir=${folder}`,
        `--socket=${socket}`,
        '--skip-networking',
        ...asUser,
      ],
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
    await answers(() => run('select 1'), server);
    return {
      run,
      async stop() {
        await killed(server);
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
export const testEngines: readonly TestEngine[] = [
  duckdb,
  postgres,
  clickhouse,
  clickhouseInProcess,
  mariadb,
];

/** The engines that are here; says which are not. */
export function enginesHere(): readonly TestEngine[] {
  return testEngines.filter((engine) => {
    const why = engine.absent();
    if (why !== undefined) console.warn(`skipped ${titleOf(engine)}: ${why}`);
    return why === undefined;
  });
}

/** An engine and its version, for the names of tests. */
export function titleOf({ name, release }: Pick<TestEngine, 'name' | 'release'>): string {
  return release === undefined ? name : `${name} ${release}`;
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
