import { describe, expect, inject, it } from 'vitest';
import { type ClientOptions, postStudy, studyClient } from '../src/protocol/client.ts';
import type { AuditEntry, StudyCreated } from '../src/protocol/messages.ts';
import { type BusySite, busySite, keepAllBusy, linkOf } from './busy-site.ts';
import { type Chance, chance, chanceOfTest } from './chance.ts';
import {
  type CoordinatorHome,
  type CoordinatorProcess,
  coordinatorHome,
  stablePort,
  startCoordinator,
} from './coordinator-process.ts';
import { anyStudy } from './coordinator-study.ts';
import { chosen, enduring } from './endurance.ts';
import { expectPromisesKept } from './kept-promises.ts';
import { type Agreement, agreement } from './linear.ts';
import { startPostgres } from './postgres-server.ts';
import { freshDatabase } from './stores.ts';

const PAUSE_MS = 150;
/** Studies that are due at once, answers between two events, and deaths of PostgreSQL; `npm run endure` has more. */
const STUDIES = enduring ? 16 : 2;
const ANSWERS = enduring ? 40 : 6;
const KILLS = enduring ? 3 : 1;
const hasPostgres = (await fetch(inject('postgresDoor'))).ok;

describe.skipIf(!hasPostgres)('two coordinators on one PostgreSQL', () => {
  it('are one coordinator to sites, also while one of them is killed', async () => {
    const luck = chanceOfTest();
    const pair = await startPair(await freshDatabase());
    const { created, sites, keeper, agreed } = await studyOfMany(pair, luck, enduring ? 30 : 8);
    const [here, there] = pair.coordinators.map(({ address }) => watchAll(created, address));

    let over = false;
    const busy = keepAllBusy(sites, luck, PAUSE_MS, () => over);
    await expect.poll(() => answers(sites)).toBeGreaterThan(ANSWERS);
    await pair.coordinators[0].kill();
    const before = answers(sites);
    await expect.poll(() => answers(sites)).toBeGreaterThan(before + ANSWERS);
    const again = startCoordinator(pair.home, pair.ports[0]);
    await again.ready;
    const after = answers(sites);
    await expect.poll(() => answers(sites)).toBeGreaterThan(after + ANSWERS / 2);
    over = true;
    await busy;
    await keeper.shakeHands();
    await keeper.send('add');

    const all = [keeper, ...sites];
    await expectPromisesKept(agreed, created, again.address, all, await pair.home.open());
    const { entries } = await studyClient(linkOf(created, again.address)).auditLog();
    await expect.poll(() => here.heard).toEqual(entries);
    await expect.poll(() => there.heard).toEqual(entries);
    await here.stop();
    await there.stop();
  });

  it.runIf(enduring)(
    'show at one at once what the other has acknowledged, and resolve every study once, although both see that it is due',
    async () => {
      const luck = chanceOfTest();
      const { home, coordinators } = await startPair(await freshDatabase());
      const addresses = coordinators.map(({ address }) => address);
      const study = anyStudy();
      const names = chosen(['a', 'b', 'c', 'd', 'e', 'f'], 0, 1);
      const created = await postStudy(addresses[0], home.operatorToken, { study, sites: names });
      const watching = addresses.map((address) => watchAll(created, address));
      for (const [k, name] of names.entries()) {
        const [near, far] = k % 2 === 0 ? [0, 1] : [1, 0];
        const site = busySite(name, agreement(study), linkOf(created, addresses[near], name), luck);
        await site.shakeHands();
        await site.send('add');
        const other = studyClient(linkOf(created, addresses[far], name));
        expect(await other.receipts()).toEqual(site.acknowledged);
        expect((await other.view()).you?.nextSequence).toBe(2);
        const { position, digest } = site.acknowledged[0].audit;
        await expect
          .poll(() => watching[far].heard)
          .toContainEqual(expect.objectContaining({ position, digest }));
      }
      for (const { stop } of watching) await stop();

      const after = (seconds: number) => new Date(Date.now() + 1000 * seconds).toISOString();
      const studies = await Promise.all(
        Array.from({ length: STUDIES }, async (_, k) => {
          const due = anyStudy({ sites: 2, deadline: after(600) });
          const created = await postStudy(addresses[k % 2], home.operatorToken, {
            study: due,
            sites: ['a', 'b', 'absent'],
          });
          for (const name of ['a', 'b']) {
            const link = linkOf(created, addresses[luck.below(2)], name);
            const site = busySite(name, agreement(due), link, luck);
            await site.shakeHands();
            await site.send('add');
            await site.send('add');
          }
          return created;
        }),
      );
      // However long the sites took, all studies become due at the same time.
      const deadline = after(2);
      await Promise.all(
        studies.map((created, k) =>
          studyClient(linkOf(created, addresses[k % 2])).extend(deadline),
        ),
      );
      for (const created of studies) {
        const admin = studyClient(linkOf(created, addresses[luck.below(2)]));
        await expect.poll(async () => (await admin.view()).state).toBe('resolved');
        expect(await admin.resolutions()).toHaveLength(1);
        expect((await admin.resolution(1)).missing).toEqual(['absent']);
        const { entries } = await admin.auditLog();
        const events = entries.map(({ event }) => event);
        expect(events.filter((event) => event === 'closed')).toHaveLength(1);
        expect(events.at(-1)).toBe('resolved');
        expect(events.filter((event) => event === 'resolved')).toHaveLength(1);
      }
    },
  );

  it.runIf(enduring)(
    'lose nothing when PostgreSQL is killed, and go on by themselves',
    async () => {
      const luck = chanceOfTest();
      const postgres = await startPostgres();
      try {
        const pair = await startPair(postgres.url);
        const { created, sites, keeper, agreed } = await studyOfMany(pair, luck, enduring ? 20 : 8);
        const statuses: number[] = [];
        let over = false;
        const busy = keepAllBusy(sites, luck, PAUSE_MS, () => over);
        for (let round = 0; round < KILLS; round++) {
          const before = answers(sites);
          await expect.poll(() => answers(sites)).toBeGreaterThan(before + ANSWERS);
          await luck.pause(100);
          let isBack = false;
          const restarted = postgres.kill().finally(() => {
            isBack = true;
          });
          while (!isBack) {
            for (const { address } of pair.coordinators) {
              statuses.push((await fetch(`${address}/healthz`)).status);
            }
          }
          await restarted;
        }
        over = true;
        await busy;
        await keeper.shakeHands();
        await keeper.send('add');
        expect(statuses).toContain(503);
        expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
        const store = await pair.home.open();
        const { address } = pair.coordinators[0];
        await expectPromisesKept(agreed, created, address, [keeper, ...sites], store);
        await store.close();
        for (const { kill } of pair.coordinators) await kill();
      } finally {
        await postgres.stop();
      }
    },
  );
});

