import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clickhouseEngine } from '../src/node/database/clickhouse.ts';
import { useCredentials } from '../src/node/database/credentials.ts';
import { duckdbFrom } from '../src/node/database/duckdb.ts';
import { postgresEngine } from '../src/node/database/postgres.ts';
import { postgresRefusal, refuseOldServer } from '../src/node/database/postgres-refusals.ts';
import { closeSessions, openSessions } from '../src/node/database/session.ts';
import { type Served, serve } from '../src/node/server/serve.ts';
import { databaseAddress } from '../src/rows/database-address.ts';
import { openSource } from '../src/rows/sources.ts';
import type { TableStudy } from '../src/study/study.ts';
import { type Outcome, runSuffice, temporaryFolder } from './cli.ts';
import { postgresDatabase, type TestTable } from './database-tables.ts';
import { eventually } from './eventually.ts';
import { type ServedStudy, servedStudy } from './served-study.ts';

const root = temporaryFolder();
const SECRET = 'correct horse battery';

const study: TableStudy = {
  schema: 'suffice/study@1',
  name: 'Recovery',
  formula: 'days ~ age + treatment',
  codebook: {
    days: { type: 'number', unit: 'days', range: [0, 120] },
    age: { type: 'number', unit: 'years', range: [18, 100] },
    treatment: { type: 'category', levels: ['control', 'new'] },
  },
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
  disclosure: { profile: 'none' },
};

const patients: TestTable = {
  columns: { age: 'integer', treatment: 'text', days: 'number', note: 'text' },
  rows: Array.from({ length: 400 }, (_, r) => [
    String(18 + ((r * 7) % 80)),
    r % 3 === 0 ? 'new' : 'control',
    ((r * 5) % 113).toFixed(2),
    'Ada Lovelace',
  ]),
};

