import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useCredentials } from '../src/node/database/credentials.ts';
import { mysqlEngine, mysqlFrom } from '../src/node/database/mysql.ts';
import { optionsOf } from '../src/node/database/mysql-options.ts';
import { mysqlRefusal, serverOf } from '../src/node/database/mysql-refusals.ts';
import { closeSessions } from '../src/node/database/session.ts';
import { databaseAddress } from '../src/rows/database-address.ts';
import { type Outcome, runSuffice, temporaryFolder } from './cli.ts';
import type { TestTable } from './database-tables.ts';
import { enduring } from './endurance.ts';
import { eventually } from './eventually.ts';
import { type MariadbServer, mariadbDatabase, READER, whyNoMariadb } from './mariadb-server.ts';

const folder = temporaryFolder();
const address = 'mysql://reader@db.example/hospital#patients';

const study = {
  schema: 'suffice/study@1',
  formula: 'days ~ age + treatment',
  codebook: {
    days: { type: 'number', unit: 'days', range: [0, 120] },
    age: { type: 'number', unit: 'years', range: [18, 100] },
    treatment: { type: 'category', levels: ['control', 'new'] },
    weight: { type: 'number', range: [0, 4] },
  },
  weights: 'weight',
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
  disclosure: { profile: 'none' },
};

const patients: TestTable = {
  columns: { age: 'integer', treatment: 'text', days: 'number', weight: 'number', note: 'text' },
  rows: Array.from({ length: 400 }, (_, r) => [
    r % 50 === 3 ? null : String(18 + ((r * 7) % 80)),
    r % 3 === 0 ? 'new' : 'control',
    (((r * 5) % 113) / 7).toString(),
    (((r * 3) % 29) / 8).toString(),
    'Ada Lovelace',
  ]),
};

