import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';
import { expect, it } from 'vitest';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import { temporaryFolder } from './cli.ts';
import { operator, rows, runningStudy } from './coordinator-study.ts';

/** Rests of 50 ms: far more than a thread has that waits inside SQLite. */
const RESTS = 40;

it('a site withdraws while a backup reads the store: others are answered, and it has its receipt when the backup ends', async () => {
  const path = join(temporaryFolder(), 'suffice.db');
  const store = await openSqliteStore(path);
  const { coordinator, id, sites } = await runningStudy(store, ['a', 'b', 'c']);
  await sites[0].send(rows(0, 10));
  await sites[1].send(rows(10, 20));
  const backup = new Database(path);
  backup.exec('begin');
  backup.prepare('select count(*) from studies').all();
  let state = 'waits';
  const withdrawing = sites[0].withdraw(2).then(
    () => (state = 'withdrawn'),
    (error) => (state = error.message),
  );
  for (let k = 0; k < RESTS; k++) {
    await sleep(50);
    expect((await coordinator.view(operator, id)).state).toBe('collecting');
  }
  expect(state).toBe('waits');
  await sites[1].send(rows(20, 30), { sequence: 2, mode: 'add' });
  backup.exec('commit');
  backup.close();
  await withdrawing;
  expect(state).toBe('withdrawn');
  await store.close();
});

it('what a backup kept from being erased in time is erased with the first write after it', async () => {
  const path = join(temporaryFolder(), 'suffice.db');
  const store = await openSqliteStore(path, {}, undefined, 100);
  const put = (name: string) =>
    store.write('s', (db) => db.insertInto('settings').values({ name, value: '' }).execute());
  const hasSecret = () => readFileSync(`${path}-wal`).includes('a secret to erase');
  await put('a secret to erase');
  const backup = new Database(path);
  backup.exec('begin');
  backup.prepare('select count(*) from studies').all();
  await store.write('s', (db) =>
    db.deleteFrom('settings').where('name', '=', 'a secret to erase').execute(),
  );
  await expect(store.scrub()).rejects.toMatchObject({ code: 'store-unavailable' });
  await put('while it reads');
  expect(hasSecret()).toBe(true);
  backup.exec('commit');
  backup.close();
  await put('after it');
  expect(hasSecret()).toBe(false);
  expect(readFileSync(path).includes('a secret to erase')).toBe(false);
  await store.close();
});
