import { type AddressInfo, createServer } from 'node:net';
import pg from 'pg';
import { afterEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { createCoordinator } from '../src/coordinator/create-coordinator.ts';
import { everyStudy, type Growth, type Store } from '../src/coordinator/store.ts';
import { serve } from '../src/node/server/serve.ts';
import { openPostgresStore } from '../src/node/store/postgres-store.ts';
import { usualTls } from '../src/node/store/postgres-tls.ts';
import { verifyAuditLog } from '../src/protocol/audit-chain.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { anyStudy, operator, rows, runningStudy } from './coordinator-study.ts';
import { chosen, enduring } from './endurance.ts';
import { eventually } from './eventually.ts';
import { freezingProxy } from './freezing-proxy.ts';
import { fileOf, jsonOf, openSession, shakeHands } from './http-study.ts';
import { startPostgres } from './postgres-server.ts';
import { startServing } from './serving.ts';
import { freshDatabase } from './stores.ts';

const hasPostgres = (await fetch(inject('postgresDoor'))).ok;
/** Short, so that the tests are. */
const patience = { connect: 2_000, query: 2_000, lock: 500, vacuum: 5_000 };
/** A hang has no end; what ends at all, on however slow a machine, had a limit. */
const LIMITED = 60_000;

async function opened(url: string, limits?: typeof patience): Promise<Store> {
  const store = await openPostgresStore(url, limits);
  onTestFinished(() => store.close());
  return store;
}

/** A session of somebody else on the same database. */
async function stranger(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(() => client.end().catch(() => {}));
  return client;
}

const timed = async <T>(work: Promise<T>): Promise<readonly [T, number]> => {
  const started = performance.now();
  return [await work, performance.now() - started];
};

afterEach(() => {
  vi.useRealTimers();
});

describe.skipIf(!hasPostgres)('a coordinator on a database that others use too', () => {
  it('takes a notification that is not ours for “anything may have changed”', async () => {
    const url = await freshDatabase();
    const store = await opened(url);
    const heard: Growth[] = [];
    store.listen((growth) => heard.push(growth));
    await eventually(async () => expect(heard).toHaveLength(1)); // it listens
    const other = await stranger(url);
    const odd = ['not json', 'null', '[]', '7', '{}', '{"study":3,"position":1}', ''];
    for (const text of odd) await other.query('select pg_notify($1, $2)', ['suffice_growth', text]);
    await store.write('s', (db) => store.announce(db, { study: 's', position: 4 }));
    await eventually(async () => expect(heard.at(-1)).toEqual({ study: 's', position: 4 }));
    expect(heard.slice(0, -1)).toEqual(
      Array.from({ length: 1 + odd.length }, () => ({ study: everyStudy, position: 0 })),
    );
  });

  it.runIf(enduring)(
    'refuses for a while what needs a lock that a stranger holds, and goes on after',
    async () => {
      const url = await freshDatabase();
      const session = await openSession(await opened(url, patience));
      await shakeHands(session, 'north');
      const other = await stranger(url);
      const lock = `select pg_advisory_lock(hashtextextended('suffice:study:${session.created.id}', 0))`;
      await other.query(lock);
      const file = fileOf('north', session.keys.north);
      const [answer, took] = await timed(session.send('north', file));
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
      expect(await jsonOf(answer)).toMatchObject({
        code: 'store-unavailable',
        problem: expect.stringContaining('another session of the database holds a lock'),
      });
      expect(took).toBeLessThan(5_000);
      expect((await session.ask('GET', '/healthz')).status).toBe(200);
      await other.end();
      expect((await session.send('north', file)).status).toBe(201);
    },
  );

  it.each(chosen(['repeatable read', 'serializable'], 0))(
    'keeps its promises where the default is %s',
    async (level) => {
      const url = await freshDatabase();
      const other = await stranger(url);
      const name = new URL(url).pathname.slice(1);
      await other.query(`alter database ${name} set default_transaction_isolation = '${level}'`);
      const stores = await Promise.all([opened(url), opened(url), opened(url)]);
      const names = Array.from({ length: 20 }, (_, k) => `s${k}`);
      const { id, coordinator, sites } = await runningStudy(stores[0], names);
      const coordinators = await Promise.all(stores.map((store) => createCoordinator({ store })));
      await Promise.all(
        sites.map((site, k) =>
          coordinators[k % 3].contribute(site.caller, id, site.file([2 * k, 2 * k + 1])),
        ),
      );
      await Promise.all(coordinators.map((one) => one.runDueWork()));
      expect((await coordinator.resolutions(operator, id)).resolutions).toHaveLength(1);
      const verdict = verifyAuditLog(await coordinator.auditLog(operator, id), {});
      expect(verdict).toMatchObject({ ok: true });
    },
  );

  it.runIf(enduring)('uses few connections for a storm of resolves', async () => {
    const url = await freshDatabase();
    const stores = await Promise.all([opened(url), opened(url)]);
    const { id, sites } = await runningStudy(stores[0], ['a', 'b']);
    const coordinators = await Promise.all(stores.map((store) => createCoordinator({ store })));
    await sites[0].send(rows(0, 20));
    await sites[1].send(rows(20, 40));
    const other = await stranger(url);
    let most = 0;
    let over = false;
    const counting = (async () => {
      while (!over) {
        const { rows } = await other.query(
          `select count(*)::int as n from pg_stat_activity
           where datname = current_database() and application_name = 'suffice'`,
        );
        most = Math.max(most, rows[0].n);
      }
    })();
    const asked = await Promise.allSettled(
      Array.from({ length: 300 }, (_, k) =>
        coordinators[k % 2].resolve(operator, id, { includeLate: false }),
      ),
    );
    over = true;
    await counting;
    const numbers = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value.number] : []));
    const reasons = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
    expect(new Set(numbers)).toEqual(new Set([1]));
    expect(numbers.length).toBeGreaterThanOrEqual(60);
    expect(new Set(reasons)).toEqual(new Set(['too-many-requests']));
    expect(most).toBeLessThanOrEqual(2 * 14);
  });
});

