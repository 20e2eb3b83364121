import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { everyStudy, type Growth, type Store } from '../src/coordinator/store.ts';
import { openPostgresStore } from '../src/node/store/postgres-store.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import { temporaryFolder } from './cli.ts';
import { eventually } from './eventually.ts';
import { eachStore, type StorePlace } from './stores.ts';

const put = (store: Store, name: string, value = '1') =>
  store.write('s', async (db) => {
    await db.insertInto('settings').values({ name, value }).execute();
  });

async function names(store: Store): Promise<string[]> {
  const rows = await store.db
    .selectFrom('settings')
    .select('name')
    .where('name', '!=', 'tables')
    .orderBy('name')
    .execute();
  return rows.map(({ name }) => name);
}

eachStore('a store', (open, place) => {
  it('undoes everything a write did before it threw', async () => {
    const store = await open();
    const broken = store.write('s', async (db) => {
      await db.insertInto('settings').values({ name: 'half', value: '1' }).execute();
      throw new RangeError('changed my mind');
    });
    await expect(broken).rejects.toThrow(RangeError);
    expect(await names(store)).toEqual([]);
  });

  it('keeps what was written when it is opened again, byte for byte', async () => {
    const at = await place();
    const store = await at.open();
    const body = Uint8Array.from({ length: 70_000 }, (_, k) => k * 7);
    await store.write('s', async (db) => {
      await db.insertInto('studies').values(studyRow('s')).execute();
      await db.insertInto('sites').values(siteRow('s', 'a')).execute();
      await db
        .insertInto('contributions')
        .values({ ...contributionRow('s', 'a', 1), body: body.subarray(5, 60_000) })
        .execute();
    });
    await store.close();
    const again = await at.open();
    const row = await again.db.selectFrom('contributions').selectAll().executeTakeFirstOrThrow();
    expect(row.body).toBeInstanceOf(Uint8Array);
    expect(Buffer.compare(Buffer.from(row.body ?? []), Buffer.from(body.subarray(5, 60_000)))).toBe(
      0,
    );
    expect([row.sequence, row.rows, row.digest]).toEqual([1, 2 ** 40, null]);
  });

  it('is opened by two at once on an empty place, and by a later one', async () => {
    const at = await place();
    const stores = await Promise.all([at.open(), at.open(), at.open()]);
    await put(stores[0], 'here');
    expect(await names(stores[2])).toEqual(['here']);
    expect(await names(await at.open())).toEqual(['here']);
  });

  it('refuses tables of a newer program by name', async () => {
    const at = await place();
    const store = await at.open();
    await store.write('', async (db) => {
      await db.updateTable('settings').set({ value: '99' }).where('name', '=', 'tables').execute();
    });
    await expect(at.open()).rejects.toThrow(/tables of the store have version 99/);
  });

  it('lets one in at a time under a name, and the next after a throw', async () => {
    const store = await open();
    let leave = () => {};
    let enter = () => {};
    const entered = new Promise<void>((resolve) => {
      enter = resolve;
    });
    const inside = store.alone('x', () => {
      enter();
      return new Promise<void>((resolve) => {
        leave = resolve;
      });
    });
    await entered;
    expect(await store.alone('x', async () => 1)).toBeUndefined();
    expect(await store.alone('y', async () => 2)).toBe(2);
    leave();
    await inside;
    await expect(
      store.alone('x', async () => {
        throw new RangeError('no');
      }),
    ).rejects.toThrow(RangeError);
    expect(await store.alone('x', async () => 3)).toBe(3);
  });

  it('tells of a growth after its commit and of none that was undone', async () => {
    const store = await open();
    const heard: Growth[] = [];
    const stop = store.listen((growth) => {
      if (growth.study !== everyStudy) heard.push(growth);
    });
    const grow = (position: number, then: () => void) =>
      store.write('s', async (db) => {
        await store.announce(db, { study: 's', position });
        then();
      });
    await eventually(async () => {
      await grow(1, () => {});
      expect(heard).not.toEqual([]);
    });
    await expect(
      grow(2, () => {
        throw new RangeError('no');
      }),
    ).rejects.toThrow(RangeError);
    await grow(3, () => {});
    await eventually(async () => expect(heard.at(-1)?.position).toBe(3));
    expect(heard.filter(({ position }) => position === 2)).toEqual([]);
    stop();
  });

  it('waits for a write of another process, and then goes on as ever', async () => {
    const at = await place();
    const [one, other] = await Promise.all([at.open(), at.open()]);
    let leave = () => {};
    let enter = () => {};
    const entered = new Promise<void>((resolve) => {
      enter = resolve;
    });
    const inside = one.write('s', async (db) => {
      await db.insertInto('settings').values({ name: 'long', value: '1' }).execute();
      enter();
      await new Promise<void>((resolve) => {
        leave = resolve;
      });
    });
    await entered;
    const waiting = Promise.all([put(other, 'x'), put(other, 'y')]);
    const first = await Promise.race([
      waiting.then(() => 'written'),
      new Promise((resolve) => setTimeout(resolve, 300, 'waiting')),
    ]);
    expect(first).toBe('waiting');
    leave();
    await inside;
    await waiting;
    await put(other, 'z');
    expect(await names(one)).toEqual(['long', 'x', 'y', 'z']);
  });

  it('lets several processes write to one place', async () => {
    const at = await place();
    await Promise.all([writer(at, 'p', 40), writer(at, 'q', 40)]);
    expect((await names(await at.open())).length).toBe(80);
  });
});

