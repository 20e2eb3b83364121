import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createCoordinator } from '../src/coordinator/create-coordinator.ts';
import { inspectStore } from '../src/coordinator/inspect-store.ts';
import { migrate, tablesVersion, tablesVersionOf } from '../src/coordinator/migrations.ts';
import type { Store } from '../src/coordinator/store.ts';
import type { Tables } from '../src/coordinator/tables.ts';
import { type Served, serve } from '../src/node/server/serve.ts';
import { libsqlDialect } from '../src/node/store/libsql-dialect.ts';
import { SqliteConnection } from '../src/node/store/sqlite-connection.ts';
import { withSqliteFile } from '../src/node/store/sqlite-file.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import { UPGRADE_COPY, type Upgrade } from '../src/node/store/upgrade-copy.ts';
import { verifyAuditLog } from '../src/protocol/audit-chain.ts';
import type { SealedResolution } from '../src/protocol/messages.ts';
import { suffice, temporaryFolder } from './cli.ts';
import {
  anyStudy,
  operator,
  rows,
  runningStudy,
  type TestSite,
  testSite,
} from './coordinator-study.ts';
import { chosen } from './endurance.ts';
import { agreement } from './linear.ts';
import { localServer } from './local-server.ts';
import { eachStore } from './stores.ts';

const earlier = Array.from({ length: tablesVersion - 1 }, (_, k) => k + 1);

/** A resolved study and one that waits for its second site, as rows of all tables. */
interface Past {
  readonly tables: Readonly<Partial<Record<keyof Tables, readonly Record<string, unknown>[]>>>;
  readonly resolved: { readonly id: string; readonly resolution: SealedResolution };
  readonly waiting: { readonly id: string; readonly sites: readonly TestSite[] };
  readonly receipts: readonly unknown[];
}

/** In an order in which rows refer to earlier ones. */
const names: readonly (keyof Tables)[] = [
  'settings',
  'access',
  'studies',
  'sites',
  'contributions',
  'resolutions',
  'audit',
];

let past: Past;

beforeAll(async () => {
  const store = await openSqliteStore(join(temporaryFolder(), 'suffice.db'));
  const done = await runningStudy(store, ['a', 'b']);
  await done.sites[0].send(rows(0, 25));
  await done.sites[1].send(rows(25, 60));
  await done.coordinator.runDueWork();
  const open = await runningStudy(store, ['a', 'b'], { study: anyStudy() });
  await open.sites[0].send(rows(0, 30));
  const { receipts } = await open.coordinator.receipts(open.sites[0].caller, open.id);
  past = {
    tables: Object.fromEntries(
      await Promise.all(
        names.map(async (name) => [name, await store.db.selectFrom(name).selectAll().execute()]),
      ),
    ),
    resolved: {
      id: done.id,
      resolution: await done.coordinator.resolution(operator, done.id, 'latest'),
    },
    waiting: { id: open.id, sites: open.sites },
    receipts,
  };
  await store.close();
});

/** Writes the past as the program with these tables had it. */
async function write(db: Kysely<Tables>, kind: Store['kind'], version: number): Promise<void> {
  await db.transaction().execute((trx) => migrate(trx, kind, version));
  const known = await db.introspection.getTables();
  for (const name of names) {
    const columns = known.find((table) => table.name === name)!.columns.map((one) => one.name);
    for (const row of past.tables[name]!) {
      if (name === 'settings' && row.name === 'tables') continue;
      const kept = Object.fromEntries(Object.entries(row).filter(([key]) => columns.includes(key)));
      await db
        .insertInto(name)
        .values(kept as never)
        .execute();
    }
  }
}

/** Nothing is lost, a resolved study opens, its sums are all there, and the other one goes on. */
async function expectAll({ coordinator }: Pick<Served, 'coordinator'>, db: Kysely<Tables>) {
  const { resolved, waiting } = past;
  expect(await inspectStore(db)).toMatchObject({
    contents: { tables: tablesVersion, contributions: 3, resolutions: 1 },
    problems: [],
  });
  expect(await coordinator.resolution(operator, resolved.id, 'latest')).toEqual(
    resolved.resolution,
  );
  const { report } = await coordinator.analyse(operator, resolved.id, { questions: [] });
  expect(report).toEqual(resolved.resolution.report);
  const log = await coordinator.auditLog(operator, resolved.id);
  expect(verifyAuditLog(log, {})).toMatchObject({ ok: true });
  const [a, b] = waiting.sites;
  expect((await coordinator.receipts(a.caller, waiting.id)).receipts).toEqual(past.receipts);
  const { study } = await coordinator.view(operator, waiting.id);
  await testSite(coordinator, waiting.id, agreement(study), 'b', b.key).send(rows(30, 60));
  await coordinator.runDueWork();
  expect((await coordinator.resolution(operator, waiting.id, 1)).report.n).toBe(59);
}

