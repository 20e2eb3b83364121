import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createCoordinator } from '../src/coordinator/create-coordinator.ts';
import { inspectStore } from '../src/coordinator/inspect-store.ts';
import type { Store } from '../src/coordinator/store.ts';
import { backUp } from '../src/node/operate/backup.ts';
import { restore } from '../src/node/operate/restore.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import { verifyAuditLog } from '../src/protocol/audit-chain.ts';
import { suffice, temporaryFolder } from './cli.ts';
import {
  type Clock,
  createClock,
  operator,
  rows,
  runningStudy,
  testSite,
} from './coordinator-study.ts';
import { eachStore } from './stores.ts';

const DAY = 86_400_000;
const second = { sequence: 2, mode: 'add' } as const;

/** A resolved study of two sites, and the coordinator that erases after 30 days. */
async function resolvedStudy(store: Store, clock: Clock, blockBytes = 2 ** 20) {
  const started = await runningStudy(store, ['a', 'b', 'c'], { clock });
  const { id, agreed } = started;
  const coordinator = await createCoordinator({ store, now: clock.now, keepDays: 30, blockBytes });
  const sites = started.sites.map(({ name, key }) => testSite(coordinator, id, agreed, name, key));
  await sites[0].send(rows(0, 20));
  await sites[1].send(rows(20, 40));
  await coordinator.close(operator, id);
  await coordinator.runDueWork();
  return { coordinator, id, sites };
}

eachStore('contributions that were kept long enough', (open) => {
  it('are erased; report, receipts and log stay; the study says by name that it cannot be resolved again', async () => {
    const store = await open();
    const clock = createClock();
    const { coordinator, id, sites } = await resolvedStudy(store, clock);
    const resolution = await coordinator.resolution(operator, id, 'latest');
    const { receipts } = await coordinator.receipts(sites[0].caller, id);
    const bodies = () =>
      store.db
        .selectFrom('contributions')
        .select('site')
        .where('study', '=', id)
        .where('body', 'is not', null)
        .execute();

    clock.pass(30 * DAY - 1000);
    await coordinator.runDueWork();
    expect(await bodies()).toHaveLength(2);
    clock.pass(2000);
    await coordinator.runDueWork();
    expect(await bodies()).toEqual([]);

    expect(await coordinator.resolution(operator, id, 'latest')).toEqual(resolution);
    expect(await coordinator.resolve(operator, id, { includeLate: false })).toEqual(resolution);
    expect((await coordinator.receipts(sites[0].caller, id)).receipts).toEqual(receipts);
    const log = await coordinator.auditLog(operator, id);
    expect(verifyAuditLog(log, {})).toMatchObject({ ok: true });
    expect(log.entries.at(-1)).toMatchObject({
      event: 'erased',
      detail: { contributions: 2, days: 30 },
    });
    const view = await coordinator.view(operator, id);
    expect(view).toMatchObject({ state: 'resolved', erasedAt: clock.now().toISOString() });
    expect(await inspectStore(store.db)).toMatchObject({ problems: [] });

    const gone = {
      code: 'gone',
      message: expect.stringMatching(
        /^the contributions to this study were erased on 2027-01-31, .* cannot be resolved again$/,
      ),
    };
    const [a, , c] = sites;
    await expect(coordinator.analyse(operator, id, { questions: [] })).rejects.toMatchObject(gone);
    await expect(coordinator.total(operator, id, 'latest')).rejects.toMatchObject(gone);
    await expect(coordinator.reopen(operator, id)).rejects.toMatchObject(gone);
    await expect(coordinator.uploadLimits(c.caller, id)).rejects.toMatchObject(gone);
    await expect(c.send(rows(40, 60))).rejects.toMatchObject(gone);
    await expect(a.send(rows(40, 60), second)).rejects.toMatchObject(gone);
    expect(await bodies()).toEqual([]);
    expect((await coordinator.auditLog(operator, id)).entries).toEqual(log.entries);

    // A site that leaves changes the set: nothing new can be made of the rest, and the study says why.
    await coordinator.withdraw(operator, id, { site: 'b' });
    await coordinator.runDueWork();
    expect(await coordinator.view(operator, id)).toMatchObject({
      state: 'closed',
      problem: expect.stringContaining('erased on 2027-01-31'),
    });
    expect(await coordinator.resolution(operator, id, 1)).toEqual(resolution);
  });

  it('are erased where they are stored in blocks', async () => {
    const store = await open();
    const clock = createClock();
    const { coordinator, id } = await resolvedStudy(store, clock, 64);
    const left = async (table: 'blocks' | 'uploads') =>
      (await store.db.selectFrom(table).select('file').where('study', '=', id).execute()).length;
    expect(await left('blocks')).toBeGreaterThan(4);
    expect((await inspectStore(store.db)).problems).toEqual([]);
    clock.pass(31 * DAY);
    await coordinator.runDueWork();
    expect([await left('blocks'), await left('uploads')]).toEqual([0, 0]);
    expect(await inspectStore(store.db)).toMatchObject({
      contents: { contributions: 2 },
      problems: [],
    });
    await expect(coordinator.total(operator, id, 'latest')).rejects.toMatchObject({ code: 'gone' });
  });

  it('stay without a limit, in a study that collects, and in one that is resolved again', async () => {
    const store = await open();
    const clock = createClock();
    const { coordinator, id, sites } = await resolvedStudy(store, clock);
    clock.pass(29 * DAY);
    await coordinator.reopen(operator, id);
    clock.pass(29 * DAY);
    await coordinator.runDueWork();
    await sites[2].send(rows(40, 60));
    await coordinator.runDueWork();
    clock.pass(29 * DAY);
    await coordinator.runDueWork();
    expect((await coordinator.view(operator, id)).resolution?.number).toBe(2);
    expect((await coordinator.analyse(operator, id, { questions: [] })).report.n).toBe(59);
    clock.pass(1000 * DAY);
    const forever = await createCoordinator({ store, now: clock.now });
    await forever.runDueWork();
    expect((await forever.analyse(operator, id, { questions: [] })).report.n).toBe(59);
  });
});