describe.skipIf(whyNoMariadb() !== undefined)('a table of MariaDB', () => {
  let server: MariadbServer;
  const outputs: string[] = [];
  const path = join(folder, 'study.json');
  beforeAll(async () => {
    server = await mariadbDatabase();
    await server.put('patients', patients);
    writeFileSync(path, JSON.stringify(study));
  });
  afterAll(() => server?.stop());

  let count = 0;
  async function contributed(
    rows: string,
    ...flags: readonly string[]
  ): Promise<Outcome & { out: string }> {
    const out = join(folder, `${++count}.suffice`);
    const home = join(folder, `home-${count}`);
    const outcome = await runSuffice(
      [
        ...['contribute', path, rows, '--unsigned', '--site', 'north', '--out', out],
        ...['--home', home, '--yes', '--acknowledge', 'none', ...flags],
      ],
      { env: server.env },
    );
    outputs.push(outcome.stdout, outcome.stderr, ...filesBelow(home));
    return { ...outcome, out };
  }

  /** Expects a refusal with this exit code, after which nothing was written or kept. */
  async function refused(rows: string, code: number, ...flags: readonly string[]): Promise<string> {
    const { out, ...outcome } = await contributed(rows, ...flags);
    await closeSessions();
    expect([outcome.code, existsSync(out)], outcome.stderr).toEqual([code, false]);
    expect(existsSync(join(folder, `home-${count}`, 'ledger.jsonl'))).toBe(false);
    return outcome.stderr;
  }

  it('sends the bytes of its export, read or summed by the server, with weights', async () => {
    const file = join(folder, 'patients.csv');
    writeFileSync(file, await server.exported('patients'));
    const table = `${server.place}#patients`;
    const [exported, read, summed] = [
      await contributed(file),
      await contributed(table),
      await contributed(table, '--pushdown', 'always'),
    ];
    for (const { code, stderr } of [exported, read, summed]) expect(code, stderr).toBe(0);
    const [bytes, ...others] = [exported, read, summed].map(({ out }) => readFileSync(out));
    expect(bytes!.length).toBeGreaterThan(200);
    for (const other of others) expect(other.equals(bytes!)).toBe(true);
    expect(read.stderr).toContain('rows are read here');
    expect(summed.stderr).toContain('the database computes the sums of 400 rows');
  });

  it('is refused where it is not there, with the nearest name', async () => {
    const said = await refused(`${server.place}#patient`, 3);
    expect(said).toContain('no such table: patient');
    expect(said).toContain('perhaps patients');
  });

  const long = enduring ? it : it.skip;

  long('is refused without permission, for a table and for one of its columns', async () => {
    await server.run(`create database if not exists other; create or replace table other.secrets (age int);
      create or replace user narrow@'127.0.0.1' identified by '${READER}';
      grant select (age, days, treatment) on hospital.patients to narrow@'127.0.0.1';`);
    const narrow = server.place.replace('reader', 'narrow');
    expect(await refused(`${narrow}#patients`, 3)).toContain('weight');
    expect(await refused(`${narrow}#select age, note from patients`, 5)).toContain(
      'no permission to read these rows',
    );
    expect(await refused(`${narrow.replace('hospital', 'other')}#secrets`, 5)).toContain(
      'may not open this database',
    );
    expect(await refused(`${server.place}#select * from other.secrets`, 5)).toContain(
      'no permission to read these rows',
    );
  });

  long('is refused with a wrong password, on an unknown host and on a closed port', async () => {
    const env = server.env as Record<string, string>;
    env.SUFFICE_DB_PASSWORD = 'wrong-guess';
    expect(await refused(`${server.place}#patients`, 5)).toContain('does not accept the user');
    env.SUFFICE_DB_PASSWORD = READER;
    expect(await refused('mysql://reader@database.invalid/d#t', 4)).toContain('no such host');
    const closed = server.place.replace(/:\d+\//, ':9/');
    expect(await refused(`${closed}#patients`, 4)).toContain('no MySQL or MariaDB answers there');
    expect(await refused(`${server.place}?ssl-mode=VERIFY_IDENTITY#patients`, 4)).toContain(
      'does not offer TLS',
    );
  });

  long('is refused for a type that is not the codebook’s, before any row is read', async () => {
    const cast = 'select cast(age as char) as age, treatment, days, weight from patients';
    expect(await refused(`${server.place}#${cast}`, 3)).toContain(
      'its type in the database is text',
    );
    const bytes = 'select age, cast(treatment as binary) as treatment, days, weight from patients';
    expect(await refused(`${server.place}#${bytes}`, 3)).toContain(
      'its type in the database is binary',
    );
  });

  long('is refused where its rows change between two readings', async () => {
    const half = 'select age, treatment, days, weight from patients where rand() < 0.5';
    for (const flags of [[], ['--pushdown', 'always']]) {
      expect(await refused(`${server.place}#${half}`, 3, ...flags)).toMatch(/changed between two/);
    }
  });

  long('is refused where the select would write, or has a second statement', async () => {
    await server.run(`create or replace table hits (n int); grant all on hospital.hits to reader@'127.0.0.1';
      delimiter //
      create or replace function noted(n int) returns int modifies sql data begin insert into hits values (n); return n; end //
      delimiter ;
      grant execute on function noted to reader@'127.0.0.1';`);
    expect(
      await refused(
        `${server.place}#select noted(age) as age, treatment, days, weight from patients`,
        5,
      ),
    ).toContain('read-only transaction');
    await refused(
      `${server.place}#select 1) as a; insert into hits values (1); select * from (select 2`,
      2,
    );
    expect((await server.run('select count(*) from hits;')).trim()).toBe('count(*)\n0');
  });

  long('is refused where the connection is lost in the middle', async () => {
    const slow = 'select age, treatment, days, weight from patients where sleep(0.05) = 0';
    const ending = eventually(async () => {
      const found = await server.run(
        "select id from information_schema.processlist where user = 'reader' and command = 'Query';",
      );
      const id = Number(found.split('\n')[1]);
      expect(id).toBeGreaterThan(0);
      await server.run(`kill connection ${id};`);
    });
    const said = await refused(`${server.place}#${slow}`, 4);
    await ending;
    expect(said).toContain('the connection to the database was lost');
  });

  long('has its query ended at the server when the reading stops', async () => {
    useCredentials({ env: server.env });
    const table = await mysqlEngine.open(
      databaseAddress(`${server.place}#select a.age from patients a, patients b`),
    );
    const stopped = table.read([{ name: 'age' }], () => {
      throw new Error('stop');
    });
    await expect(stopped).rejects.toThrow();
    await eventually(async () => {
      const found = await server.run(
        "select info from information_schema.processlist where user = 'reader' and command = 'Query';",
      );
      expect(found.trim()).toBe('');
    });
  });

  it('has no password and no cell in anything that was printed or kept', () => {
    const all = outputs.join('\n');
    expect(all).toContain('patients');
    for (const secret of [READER, 'wrong-guess', 'Ada Lovelace']) expect(all).not.toContain(secret);
  });
});

it('refuses an old server by its version', () => {
  expect(serverOf('10.11.6-MariaDB-0+deb12u1', address)).toBe('MariaDB');
  expect(serverOf('5.5.5-10.6.1-MariaDB', address)).toBe('MariaDB');
  expect(serverOf('8.4.3', address)).toBe('MySQL');
  expect(() => serverOf('10.1.48-MariaDB', address)).toThrow('the server is MariaDB 10.1');
  expect(() => serverOf('5.7.44-log', address)).toThrow('the server is MySQL 5.7');
});

it('encrypts the way to another machine, and checks the certificate, unless the address says otherwise', () => {
  useCredentials({ env: {} });
  const sslOf = (place: string) => optionsOf(place).ssl;
  expect(sslOf('mysql://r@db.example/d')).toEqual({ verifyIdentity: true });
  expect(sslOf('mysql://r@127.0.0.1/d')).toBeUndefined();
  expect(sslOf('mysql://r@db.example/d?ssl-mode=REQUIRED')).toEqual({ rejectUnauthorized: false });
  expect(sslOf('mysql://r@db.example/d?ssl-mode=disabled')).toBeUndefined();
  expect(() => sslOf('mysql://r@db.example/d?ssl-mode=maybe')).toThrow(
    'ssl-mode=MAYBE is not known',
  );
  expect(optionsOf('mariadb://r@db.example:3307/d')).toMatchObject({ port: 3307, database: 'd' });
});

it('shows no message of the server that may contain cells', () => {
  const error = { errno: 1292, message: "Truncated incorrect DOUBLE value: 'Ada Lovelace'" };
  expect(mysqlRefusal(error, address).message).not.toContain('Ada');
});

it('names the package that is not installed', async () => {
  const engine = mysqlFrom(() => Promise.reject(new Error('Cannot find package')));
  await expect(engine.open(databaseAddress(address))).rejects.toMatchObject({
    kind: 'usage',
    problem: 'the package mysql2 is not installed',
  });
});

function filesBelow(folderPath: string): string[] {
  if (!existsSync(folderPath)) return [];
  return readdirSync(folderPath, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
}