describe('a table of PostgreSQL at a site', () => {
  let database: Awaited<ReturnType<typeof postgresDatabase>>;
  let running: ServedStudy;
  let served: Served;
  /** The address as a role that the page for administrators creates. */
  let place: string;
  const outputs: string[] = [];

  beforeAll(async () => {
    database = await postgresDatabase();
    await database.put('patients', patients);
    const { client } = database;
    const { database: name } = client;
    const role = `reader_${name}`;
    // As docs/databases.md says, with the names of this test.
    for (const line of grantsOf(readFileSync('docs/databases.md', 'utf8'))) {
      await client.query(
        line
          .replaceAll('suffice_reader', role)
          .replaceAll('CHANGE-ME', SECRET)
          .replaceAll('DATABASE hospital', `DATABASE ${name}`),
      );
    }
    place = database.place.replace('postgres@', `${role}@`);
    const folder = mkdtempSync(join(root, 'served-'));
    served = await serve({ data: join(folder, 'data'), port: 0, log: 'none' });
    running = await servedStudy(folder, study, ['north', 'south'], {}, served);
  });
  afterAll(async () => {
    await served.stop();
    const { client } = database;
    const role = `reader_${client.database}`;
    await client.query(`drop owned by ${role}; drop role ${role}`);
    await database.stop();
  });

  let count = 0;
  async function joined(rows: string, env: object = {}, ...flags: string[]): Promise<Outcome> {
    const home = join(root, `home-${++count}`);
    const outcome = await runSuffice(
      [
        'join',
        running.invitation('north'),
        rows,
        '--yes',
        '--acknowledge',
        'none',
        '--home',
        home,
        ...flags,
      ],
      { env: { SUFFICE_DB_PASSWORD: SECRET, ...env } },
    );
    outputs.push(outcome.stdout, outcome.stderr, ...filesBelow(home));
    return outcome;
  }

  /** Joins, and expects a refusal with this exit code, after which nothing was sent or kept. */
  async function refused(rows: string, code: number, env: object = {}): Promise<string> {
    const outcome = await joined(rows, env);
    await closeSessions();
    expect([outcome.code, outcome.stdout], outcome.stderr).toEqual([code, expect.any(String)]);
    const { sites } = await running.admin.view();
    expect(sites[0]).toMatchObject({
      name: 'north',
      state: expect.stringMatching(/invited|ready/),
    });
    expect(existsSync(join(root, `home-${count}`, 'outbox', 'north'))).toBe(false);
    expect(existsSync(join(root, `home-${count}`, 'ledger.jsonl'))).toBe(false);
    return outcome.stderr;
  }

  it('refuses a table that is not there, with the nearest name', async () => {
    const said = await refused(`${place}#patient`, 3);
    expect(said).toContain('no such table: patient');
    expect(said).toContain('perhaps patients');
  });

  it('refuses rows without permission to read them', async () => {
    await database.client.query(
      'create table secrets (age int); revoke all on secrets from public',
    );
    const said = await refused(`${place}#secrets`, 5);
    expect(said).toContain('the role has no permission to read these rows');
  });

  it('refuses a column that the role may not read, by its name', async () => {
    const { client } = database;
    const role = `reader_${client.database}`;
    await client.query(
      `create table narrow as select * from patients; grant select (age, treatment) on narrow to ${role}`,
    );
    expect(await refused(`${place}#narrow`, 3)).toContain('days');
    expect(await refused(`${place}#select * from narrow`, 5)).toContain('no permission');
  });

  it('refuses a server without TLS where the address asks for it', async () => {
    for (const mode of ['require', 'verify-full']) {
      const said = await refused(`${place}?sslmode=${mode}#patients`, 4);
      expect(said).toContain('the database does not offer TLS');
    }
  });

  it('refuses a wrong password, none, and a host that nobody knows', async () => {
    expect(await refused(`${place}#patients`, 5, { SUFFICE_DB_PASSWORD: 'wrong-guess' })).toContain(
      'does not accept the password',
    );
    const none = { SUFFICE_DB_PASSWORD: '', PGPASSFILE: join(root, 'none') };
    expect(await refused(`${place}#patients`, 5, none)).toContain('asks for a password');
    const nowhere = 'postgres://reader@database.invalid/hospital#patients';
    expect(await refused(nowhere, 4)).toContain('no such host');
    const closed = place.replace(/:\d+\//, ':9/');
    expect(await refused(`${closed}#patients`, 4)).toContain('no PostgreSQL answers there');
  });

  it('refuses an address with a password, and shows no part of it', async () => {
    for (const password of [SECRET.replaceAll(' ', '-'), 'p@ss', 'p#ss', '12#ss']) {
      const said = await refused(place.replace('@', `:${password}@`).concat('#patients'), 2);
      expect(said).toContain('has a password in it');
      expect(said).not.toContain(password);
      expect(said).not.toContain(password.slice(-3));
    }
    expect(await refused(`${place}?password=tell-tale#patients`, 2)).not.toContain('tell-tale');
  });

  it('refuses a type that is not the codebook’s before any row is read', async () => {
    const { client } = database;
    await client.query(`
      create view as_text as select age::text, treatment, days from patients;
      create view as_date as select date '2024-01-01' + age as age, treatment, days from patients;
      create view as_list as select array[age] as age, treatment, days from patients;
      grant select on as_text, as_date, as_list to ${`reader_${client.database}`}`);
    for (const [view, type] of [
      ['as_text', 'text'],
      ['as_date', 'date'],
      ['as_list', 'integer[]'],
    ]) {
      const said = await refused(`${place}#${view}`, 3);
      expect(said).toContain(`column "age": its type in the database is ${type}`);
    }
  });

  it('refuses a view whose rows change between two readings', async () => {
    const { client } = database;
    await client.query(`
      create view shaken as select age, treatment, 5 + 10 * floor(2 * random()) as days from patients;
      grant select on shaken to ${`reader_${client.database}`}`);
    const said = 'the rows changed between two readings';
    const env = { SUFFICE_DB_PASSWORD: SECRET };
    // A fit reads twice: for the codebook, and for the sums.
    const fitted = await runSuffice(['fit', 'days ~ age', `${place}#shaken`], { env });
    expect([fitted.code, fitted.stdout]).toEqual([3, '']);
    expect(fitted.stderr).toContain(said);
    // A site reads once, and is refused before.
    expect(await refused(`${place}#shaken`, 3)).toContain(said);
    const half = 'select age, treatment, days from patients where random() < 0.5';
    expect(await refused(`${place}#${half}`, 3)).toContain(said);
  });

  it('refuses a select that would write, and a second statement', async () => {
    const { client } = database;
    await client.query(`
      create table hits (n int); grant all on hits to ${`reader_${client.database}`};
      create function noted(n int) returns int language sql as 'insert into hits values (n) returning n'`);
    expect(
      await refused(`${place}#select noted(age) as age, treatment, days from patients`, 5),
    ).toContain('read-only transaction');
    await refused(
      `${place}#select 1) as a; insert into hits values (1); select * from (select 2`,
      2,
    );
    expect((await client.query('select * from hits')).rows).toEqual([]);
  });

  it('refuses when the connection is lost in the middle of a reading', async () => {
    const { client } = database;
    const slow =
      "select age, treatment, days from patients where current_query() not like 'copy%' or pg_sleep(0.05) is not null";
    const ending = (async () => {
      await eventually(async () => {
        const { rows } = await client.query(
          `select pg_terminate_backend(pid) as ended from pg_stat_activity
           where query like 'copy%' and state = 'active' and usename like 'reader_%' and pid <> pg_backend_pid()`,
        );
        expect(rows).toEqual([{ ended: true }]);
      });
    })();
    const said = await refused(`${place}#${slow}`, 4);
    await ending;
    expect(said).toContain('the connection to the database was lost');
  });

  it('ends the query at the server when it is stopped', async () => {
    useCredentials({ env: { PGPASSWORD: 'postgres' } });
    await database.client.query(
      'create table long as select age, days from patients, generate_series(1, 2000)',
    );
    const table = await postgresEngine.open(databaseAddress(`${database.place}#long`));
    const stopped = table.read([{ name: 'age' }, { name: 'days' }], () => {
      throw new Error('stop');
    });
    await expect(stopped).rejects.toThrow('stop');
    await eventually(async () => {
      const { rows } = await database.client.query(
        "select query from pg_stat_activity where query like 'copy%' and datname = current_database()",
      );
      expect(rows).toEqual([]);
    });
    await table.close();
  });

  it('respects statement_timeout', async () => {
    const { client } = database;
    await client.query(`alter role ${`reader_${client.database}`} set statement_timeout = '300ms'`);
    const said = await refused(
      `${place}#select age, treatment, days from patients where pg_sleep(0.01) is not null`,
      4,
    );
    expect(said).toContain('statement_timeout');
    await client.query(`alter role ${`reader_${client.database}`} reset statement_timeout`);
  });

  it('joins by the rights that the page for administrators names, and leaves no transaction open', async () => {
    const file = join(root, 'password');
    writeFileSync(file, `${SECRET}\n`, { mode: 0o644 });
    const open = await joined(
      `${place}#patients`,
      { SUFFICE_DB_PASSWORD: '' },
      '--password-file',
      file,
    );
    expect([open.code, open.stderr]).toEqual([2, expect.stringContaining('others can read')]);
    writeFileSync(join(root, 'own'), `${SECRET}\n`, { mode: 0o600 });
    const own = ['--password-file', join(root, 'own')];
    const env = { SUFFICE_DB_PASSWORD: '' };
    const shown = await joined(`${place}#patients`, env, '--dry-run', ...own);
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('nothing was sent')]);
    const sent = await joined(`${place}#public.patients`, env, ...own);
    expect([sent.code, sent.stderr]).toEqual([
      0,
      expect.stringMatching(/^suffice: rows are read here: [^\n]*\n$/),
    ]);
    const { sites } = await running.admin.view();
    expect(sites[0]).toMatchObject({ state: 'contributed', n: 400 });
    // The role may do nothing else.
    const { client } = database;
    const role = `reader_${client.database}`;
    const { rows } = await client.query(
      `select has_table_privilege('${role}', 'patients', 'insert, update, delete, truncate') as writes,
              has_schema_privilege('${role}', 'public', 'create') as creates`,
    );
    expect(rows).toEqual([{ writes: false, creates: false }]);
    await eventually(async () => expect(openSessions()).toBe(0));
  });

  it('has no password and no cell in anything that was printed or kept', () => {
    expect(outputs.length).toBeGreaterThan(30);
    const all = outputs.join('\n');
    expect(all).toContain('patients');
    for (const secret of [SECRET, 'wrong-guess', 'tell-tale', 'Ada Lovelace']) {
      expect(all).not.toContain(secret);
    }
  });
});