eachStore('writes that share a commit', (_, place) => {
  // Each write either throws or stays; every answer is checked through a second connection.
  it('are each whole or nothing, and none is answered before it is durable', async () => {
    const at = await place();
    const store = await at.open();
    const other = await at.open();
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('keep', 'throw', 'fail', 'clash'), {
          minLength: 1,
          maxLength: 150,
        }),
        async (plan) => {
          const prefix = `r${++round}`;
          const ends = await Promise.all(
            plan.map(async (fate, k) => {
              const work = store.write('s', async (db) => {
                const row = { name: `${prefix}.${k}`, value: fate };
                await db.insertInto('settings').values(row).execute();
                if (fate === 'throw') throw new RangeError('no');
                if (fate === 'clash') await db.insertInto('settings').values(row).execute();
                if (fate === 'fail') await sql`select nothing from nowhere`.execute(db);
                return k;
              });
              try {
                const value = await work;
                const seen = await other.db
                  .selectFrom('settings')
                  .select('value')
                  .where('name', '=', `${prefix}.${k}`)
                  .executeTakeFirst();
                return value === k && seen?.value === 'keep';
              } catch (error) {
                return fate === 'throw' ? error instanceof RangeError : fate !== 'keep';
              }
            }),
          );
          expect(ends.every(Boolean)).toBe(true);
          const kept = plan.filter((fate) => fate === 'keep').length;
          const rows = (await names(store)).filter((name) => name.startsWith(`${prefix}.`));
          expect(rows.length).toBe(kept);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('run one after another within a study', async () => {
    const store = await (await place()).open();
    let running = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 30 }, () =>
        store.write('s', async (db) => {
          most = Math.max(most, ++running);
          await db.selectFrom('settings').selectAll().execute();
          running--;
        }),
      ),
    );
    expect(most).toBe(1);
  });
});

eachStore('an SQLite file', (_, place) => {
  it('belongs to its owner alone, and says on each connection what makes a commit durable', async ({
    skip,
  }) => {
    const at = await place();
    if (at.kind !== 'sqlite') return skip();
    const store = await at.open();
    await put(store, 'here');
    expect(statSync(at.address).mode & 0o777).toBe(0o600);
    expect(statSync(`${at.address}-wal`).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(at.address)).mode & 0o777).toBe(0o700);
    const pragma = async (name: string) => {
      const read = await sql.raw<Record<string, unknown>>(`pragma ${name}`).execute(store.db);
      const written = await store.write('', async (db) => {
        const { rows } = await sql.raw<Record<string, unknown>>(`pragma ${name}`).execute(db);
        return rows;
      });
      return [...read.rows, ...written].flatMap((row) => Object.values(row));
    };
    expect(await pragma('journal_mode')).toEqual(['wal', 'wal']);
    expect(await pragma('synchronous')).toEqual([1, 1]); // the store itself waits for the disk
    expect(await pragma('busy_timeout')).toEqual([5000, 5000]);
    expect(await pragma('foreign_keys')).toEqual([1, 1]);
    expect(await pragma('secure_delete')).toEqual([1, 1]);
    await expect(sql`delete from settings`.execute(store.db)).rejects.toThrow(/readonly/);
  });
});

