import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { explainFailure } from '../src/cli/failure.ts';
import { exitCode } from '../src/cli/io.ts';
import { whileLocked } from '../src/node/files/folder-lock.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import { runSuffice, temporaryFolder, testIo } from './cli.ts';
import { fileOf, jsonOf, openSession, shakeHands } from './http-study.ts';
import { eachStore } from './stores.ts';

/** What `suffice serve` says of a store that it cannot use. */
async function serving(kind: string, address: string) {
  const env = { SUFFICE_DATABASE: kind === 'postgres' ? address : '' };
  const place = kind === 'postgres' ? [] : ['--data', join(address, '..')];
  const folder = temporaryFolder();
  return runSuffice(['serve', '--port', '0', ...place], { env, folder });
}

eachStore('suffice serve on a store that it cannot use', (_, place) => {
  it.each([
    ['99', /tables of the store have version 99, this program knows .*\n {2}→ install the newer/],
    ['x', /the store is damaged: the version .* cannot be read\n {2}→ .*restore the newest backup/],
    ['-1', /the store is damaged/],
  ])('says why, with tables of version %s', async (version, expected) => {
    const at = await place();
    const address =
      at.kind === 'postgres' ? at.address : join(temporaryFolder(), 'data', 'suffice.db');
    const store = at.kind === 'postgres' ? await at.open() : await openSqliteStore(address);
    await store.write('', (db) =>
      db.updateTable('settings').set({ value: version }).where('name', '=', 'tables').execute(),
    );
    if (at.kind === 'sqlite') await store.close();
    const { code, stderr } = await serving(at.kind, address);
    expect([code, stderr]).toEqual([exitCode.invalidData, expect.stringMatching(expected)]);
    expect(stderr).not.toMatch(/\n\s+at |bug in suffice|check the address/);
  });
});

describe('suffice serve on a file that is no store', () => {
  it('says that it is damaged, and leaves it as it is', async () => {
    const data = join(temporaryFolder(), 'data');
    mkdirSync(data);
    const path = join(data, 'suffice.db');
    writeFileSync(path, 'x'.repeat(20_000));
    const { code, stderr } = await serving('sqlite', path);
    expect([code, stderr]).toEqual([
      exitCode.invalidData,
      expect.stringContaining(`${path}: the store is damaged\n  → `),
    ]);
    expect(stderr).not.toMatch(/\n\s+at |bug in suffice/);
  });
});

describe('a coordinator whose disk is full', () => {
  it('refuses plainly, loses nothing, and goes on with room', async () => {
    const store = await openSqliteStore(join(temporaryFolder(), 'full', 'suffice.db'));
    const session = await openSession(store, ['north', 'south']);
    await shakeHands(session, 'north', 'south');
    const pages = (most: string) =>
      store.write(
        '',
        async (db) => void (await sql.raw(`pragma max_page_count = ${most}`).execute(db)),
      );
    const north = fileOf('north', session.keys.north);
    expect((await session.send('north', north)).status).toBe(201);
    expect((await session.ask('GET', '/healthz')).status).toBe(200);
    await pages('1'); // no page more than there are
    let accepted = 1;
    const refusals: number[] = [];
    for (let sequence = 2; sequence < 40; sequence++) {
      const turn = { sequence, mode: 'add' } as const;
      const answer = await session.send('north', fileOf('north', session.keys.north, { turn }));
      if (answer.status === 201) {
        accepted++;
        continue;
      }
      refusals.push(answer.status);
      expect(answer.headers.get('retry-after')).toBe('1');
      expect(await jsonOf(answer)).toMatchObject({
        code: 'store-unavailable',
        problem: 'the disk of the coordinator’s store is full',
      });
      break;
    }
    expect(refusals).toEqual([503]);
    const caller = { role: 'site', study: session.created.id, site: 'north' } as const;
    const { receipts } = await session.coordinator.receipts(caller, session.created.id);
    expect(receipts).toHaveLength(accepted);
    await pages('1000000');
    expect((await session.ask('GET', '/healthz')).status).toBe(200);
    const turn = { sequence: receipts.length + 1, mode: 'add' } as const;
    const sent = await session.send('north', fileOf('north', session.keys.north, { turn }));
    expect(sent.status).toBe(201);
    await store.close();
  });

  it('is not healthy, though reading works', async () => {
    const store = await openSqliteStore(join(temporaryFolder(), 'full', 'suffice.db'));
    let full = false;
    const session = await openSession({
      ...store,
      write: (study, work) =>
        store.write(study, async (db) => {
          if (full) await sql`pragma query_only = on`.execute(db);
          return work(db).finally(() => sql`pragma query_only = off`.execute(db));
        }),
    });
    expect((await session.ask('GET', '/healthz')).status).toBe(200);
    full = true;
    const close = () =>
      session.ask('POST', `${session.path}/close`, { token: session.admin, json: {} });
    const refused = await close();
    expect([refused.status, await jsonOf(refused)]).toEqual([
      503,
      expect.objectContaining({ problem: 'the coordinator’s store cannot be written' }),
    ]);
    const health = await session.ask('GET', '/healthz');
    expect([health.status, await jsonOf(health)]).toEqual([
      503,
      expect.objectContaining({ problem: 'the coordinator’s store cannot be written' }),
    ]);
    expect((await session.ask('GET', session.path, { token: session.admin })).status).toBe(200);
    full = false;
    expect((await session.ask('GET', '/healthz')).status).toBe(200);
    expect((await close()).status).toBe(200);
    await store.close();
  });
});