/** The statements of the PostgreSQL section. */
function grantsOf(page: string): string[] {
  const section = page.slice(page.indexOf('## PostgreSQL'));
  const block = /```sql\n([\s\S]*?)```/.exec(section)?.[1] ?? '';
  const lines = block.split(';').map((line) => line.trim());
  const found = lines.filter((line) => line !== '');
  expect(found.length).toBeGreaterThan(2);
  return found;
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
}

it('refuses a server that is too old, by its version', () => {
  expect(() => refuseOldServer(100_023, 'postgres://h/d#t')).toThrow('the server is PostgreSQL 10');
  expect(() => refuseOldServer(90_624, 'postgres://h/d#t')).toThrow('the server is PostgreSQL 9');
  expect(() => refuseOldServer(110_000, 'postgres://h/d#t')).not.toThrow();
});

it('names the package that is not installed', async () => {
  const path = join(root, 'there.db');
  writeFileSync(path, '');
  const engine = duckdbFrom(() => Promise.reject(new Error('Cannot find package')));
  const opening = engine.open(databaseAddress(`duckdb:${path}#t`));
  await expect(opening).rejects.toMatchObject({
    kind: 'usage',
    problem: 'the package @duckdb/node-api is not installed',
  });
});

it('refuses a database in a browser tab', async () => {
  const tab = { open: () => Promise.reject(new Error('no files here')) };
  const path = 'postgres://reader@host/hospital#patients';
  await expect(openSource(tab, { path }, [])).rejects.toThrow('a browser cannot read a database');
});

it('refuses a ClickHouse that nobody knows', async () => {
  const opening = clickhouseEngine.open(databaseAddress('clickhouse://r@database.invalid/d#t'));
  await expect(opening).rejects.toMatchObject({ kind: 'network', problem: 'no such host' });
});

it('names a study that has more columns than PostgreSQL takes', () => {
  const refused = postgresRefusal(
    Object.assign(new Error('1664'), { code: '54011' }),
    'postgres://h/d#t',
  );
  expect(refused).toMatchObject({
    kind: 'data',
    problem: 'the study has more columns than a query of PostgreSQL takes',
  });
});