describe.skipIf(!hasPostgres)('a coordinator whose database hangs', () => {
  it('refuses in time, says so at /healthz within two seconds, and goes on after', async () => {
    const proxy = await freezingProxy(await freshDatabase());
    const store = await opened(proxy.url, patience);
    const session = await openSession(store);
    await shakeHands(session, 'north');
    const file = fileOf('north', session.keys.north);
    proxy.freeze();
    const [health, healthTook] = await timed(session.ask('GET', '/healthz'));
    expect(health.status).toBe(503);
    expect(healthTook).toBeLessThan(LIMITED);
    const asked = await timed(
      Promise.all([
        session.send('north', file),
        session.ask('GET', session.path, { token: session.admin }),
        session.ask('POST', `${session.path}/close`, { token: session.admin, json: {} }),
      ]),
    );
    for (const answer of asked[0]) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
    }
    expect(asked[1]).toBeLessThan(LIMITED);
    proxy.thaw();
    await eventually(async () => {
      expect((await session.ask('GET', '/healthz')).status).toBe(200);
    });
    await eventually(async () => {
      expect([200, 201]).toContain((await session.send('north', file)).status);
    });
    const { entries } = await session.coordinator.auditLog(operator, session.created.id);
    expect(entries.filter(({ event }) => event === 'contributed')).toHaveLength(1);
    expect(entries.filter(({ event }) => event === 'closed')).toHaveLength(0);
  });

  it.runIf(enduring)(
    'hangs in a transaction: the transaction is undone, its sender is refused in time',
    async () => {
      const proxy = await freezingProxy(await freshDatabase());
      const store = await opened(proxy.url, patience);
      const [refused, took] = await timed(
        store
          .write('s', async (db) => {
            await db.insertInto('settings').values({ name: 'half', value: '1' }).execute();
            proxy.freeze();
            await db.insertInto('settings').values({ name: 'rest', value: '1' }).execute();
          })
          .catch((error) => error),
      );
      expect(refused).toMatchObject({ code: 'store-unavailable' });
      expect(took).toBeLessThan(LIMITED);
      proxy.thaw();
      await eventually(async () => {
        const read = store.db.selectFrom('settings').select('name').execute();
        expect((await read).map(({ name }) => name)).toEqual(['tables']);
      });
    },
  );

  it.runIf(enduring)('ends at SIGTERM in limited time', async () => {
    const proxy = await freezingProxy(await freshDatabase());
    const cwd = temporaryFolder();
    const serving = await startServing([], { cwd, env: { SUFFICE_DATABASE: proxy.url } });
    proxy.freeze();
    const [health, healthTook] = await timed(fetch(`${serving.address}/healthz`));
    expect([health.status, health.headers.get('retry-after')]).toEqual([503, '1']);
    expect(healthTook).toBeLessThan(10_000); // the usual limit of a query is 15 s
    const [code, took] = await timed(serving.stop());
    expect(code).toBe(0);
    expect(took).toBeLessThan(LIMITED);
  });

  it.skipIf(!enduring)('does all that with the usual limits, its server stopped', async () => {
    const postgres = await startPostgres();
    try {
      const cwd = temporaryFolder();
      const serving = await startServing([], { cwd, env: { SUFFICE_DATABASE: postgres.url } });
      postgres.signal('SIGSTOP');
      const [health, healthTook] = await timed(fetch(`${serving.address}/healthz`));
      expect([health.status, healthTook < 3_000]).toEqual([503, true]);
      const headers = { Authorization: `Bearer ${serving.operator}` };
      const [list, listTook] = await timed(fetch(`${serving.address}/studies`, { headers }));
      expect([list.status, listTook < 20_000]).toEqual([503, true]);
      const [code, took] = await timed(serving.stop());
      expect([code, took < 20_000]).toEqual([0, true]);
    } finally {
      postgres.signal('SIGCONT');
      await postgres.stop();
    }
  });
});