describe('a command at a site', () => {
  it('explains a full or read-only disk, and calls it no bug', async () => {
    const explained = (failure: unknown) => {
      const { io, printed } = testIo();
      return [explainFailure(failure, io.stderr), printed().stderr];
    };
    const full = Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    expect(explained(full)).toEqual([
      exitCode.invalidData,
      'suffice: the disk is full\n  → make room, then run the command again\n',
    ]);
    const fixed = Object.assign(new Error('EROFS'), { code: 'EROFS', path: '/home/site/.suffice' });
    expect(explained(fixed)).toEqual([
      exitCode.invalidData,
      'suffice: /home/site/.suffice: the file system can only be read\n  → use a folder that can be written\n',
    ]);
    expect(explained(new TypeError('broken'))[1]).toContain('bug in suffice');
  });

  it('writes to a full disk, and is told so', async ({ skip }) => {
    if (process.platform !== 'linux') return skip();
    const folder = temporaryFolder();
    const rows = Array.from({ length: 40 }, (_, k) => `${k},${(k * 7) % 11}`);
    writeFileSync(join(folder, 'a.csv'), `x,y\n${rows.join('\n')}\n`);
    const args = ['fit', 'y ~ x', 'a.csv', '--save-model', '/dev/full'];
    const { code, stderr } = await runSuffice(args, { folder });
    expect([code, stderr]).toEqual([
      exitCode.invalidData,
      expect.stringContaining('the disk is full'),
    ]);
  });

  it.each([
    [
      'another machine',
      JSON.stringify({ token: 't', pid: 7, host: 'else\u001b[31mwhere' }),
      /process 7 on else.*where holds it/,
    ],
    ['an unreadable lock', '{"token":"ha', /its content cannot be read/],
    ['a lock of another shape', 'null', /its content cannot be read/],
  ])('says at once that it waits for %s', async (_, content, expected) => {
    const home = join(temporaryFolder(), 'home');
    mkdirSync(home);
    const lock = join(home, 'ledger.lock');
    writeFileSync(lock, content);
    const { io, printed } = testIo({ folder: home });
    const { run } = await import('../src/cli/run.ts');
    const done = run(['ledger', '--home', home], io);
    await expect.poll(() => printed().stderr).toMatch(expected);
    expect(printed().stderr).toContain(lock);
    expect(printed().stderr).not.toContain('\u001b');
    expect(printed().stderr).toContain(
      '→ if no suffice uses this folder any more, remove the file',
    );
    rmSync(lock);
    expect(await done).toBe(0);
    expect(printed().stderr.match(/waiting for/g)).toHaveLength(1);
  });

  it('says nothing of a lock that is held for a moment', async () => {
    const path = join(temporaryFolder(), 'lock');
    const said: string[] = [];
    const hold = () => new Promise<void>((resolve) => setTimeout(resolve, 100));
    await Promise.all([1, 2, 3].map(() => whileLocked(path, hold, (text) => said.push(text))));
    expect([said, hostname().length > 0]).toEqual([[], true]);
  });
});