const copiesIn = (data: string) => readdirSync(data).filter((name) => UPGRADE_COPY.test(name));

describe.each(earlier)('a store of tables version %i', (version) => {
  it('opens with nothing lost, after a copy of it was made', async () => {
    const data = join(temporaryFolder(), 'data');
    const file = join(data, 'suffice.db');
    mkdirSync(data);
    const old = new Kysely<Tables>({
      dialect: libsqlDialect(new SqliteConnection(file, 'select 1')),
    });
    await write(old, 'sqlite', version);
    await old.destroy();
    const upgrades: Upgrade[] = [];
    const served = await serve({
      ...{ data, port: 0, log: 'none' },
      onUpgrade: (upgrade) => upgrades.push(upgrade),
    });
    onTestFinished(() => served.stop());
    const [copy, ...others] = copiesIn(data);
    expect(others).toEqual([]);
    const path = join(data, copy);
    expect(upgrades).toEqual([{ from: version, to: tablesVersion, copy: path }]);
    await withSqliteFile(path, async ({ db }) => {
      expect(await tablesVersionOf(db)).toBe(version);
      expect((await inspectStore(db)).problems).toEqual([]);
    });
    await withSqliteFile(file, ({ db }) => expectAll(served, db));
    await served.stop();
    const again = await serve({ data, port: 0, log: 'none' });
    await again.stop();
    expect(copiesIn(data)).toHaveLength(1);
  });
});

eachStore(
  'a database of an earlier version',
  (_, place) => {
    it.each(chosen(earlier, 0))('opens with nothing lost: tables version %i', async (version) => {
      const at = await place();
      const pool = new pg.Pool({ connectionString: at.address });
      const old = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
      await write(old, 'postgres', version);
      await old.destroy();
      const store = await at.open();
      await expectAll({ coordinator: await createCoordinator({ store }) }, store.db);
    });
  },
  ['postgres'],
);

it('a landed store is copied before its upgrade, unless that is not wanted', async () => {
  const landed = fileURLToPath(new URL('vectors/landed/store', import.meta.url));
  for (const upgradeCopy of ['make', 'skip'] as const) {
    const data = join(temporaryFolder(), 'store');
    cpSync(landed, data, { recursive: true });
    chmodSync(join(data, 'admin-token'), 0o600);
    const lines: string[] = [];
    const served = await serve({
      ...{ data, port: 0, log: 'json', upgradeCopy },
      writeLog: (line) => lines.push(line),
    });
    await served.stop();
    const copies = copiesIn(data);
    expect(copies).toHaveLength(upgradeCopy === 'make' ? 1 : 0);
    expect(JSON.parse(lines[0])).toMatchObject({
      event: 'upgraded',
      to: tablesVersion,
      ...(upgradeCopy === 'make' ? { copy: join(data, copies[0]) } : {}),
    });
    if (upgradeCopy === 'skip') continue;
    // The way back: the copy is a backup like any other.
    const back = join(temporaryFolder(), 'back');
    const restored = await suffice('restore', join(data, copies[0]), '--data', back, '--json');
    expect([restored.code, restored.stderr]).toEqual([0, '']);
    expect(JSON.parse(restored.stdout).contents.studies).toEqual({ collecting: 1, resolved: 4 });
  }
});

it('a store that cannot be copied first is not upgraded', async () => {
  const data = join(temporaryFolder(), 'store');
  cpSync(fileURLToPath(new URL('vectors/landed/store', import.meta.url)), data, {
    recursive: true,
  });
  chmodSync(join(data, 'admin-token'), 0o600);
  const file = join(data, 'suffice.db');
  const bytes = readFileSync(file);
  bytes.fill(0xff, 4096 * 8, 4096 * 9);
  writeFileSync(file, bytes);
  await expect(serve({ data, port: 0, log: 'none' })).rejects.toMatchObject({
    problem: expect.stringContaining('damaged'),
  });
  const version = await withSqliteFile(file, ({ db }) => tablesVersionOf(db));
  expect(version).toBeLessThan(tablesVersion);
  expect(copiesIn(data)).toEqual([]);
});

it('a store is not upgraded by a program whose port is taken, as by the older one', async () => {
  const data = join(temporaryFolder(), 'store');
  cpSync(fileURLToPath(new URL('vectors/landed/store', import.meta.url)), data, {
    recursive: true,
  });
  const before = readFileSync(join(data, 'suffice.db'));
  const { address } = await localServer((_, response) => response.end());
  const { port } = new URL(address);
  const { code, stderr } = await suffice('serve', '--data', data, '--port', port);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`port ${port} is in use`)]);
  expect(stderr).not.toContain('upgraded');
  expect(readFileSync(join(data, 'suffice.db'))).toEqual(before);
  expect(copiesIn(data)).toEqual([]);
  const none = join(data, 'none');
  expect((await suffice('serve', '--data', none, '--port', port)).code).toBe(2);
  expect(existsSync(none)).toBe(false);
});
