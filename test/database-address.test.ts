import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { postgresPassword, useCredentials } from '../src/node/database/credentials.ts';
import { databaseAddress, isDatabaseAddress } from '../src/rows/database-address.ts';
import { siteNames } from '../src/rows/site-names.ts';
import { temporaryFolder } from './cli.ts';

const folder = temporaryFolder();

describe('the address of a table', () => {
  it.each([
    ['postgres://u@h:5433/d#t', { table: ['t'] }],
    ['postgresql://u@[::1]/d?sslmode=disable#clinic.t', { table: ['clinic', 't'] }],
    ['postgres://h/d#"a.b"."c ""d"""', { table: ['a.b', 'c "d"'] }],
    ['duckdb:folder/file.db#t', { table: ['t'] }],
    ['clickhouse://u@h:8123/d#t', { table: ['t'] }],
    [
      'postgres://h:5432/d#select a from t where b @> c;',
      { select: 'select a from t where b @> c' },
    ],
    [
      'postgres://h/d#WITH q AS (select 1) select * from q',
      { select: 'WITH q AS (select 1) select * from q' },
    ],
  ])('%s', (path, rows) => {
    expect(isDatabaseAddress(path)).toBe(true);
    const address = databaseAddress(path);
    expect(address).toMatchObject({ text: path, rows });
    expect(path.startsWith(`${address.place}#`)).toBe(true);
  });

  it.each([
    'postgres://u@h/d',
    'postgres://u@h/d#',
    'postgres://h/d#a.b.c.d',
    'postgres://h/d#a..b',
    'postgres://h/d#"a',
  ])('is refused without one table: %s', (path) => {
    expect(() => databaseAddress(path)).toThrow();
  });

  it('is no path of a file', () => {
    for (const path of ['a.csv', 'C:/a.csv', 'npm:set#train', 'postgres.csv', 'dir/duckdb:x']) {
      expect(isDatabaseAddress(path)).toBe(false);
    }
  });

  it('gives the name of the site', () => {
    const paths = [
      'postgres://u@h/d#clinic.north',
      'duckdb:/x/y.db#south',
      'postgres://h/d#select 1',
    ];
    expect(siteNames(paths)).toEqual(['north', 'south', 'query']);
  });
});

describe('the password of a role', () => {
  const login = { host: 'db', port: 5432, database: 'clinic', user: 'reader' };
  const file = join(folder, 'pgpass');
  const env = { PGPASSFILE: file, HOME: folder };
  writeFileSync(
    file,
    [
      '# a note',
      'db:5433:*:reader:other port',
      '*:5432:clinic:reader:a\\:b\\\\c',
      '*:*:*:*:last',
    ].join('\n'),
    { mode: 0o600 },
  );

  it('comes from the first line of the password file that fits', () => {
    useCredentials({ env });
    expect(postgresPassword(login)).toBe('a:b\\c');
    expect(postgresPassword({ ...login, port: 5433 })).toBe('other port');
    expect(postgresPassword({ ...login, user: 'writer' })).toBe('last');
  });

  it('comes from the environment before it, and from a stated file before that', () => {
    useCredentials({ env: { ...env, PGPASSWORD: 'one' } });
    expect(postgresPassword(login)).toBe('one');
    useCredentials({ env: { ...env, PGPASSWORD: 'one', SUFFICE_DB_PASSWORD: 'two' } });
    expect(postgresPassword(login)).toBe('two');
    const passwordFile = join(folder, 'password');
    writeFileSync(passwordFile, 'three\r\n', { mode: 0o600 });
    useCredentials({ env: { ...env, SUFFICE_DB_PASSWORD: 'two' }, passwordFile });
    expect(postgresPassword(login)).toBe('three');
    useCredentials({ env, passwordFile: join(folder, 'absent') });
    expect(() => postgresPassword(login)).toThrow('cannot be read');
  });

  it('does not come from a password file that others can read', () => {
    chmodSync(file, 0o640);
    useCredentials({ env });
    expect(postgresPassword(login)).toBeUndefined();
    chmodSync(file, 0o600);
  });
});
