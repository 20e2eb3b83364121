import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, inject } from 'vitest';
import type { Store } from '../src/coordinator/store.ts';
import { openPostgresStore } from '../src/node/store/postgres-store.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import { temporaryFolder } from './cli.ts';
import { enduring } from './endurance.ts';

/** A place for one store that can be opened more than once, as by several processes. */
export interface StorePlace {
  readonly kind: Store['kind'];
  /** The file, or the URL of the database. */
  readonly address: string;
  open(): Promise<Store>;
}

/**
 * Runs the tests on both stores, or on those that are wanted. `open` gives a new store with nothing in it; `place` a
 * place for one, to be opened as often as wanted.
 */
export function eachStore(
  name: string,
  tests: (open: () => Promise<Store>, place: () => Promise<StorePlace>) => void,
  wanted: readonly Store['kind'][] = ['sqlite', 'postgres'],
): void {
  const kinds: readonly [
    Store['kind'],
    () => Promise<string>,
    (address: string) => Promise<Store>,
  ][] = [
    ['sqlite', sqliteAddress(), openSqliteStore],
    ['postgres', freshDatabase, openPostgresStore],
  ];
  for (const [kind, address, open] of kinds.filter(([kind]) => wanted.includes(kind))) {
    describe.skipIf(kind === 'postgres' && noPostgres !== undefined)(`${name} (${kind})`, () => {
      const opened: Store[] = [];
      afterAll(() => Promise.all(opened.map((store) => store.close())));
      const place = async (): Promise<StorePlace> => {
        const where = await address();
        return {
          kind,
          address: where,
          open: async () => {
            const store = await open(where);
            opened.push(store);
            return store;
          },
        };
      };
      tests(async () => (await place()).open(), place);
    });
  }
}

/** Runs tests that do not depend on the store: on SQLite in the check, on both in `npm run endure`. */
export function oneStore(name: string, tests: Parameters<typeof eachStore>[1]): void {
  eachStore(name, tests, enduring ? undefined : ['sqlite']);
}

const noPostgres: string | undefined = await whyNoPostgres();

/** Why tests on PostgreSQL are left out, which is printed; undefined where they run. */
async function whyNoPostgres(): Promise<string | undefined> {
  const answer = await fetch(inject('postgresDoor'));
  const text = await answer.text();
  if (answer.ok) return undefined;
  console.warn(`tests on PostgreSQL are skipped: ${text}`);
  return text;
}

/** The URL of a new, empty database on the run's server. */
export async function freshDatabase(): Promise<string> {
  const url = await (await fetch(inject('postgresDoor'))).text();
  const name = `suffice_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`create database ${name} strategy file_copy`);
  await client.end();
  return url.replace(/\/postgres$/, `/${name}`);
}

function sqliteAddress(): () => Promise<string> {
  const folder = temporaryFolder();
  let count = 0;
  return async () => join(folder, 'stores', `${++count}.db`);
}