/** Two processes on one database. */
interface Pair {
  readonly home: CoordinatorHome;
  readonly ports: readonly number[];
  readonly coordinators: readonly CoordinatorProcess[];
}

async function startPair(address: string): Promise<Pair> {
  const home = coordinatorHome({ kind: 'postgres', address });
  const ports = [await stablePort(), await stablePort()];
  const coordinators = ports.map((port) => startCoordinator(home, port));
  await Promise.all(coordinators.map(({ ready }) => ready));
  return { home, ports, coordinators };
}

/** A study of many sites, each of whose requests goes to either coordinator, as a balancer sends it. */
async function studyOfMany(
  { home, ports, coordinators }: Pair,
  luck: Chance,
  count: number,
): Promise<{
  readonly created: StudyCreated;
  readonly agreed: Agreement;
  readonly sites: readonly BusySite[];
  /** The study waits for it. */
  readonly keeper: BusySite;
}> {
  const [{ address }] = coordinators;
  const study = anyStudy();
  const agreed = agreement(study);
  const names = Array.from({ length: count }, (_, k) => `site ${k + 1}`);
  const request = { study, sites: ['keeper', ...names] };
  const created = await postStudy(address, home.operatorToken, request);
  const balanced: ClientOptions['fetch'] = (url, init) => {
    const place = new URL(String(url));
    place.port = String(luck.pick(ports));
    return fetch(place, init);
  };
  const [keeper, ...sites] = request.sites.map((name) =>
    busySite(name, agreed, linkOf(created, address, name), chance(luck.below(2 ** 30)), {
      fetch: balanced,
      retryFor: 3_000,
    }),
  );
  return { created, agreed, sites, keeper };
}

/** How often sites have been told that it is done. */
function answers(sites: readonly BusySite[]): number {
  return sites.reduce(
    (sum, { acknowledged, erasures }) => sum + acknowledged.length + erasures.length,
    0,
  );
}

/** Hears the events of a study at one coordinator. */
function watchAll(
  created: StudyCreated,
  address: string,
): { readonly heard: readonly AuditEntry[]; stop(): Promise<void> } {
  const heard: AuditEntry[] = [];
  const listening = new AbortController();
  const client = studyClient(linkOf(created, address), { retryFor: 60_000 });
  const listener = (async () => {
    for await (const entry of client.events(1, listening.signal)) heard.push(entry);
  })();
  return {
    heard,
    async stop() {
      listening.abort();
      await listener;
    },
  };
}
