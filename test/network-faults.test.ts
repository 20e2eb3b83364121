import { expect, it } from 'vitest';
import { postStudy, studyClient } from '../src/protocol/client.ts';
import type { AuditEntry } from '../src/protocol/messages.ts';
import { busySite, keepBusy, linkOf } from './busy-site.ts';
import { chance, chanceOfTest } from './chance.ts';
import { coordinatorHome, stablePort, startCoordinator } from './coordinator-process.ts';
import { anyStudy, operator, rows, runningStudy } from './coordinator-study.ts';
import { enduring } from './endurance.ts';
import { faultProxy, type Twins } from './fault-proxy.ts';
import { expectPromisesKept } from './kept-promises.ts';
import { agreement } from './linear.ts';
import { eachStore } from './stores.ts';

const SITES = 30;
const STEPS = 5;
const PAUSE_MS = 100;

/** Connections break before any store: the check has one, `npm run endure` both. */
const stores = enduring ? undefined : (['postgres'] as const);

eachStore(
  'cut, slow and doubled connections',
  (open, place) => {
    it.runIf(enduring)('change neither what counts nor what was promised', async () => {
      const luck = chanceOfTest();
      const home = coordinatorHome(await place());
      const { address, ready } = startCoordinator(home, await stablePort());
      await ready;
      const proxy = await faultProxy(address, luck);
      const study = anyStudy();
      const agreed = agreement(study);
      const names = Array.from({ length: SITES }, (_, k) => `site ${k + 1}`);
      const { operatorToken } = home;
      const created = await postStudy(address, operatorToken, {
        study,
        sites: ['keeper', ...names],
      });
      const siteOf = (name: string) =>
        busySite(name, agreed, linkOf(created, proxy.address, name), chance(luck.below(2 ** 30)), {
          retryFor: 3_000,
        });
      const sites = names.map(siteOf);
      const keeper = siteOf('keeper'); // the study waits for it

      const heard: AuditEntry[] = [];
      const listening = new AbortController();
      const watcher = studyClient(linkOf(created, proxy.address));
      const listener = (async () => {
        for await (const entry of watcher.events(1, listening.signal)) heard.push(entry);
      })();
      await Promise.all(
        sites.map((site) => {
          let steps = 0;
          return keepBusy(site, chance(luck.below(2 ** 30)), PAUSE_MS, () => ++steps > STEPS);
        }),
      );
      await keeper.shakeHands();
      await keeper.send('add');

      for (const [fault, count] of Object.entries(proxy.struck)) {
        expect([fault, count > 10]).toEqual([fault, true]);
      }
      await expectPromisesKept(agreed, created, address, [keeper, ...sites], await home.open());
      const doubled = proxy.twins.map(receiptsOf).filter(({ length }) => length === 2);
      expect(doubled.length).toBeGreaterThan(5);
      for (const [first, second] of doubled) expect(second).toBe(first);
      const { entries } = await studyClient(linkOf(created, address)).auditLog();
      await expect.poll(() => heard).toEqual(entries);
      listening.abort();
      await listener;
    });

    it('bring nobody back who has left, when an offer was long on its way', async () => {
      const { coordinator, id, sites } = await runningStudy(await open(), ['leaving', 'staying']);
      const [leaving, staying] = sites;
      await leaving.send(rows(0, 20));
      const erasure = await leaving.withdraw(2);
      await leaving.offer();
      expect(await leaving.withdraw(2)).toEqual(erasure);
      await staying.send(rows(20, 60));
      await coordinator.runDueWork();
      const view = await coordinator.view(operator, id);
      expect(view.state).toBe('resolved');
      expect(view.sites.map(({ state }) => state)).toEqual(['withdrawn', 'contributed']);
      await leaving.send(rows(0, 20), { sequence: 3, mode: 'add' });
    });
  },
  stores,
);

/** The receipts in what came back twice for one contribution, whole ones only. */
function receiptsOf({ first, second }: Twins): readonly string[] {
  return [first, second].flatMap((answer) => {
    const text = /\{"schema":"suffice\/receipt@1".*\}/.exec(answer)?.[0] ?? '';
    return text === '' ? [] : [text];
  });
}