it('what was erased is not in the files of SQLite', async () => {
  const path = join(temporaryFolder(), 'suffice.db');
  const store = await openSqliteStore(path);
  const clock = createClock();
  const { coordinator, id } = await resolvedStudy(store, clock);
  const { body } = await store.db
    .selectFrom('contributions')
    .select('body')
    .where('study', '=', id)
    .where('site', '=', 'a')
    .executeTakeFirstOrThrow();
  // The end of a file: the sums, after the header that every contribution has alike.
  const sums = Buffer.from(body!.slice(-120, -20));
  const found = () => ['', '-wal'].some((rest) => readFileSync(`${path}${rest}`).includes(sums));
  expect(found()).toBe(true);
  clock.pass(31 * DAY);
  await coordinator.runDueWork();
  expect(found()).toBe(false);
  await store.close();
  expect(readFileSync(path).includes(sums)).toBe(false);
});

it('a store restored from an older backup is erased again when it starts', async () => {
  const data = join(temporaryFolder(), 'data');
  const store = await openSqliteStore(join(data, 'suffice.db'));
  const clock = createClock();
  const { coordinator } = await resolvedStudy(store, clock);
  const copy = join(data, 'copy.db');
  await backUp(data, copy);
  clock.pass(31 * DAY);
  await coordinator.runDueWork();
  await store.close();
  const other = join(data, 'other');
  await restore(copy, other);
  const again = await openSqliteStore(join(other, 'suffice.db'));
  const kept = () =>
    again.db.selectFrom('contributions').select('site').where('body', 'is not', null).execute();
  expect(await kept()).toHaveLength(2);
  const restored = await createCoordinator({ store: again, now: clock.now, keepDays: 30 });
  await restored.runDueWork();
  expect(await kept()).toEqual([]);
  await again.close();
});

it('suffice serve takes whole days', async () => {
  for (const days of ['0', '1.5', 'x', '-3']) {
    const { code, stderr } = await suffice('serve', `--keep-contributions=${days}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('a whole number of days')]);
  }
});