describe.skipIf(!hasPostgres)('deadlines and expiry on PostgreSQL', () => {
  it('go by the database’s clock, not by that of a coordinator two hours ahead', async () => {
    const url = await freshDatabase();
    const right = await opened(url);
    const { id, sites, coordinator } = await runningStudy(right, ['a', 'b'], {
      study: anyStudy({ sites: 1, deadline: new Date(Date.now() + 3_600_000).toISOString() }),
    });
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const { token } = await coordinator.invite(operator, id, { site: 'c', expires });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 7_200_000 });
    const ahead = await createCoordinator({ store: await opened(url) });
    await ahead.runDueWork();
    const { receipt } = await ahead.contribute(sites[0].caller, id, sites[0].file(rows(0, 20)));
    expect(receipt.late).toBe(false);
    expect((await ahead.view(operator, id)).state).toBe('collecting');
    expect(await ahead.identify(token)).toMatchObject({ site: 'c' });
    vi.useRealTimers();
    const log = await ahead.auditLog(operator, id);
    expect(verifyAuditLog(log, {})).toEqual({ ok: true, entries: log.entries.length });
    const times = log.entries.map(({ at }) => Date.parse(at));
    expect(Math.max(...times) - Date.now()).toBeLessThan(60_000);
  });
});

describe.skipIf(!hasPostgres)('a coordinator that starts with a wrong clock', () => {
  it.each([
    [7_200, 'warn'],
    [-60, 'warn'],
    [0, undefined],
  ])('of %i seconds logs: %s', async (seconds, level) => {
    const database = await freshDatabase();
    const data = temporaryFolder();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 });
    const lines: string[] = [];
    const served = await serve({
      database,
      data,
      port: 0,
      log: 'json',
      writeLog: (line) => lines.push(line),
    });
    vi.useRealTimers();
    await served.stop();
    const said = lines.map((line) => JSON.parse(line)).find(({ event }) => event === 'clock');
    expect(said?.level).toBe(level);
    if (level !== undefined) expect(Math.abs(said.secondsAhead - seconds)).toBeLessThan(5);
  });
});

describe('TLS to PostgreSQL', () => {
  it.each([
    ['postgres://u:p@db.example/x', {}, { host: 'db.example' }],
    ['postgres://u:p@10.0.0.7/x', {}, { host: '10.0.0.7' }],
    ['postgres://u:p@127.0.0.1/x', {}, false],
    ['postgres://u:p@localhost:5433/x', {}, false],
    ['postgres://u:p@[::1]/x', {}, false],
    ['postgres:///x?host=/var/run/postgresql', {}, false],
    ['postgres://%2Fvar%2Frun/x', {}, false],
    ['postgres:///x', {}, false],
    ['postgres:///x', { PGHOST: 'db.example' }, { host: 'db.example' }],
    ['postgres://u@localhost/x?host=db.example', {}, { host: 'db.example' }],
    ['postgres://db.example/x?sslmode=disable', {}, undefined],
    ['postgres://db.example/x?sslmode=verify-full', {}, undefined],
    ['postgres://db.example/x', { PGSSLMODE: 'disable' }, undefined],
  ])('%s with %j: %j', (address, env, expected) => {
    expect(usualTls(address, env)).toEqual(expected);
  });

  it('is asked for before a name or password is sent to another machine', async () => {
    const first: string[] = [];
    const server = createServer((socket) => {
      socket.once('data', (bytes) => {
        first.push(bytes.toString('latin1'));
        socket.end('N'); // no TLS here
      });
      socket.on('error', () => {});
    });
    await new Promise<void>((resolve) => server.listen(0, resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    // 0.0.0.0 is this machine, but does not look so.
    const address = `postgres://someone:secret@0.0.0.0:${port}/x`;
    await expect(openPostgresStore(address, patience)).rejects.toThrow();
    expect(first.map((text) => text.length)).toEqual([8]); // SSLRequest, and nothing more
    const { code, stderr } = await suffice('serve', '--port', '0', '--database', address);
    expect([code, stderr]).toEqual([4, expect.stringContaining('does not offer TLS')]);
    expect(stderr).toContain('sslmode=disable');
    expect(stderr).not.toContain('secret');
    first.length = 0;
    await expect(openPostgresStore(`${address}?sslmode=disable`, patience)).rejects.toThrow();
    expect(first[0]).toContain('someone');
  });
});
