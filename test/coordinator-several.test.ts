import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Coordinator } from '../src/coordinator/coordinator.ts';
import { createCoordinator } from '../src/coordinator/create-coordinator.ts';
import { verifyAuditLog } from '../src/protocol/audit-chain.ts';
import type { AuditEntry } from '../src/protocol/messages.ts';
import { operator, rows, runningStudy, testSite } from './coordinator-study.ts';
import { reportDigest } from './coordinator-totals.ts';
import { enduring } from './endurance.ts';
import { eventually } from './eventually.ts';
import { eachStore } from './stores.ts';

/** Gathers what a watcher sees until it is told to stop. */
function gather(coordinator: Coordinator, id: string, from: number) {
  const stop = new AbortController();
  const seen: AuditEntry[] = [];
  const done = (async () => {
    for await (const entry of coordinator.watch(operator, id, from, stop.signal)) seen.push(entry);
  })();
  return {
    seen,
    async end() {
      stop.abort();
      await done;
    },
  };
}

eachStore('several coordinators on one store', (_, place) => {
  it('share the key, and each takes what the other gave out', async () => {
    const at = await place();
    const [here, there] = await Promise.all([at.open(), at.open()]);
    const [one, other] = await Promise.all([
      createCoordinator({ store: here }),
      createCoordinator({ store: there }),
    ]);
    expect(one.key).toBe(other.key);
    const { id, agreed, sites } = await runningStudy(here, ['a', 'b']);
    const file = sites[0].file(rows(0, 20));
    const { receipt } = await one.contribute(sites[0].caller, id, file);
    const again = await other.contribute(sites[0].caller, id, file);
    expect(again).toEqual({ receipt, created: false });
    const twin = testSite(other, id, agreed, 'b', sites[1].key);
    await twin.send(rows(20, 40));
    await other.runDueWork();
    const { report } = await one.resolution(operator, id, 1);
    expect(report.digest).toBe(reportDigest(agreed.study, [rows(0, 40)]));
  });

  it('give one answer when all of them close and resolve at once', async ({ skip }) => {
    const at = await place();
    if (at.kind !== 'postgres') return skip(); // an SQLite file has one coordinator
    const stores = await Promise.all([at.open(), at.open(), at.open()]);
    const { id, agreed, sites } = await runningStudy(stores[0], ['a', 'b', 'c']);
    const coordinators = await Promise.all(stores.map((store) => createCoordinator({ store })));
    await sites[0].send(rows(0, 20));
    for (let round = 1; round <= 5; round++) {
      await sites[1].send(rows(20, 20 + 5 * round), { sequence: round, mode: 'replace' });
      const closings = await Promise.allSettled(
        coordinators.map((coordinator) => coordinator.close(operator, id)),
      );
      expect(closings.filter(({ status }) => status === 'fulfilled').length).toBe(1);
      await Promise.all([
        ...coordinators.map((coordinator) => coordinator.runDueWork()),
        ...coordinators.map((one) => one.resolve(operator, id, { includeLate: false })),
      ]);
      const { resolutions: lines } = await coordinators[1].resolutions(operator, id);
      expect(lines.map(({ number }) => number)).toEqual(rows(1, round + 1));
      const { report } = await coordinators[2].resolution(operator, id, 'latest');
      expect(report.digest).toBe(reportDigest(agreed.study, [rows(0, 20 + 5 * round)]));
      await coordinators[round % 3].reopen(operator, id);
    }
    const log = await coordinators[1].auditLog(operator, id);
    expect(verifyAuditLog(log, { coordinatorKey: coordinators[0].key })).toMatchObject({
      ok: true,
    });
    const answers = log.entries.filter(({ event }) => event === 'resolved');
    expect(answers.length).toBe(5);
  });

  it.runIf(enduring)(
    'resolve what counts at the end when sites send and leave meanwhile',
    async ({ skip }) => {
      const at = await place();
      if (at.kind !== 'postgres') return skip();
      const names = Array.from({ length: 12 }, (_, k) => `s${k}`);
      const stores = await Promise.all([at.open(), at.open()]);
      const { id, agreed, sites } = await runningStudy(stores[0], names);
      const coordinators = await Promise.all(stores.map((store) => createCoordinator({ store })));
      await Promise.all(sites.map((site, k) => site.send(rows(5 * k, 5 * k + 5))));
      await Promise.all([
        ...sites.slice(0, 6).map((site) => site.withdraw(2)),
        ...[0, 1, 0, 1, 0, 1].map((k) => coordinators[k].runDueWork()),
      ]);
      await coordinators[1].runDueWork();
      const { report, contributions } = await coordinators[0].resolution(operator, id, 'latest');
      expect(contributions.length).toBe(6);
      expect(report.digest).toBe(reportDigest(agreed.study, [rows(30, 60)]));
    },
  );
});

eachStore('a watcher', (_, place) => {
  it('sees each entry once and in order, from where it asked, whoever committed it', async () => {
    const at = await place();
    const store = await at.open();
    const watching = at.kind === 'postgres' ? await at.open() : store; // another process, where there can be one
    const { coordinator, id, sites } = await runningStudy(store, ['a', 'b', 'c']);
    const other = await createCoordinator({ store: watching });
    const whole = gather(other, id, 1);
    const late = gather(other, id, 6);
    await Promise.all([
      sites[0].send(rows(0, 20)),
      sites[1].send(rows(20, 40)),
      coordinator.invite(operator, id, { site: 'd' }),
    ]);
    await coordinator.close(operator, id);
    await coordinator.runDueWork();
    const { entries } = await coordinator.auditLog(operator, id);
    await eventually(async () => expect(whole.seen.length).toBe(entries.length));
    await eventually(async () => expect(late.seen.length).toBe(entries.length - 5));
    expect(whole.seen).toEqual(entries);
    expect(late.seen).toEqual(entries.slice(5));
    await whole.end();
    await late.end();
  });

  it('goes on after the connection it hears on has been cut', async ({ skip }) => {
    const at = await place();
    if (at.kind !== 'postgres') return skip();
    const store = await at.open();
    const other = await createCoordinator({ store: await at.open() });
    const { coordinator, id, sites } = await runningStudy(store, ['a', 'b']);
    const watcher = gather(other, id, 1);
    await eventually(async () => expect(watcher.seen.length).toBe(4));
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like 'listen %'`.execute(store.db);
    await sites[0].send(rows(0, 20));
    await coordinator.close(operator, id);
    await eventually(async () => expect(watcher.seen.length).toBe(6));
    await watcher.end();
  });
});

eachStore('a store whose connections are cut', (_, place) => {
  it('loses nothing that was acknowledged and goes on by itself', async ({ skip }) => {
    const at = await place();
    if (at.kind !== 'postgres') return skip();
    const store = await at.open();
    const other = await at.open();
    const names = Array.from({ length: 30 }, (_, k) => `s${k}`);
    const { coordinator, id, agreed, sites } = await runningStudy(store, names);
    const cuts = async () => {
      for (let cut = 0; cut < 15; cut++) {
        await sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`.execute(other.db);
        await new Promise((resolve) => setTimeout(resolve, 20 * Math.random()));
      }
    };
    await Promise.all([
      cuts(),
      ...sites.map((site, k) => eventually(async () => void (await site.send([2 * k, 2 * k + 1])))),
    ]);
    await eventually(() => coordinator.runDueWork());
    const { report } = await coordinator.resolution(operator, id, 'latest');
    expect(report.digest).toBe(reportDigest(agreed.study, [rows(0, 60)]));
  });
});
