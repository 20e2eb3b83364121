import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeSessions } from '../src/node/database/session.ts';
import type { TestDatabase, TestTable, TestType } from './database-tables.ts';
import { freePort, isInstalled, killed } from './engine-process.ts';

/** Why MariaDB is left out, which is printed; undefined where it is installed. */
export function whyNoMariadb(): string | undefined {
  if (isInstalled('mariadbd')) return undefined;
  console.warn('tests on MariaDB are skipped: mariadbd is not installed');
  return 'not installed';
}

export const READER = 'maria secret';

/** A MariaDB server of its own, with a user that may read one database. */
export interface MariadbServer extends TestDatabase {
  /** The address of the database, without a table. */
  readonly place: string;
  /** Runs statements as root; gives what the client of MariaDB prints of the last one. */
  run(sql: string): Promise<string>;
  readonly process: ChildProcess;
}

const types: Readonly<Record<TestType, string>> = {
  ...{ number: 'double', integer: 'int', decimal: 'decimal(15, 6)' },
  ...{ text: 'varchar(60)', truth: 'boolean', date: 'date' },
};

/** Starts a server on a free port of this machine. */
export async function mariadbDatabase(...options: readonly string[]): Promise<MariadbServer> {
  const folder = mkdtempSync(join(tmpdir(), 'suffice-maria-'));
  chmodSync(folder, 0o777);
  const data = join(folder, 'data');
  mkdirSync(data);
  const asUser = process.getuid?.() === 0 ? ['--user=root'] : [];
  spawnSync(
    'mariadb-install-db',
    [
      ...['--no-defaults', `--datadir=${data}`, '--auth-root-authentication-method=normal'],
      ...['--skip-test-db', ...asUser],
    ],
    { stdio: 'ignore' },
  );
  const port = await freePort();
  const socket = join(folder, 'socket');
  const server = spawn(
    '/usr/sbin/mariadbd',
    [
      ...['--no-defaults', `--datadir=${data}`, `--socket=${socket}`, `--port=${port}`],
      ...[
        `--tmpdir=${folder}`,
        '--bind-address=127.0.0.1',
        '--skip-name-resolve',
        ...asUser,
        ...options,
      ],
    ],
    { stdio: 'ignore' },
  );
  const run = (sql: string) =>
    new Promise<string>((resolve, reject) => {
      const client = execFile(
        'mariadb',
        [
          ...['--no-defaults', `--socket=${socket}`, '--default-character-set=utf8mb4'],
          ...['--batch', '--raw', 'mysql'],
        ],
        { maxBuffer: 2 ** 28 },
        (error, stdout, stderr) => {
          if (error) reject(new Error(stderr.slice(-1000)));
          else resolve(stdout);
        },
      );
      client.stdin!.end(`use hospital;\n${sql}`);
    });
  const setUp = `create database if not exists hospital character set utf8mb4;
    create or replace user reader@'127.0.0.1' identified by '${READER}';
    grant select on hospital.* to reader@'127.0.0.1';`;
  for (const deadline = Date.now() + 120_000; ; ) {
    const started = spawnSync('mariadb', ['--no-defaults', `--socket=${socket}`, '-e', setUp]);
    if (started.status === 0) break;
    if (Date.now() > deadline || server.exitCode !== null) throw new Error('MariaDB did not start');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const place = `mysql://reader@127.0.0.1:${port}/hospital`;
  return {
    kind: 'MariaDB',
    place,
    process: server,
    env: { SUFFICE_DB_PASSWORD: READER },
    run,
    async put(name, table) {
      await closeSessions();
      await run(definition(name, table));
      return `${place}#${name}`;
    },
    exported: async (name) => csvOf(await run(`select * from ${name};`)),
    async stop() {
      await closeSessions();
      await killed(server);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function definition(name: string, { columns, rows }: TestTable): string {
  const kinds = Object.values(columns);
  const cell = (text: string | null, k: number) => {
    if (text === null) return 'null';
    if (kinds[k] === 'number') return /e/i.test(text) ? text : `${text.trim()}e0`;
    return ['text', 'date'].includes(kinds[k]!) ? `'${text.replaceAll("'", "''")}'` : text;
  };
  const defined = Object.entries(columns).map(([column, type]) => `\`${column}\` ${types[type]}`);
  const lines = rows.map((row) => `(${row.map(cell).join(', ')})`);
  const values = rows.length === 0 ? '' : `insert into ${name} values ${lines.join(',\n')};`;
  return `create or replace table ${name} (${defined.join(', ')}); ${values}`;
}

/** What the client prints, as CSV: it has tabs between cells, and NULL as a word. */
function csvOf(printed: string): string {
  const spell = (cell: string) => {
    if (cell === 'NULL') return '';
    return /[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
  };
  return printed.replaceAll(/[^\t\n]+/g, spell).replaceAll('\t', ',');
}