describe('the log of an SQLite file', () => {
  /** A store whose waits for the disk end when the test says so. */
  async function waitingStore() {
    const waits: { done(): void; fail(error: Error): void }[] = [];
    let holding = false;
    const sync = () =>
      holding
        ? new Promise<void>((resolve, reject) => waits.push({ done: resolve, fail: reject }))
        : Promise.resolve();
    const path = join(temporaryFolder(), 'suffice.db');
    const store = await openSqliteStore(path, {}, sync);
    holding = true;
    return { store, waits, path };
  }

  it('is on the disk before a write is answered, once for all writes of a group', async () => {
    const { store, waits } = await waitingStore();
    const answered: string[] = [];
    const writes = ['a', 'b', 'c'].map((name) => put(store, name).then(() => answered.push(name)));
    await expect.poll(() => waits.length).toBe(1);
    // The commit is there to be read, but nobody has been told: a receipt waits too.
    expect(await names(store)).toEqual(['a', 'b', 'c']);
    let durable = false;
    const told = store.durable().then(() => (durable = true));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([answered, durable]).toEqual([[], false]);
    waits[0].done();
    await Promise.all([...writes, told]);
    expect(answered).toHaveLength(3);
    expect(waits).toHaveLength(1);
    await store.close();
  });

  it('that does not reach the disk fails its writes, and the next write does not rely on it', async () => {
    const { store, waits, path } = await waitingStore();
    const lost = put(store, 'lost').catch((error) => error);
    await expect.poll(() => waits.length).toBe(1);
    waits[0].fail(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }));
    expect(await lost).toMatchObject({ code: 'store-unavailable' });
    const before = statSync(`${path}-wal`).size;
    const kept = put(store, 'kept');
    await expect.poll(() => waits.length).toBe(2);
    // The log was moved into the file first, so it holds no more than the second write.
    expect(statSync(`${path}-wal`).size).toBeLessThan(before);
    waits[1].done();
    await kept;
    await store.close();
  });
});

describe('a PostgreSQL that is not there', () => {
  it('is refused as such, without the address and its password', async () => {
    const opening = openPostgresStore('postgres://someone:secret@127.0.0.1:1/nowhere');
    const refusal = await opening.catch((error) => error);
    expect(refusal).toMatchObject({ code: 'store-unavailable' });
    expect(`${refusal.message} ${refusal.remedy}`).not.toMatch(/secret|someone|127/);
  });
});

const writing = `
const [, dist, kind, address, prefix, count] = process.argv;
const { openSqliteStore } = await import(dist + '/node/store/sqlite-store.js');
const { openPostgresStore } = await import(dist + '/node/store/postgres-store.js');
const store = await (kind === 'sqlite' ? openSqliteStore : openPostgresStore)(address);
for (let k = 0; k < Number(count); k++) {
  const row = { name: prefix + k, value: '1' };
  await store.write('s', (db) => db.insertInto('settings').values(row).execute());
}
await store.close();`;

/** A process of its own that writes `count` rows, one transaction each, with the built code. */
async function writer({ kind, address }: StorePlace, prefix: string, count: number): Promise<void> {
  const dist = fileURLToPath(new URL('../dist', import.meta.url));
  const script = ['--input-type=module', '-e', writing];
  const child = spawn(process.execPath, [...script, dist, kind, address, prefix, `${count}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr.on('data', (chunk) => (complaint += chunk));
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect([code, complaint]).toEqual([0, '']);
}

function studyRow(id: string) {
  return {
    id,
    digest: id,
    document: '{}',
    state: 'open',
    created_at: '',
    deadline: null,
    quorum: 1,
    problem: null,
    due: 0,
    audit_length: 0,
    audit_head: '',
    first: null,
    round: 1,
    from_resolution: null,
  } as const;
}

function siteRow(study: string, name: string) {
  const zeros = { next_sequence: 1, bytes_up: 0, bytes_down: 0, device: 0 };
  return { study, name, state: 'ready', key: null, ...zeros } as const;
}

function contributionRow(study: string, site: string, sequence: number) {
  return {
    study,
    site,
    sequence,
    mode: 'add',
    digest: null,
    rows: 2 ** 40,
    dropped: 0,
    bytes: 0,
    received_at: '',
    late: 0,
    audit_position: 1,
  } as const;
}
