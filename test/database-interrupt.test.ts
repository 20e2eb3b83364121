import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from './cli.ts';
import {
  clickhouseDatabase,
  postgresDatabase,
  type TestDatabase,
  whyNoClickhouse,
} from './database-tables.ts';
import { enduring } from './endurance.ts';
import { eventually } from './eventually.ts';
import { mariadbDatabase, whyNoMariadb } from './mariadb-server.ts';

const folder = temporaryFolder();
const main = new URL('../dist/command/main.js', import.meta.url).pathname;

/** A database, a select that takes minutes, and how many such queries run there. */
interface SlowDatabase {
  readonly database: TestDatabase;
  readonly select: string;
  running(): Promise<number>;
}

const engines: readonly (readonly [string, boolean, () => Promise<SlowDatabase>])[] = [
  [
    'PostgreSQL',
    true,
    async () => {
      const database = await postgresDatabase();
      return {
        database,
        select: 'select y, x from rows_of, (select pg_sleep(300)) as slow',
        running: async () => {
          const { rows } = await database.client.query(
            "select 1 from pg_stat_activity where query like '%pg_sleep(300)%' and state = 'active' and pid <> pg_backend_pid()",
          );
          return rows.length;
        },
      };
    },
  ],
  [
    'MariaDB',
    whyNoMariadb() === undefined,
    async () => {
      const database = await mariadbDatabase();
      return {
        database,
        select: 'select y, x from rows_of where sleep(300) = 0',
        running: async () => {
          const found = await database.run(
            "select id from information_schema.processlist where user = 'reader' and command = 'Query';",
          );
          return found
            .trim()
            .split('\n')
            .filter((line) => /^\d+$/.test(line)).length;
        },
      };
    },
  ],
  [
    'ClickHouse',
    whyNoClickhouse() === undefined,
    async () => {
      const database = await clickhouseDatabase();
      return {
        database,
        select: 'select toFloat64(number) as y, toFloat64(number) as x from system.numbers',
        running: async () =>
          Number(
            await database.run(
              "select count() from system.processes where query like '%cityHash64(ifNull%'",
            ),
          ) - 1,
      };
    },
  ],
];

describe.runIf(enduring).each(engines.filter(([, here]) => here))(
  'Ctrl-C in %s',
  (_, __, start) => {
    let slow: SlowDatabase;
    let command: ChildProcess | undefined;
    beforeAll(async () => {
      slow = await start();
      const columns = { y: 'number', x: 'number' } as const;
      await slow.database.put('rows_of', { columns, rows: [['1', '2']] });
    });
    afterAll(async () => {
      command?.kill('SIGKILL');
      await slow?.database.stop();
    });

    it('ends the command, and its query at the server', async () => {
      const address = (
        await slow.database.put('spare', { columns: { y: 'number' }, rows: [] })
      ).split('#')[0];
      command = spawn(process.execPath, [main, 'fit', 'y ~ x', `${address}#${slow.select}`], {
        cwd: folder,
        env: { ...process.env, ...slow.database.env, HOME: join(folder) },
      });
      const said: Buffer[] = [];
      command.stdout!.on('data', (bytes) => said.push(bytes));
      const ended = new Promise<number | null>((resolve) => command!.once('exit', resolve));
      await eventually(async () => expect(await slow.running()).toBe(1));
      command.kill('SIGINT');
      expect(await ended).toBe(130);
      await eventually(async () => expect(await slow.running()).toBe(0));
      expect(Buffer.concat(said).toString()).toBe('');
    });
  },
);
