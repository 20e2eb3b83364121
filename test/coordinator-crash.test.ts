import { expect, it } from 'vitest';
import { agreement } from '../src/federate.ts';
import { createStudy, studyClient } from '../src/protocol/client.ts';
import { busySite, keepBusy, linkOf } from './busy-site.ts';
import { chance, chanceOfTest } from './chance.ts';
import {
  type CoordinatorProcess,
  coordinatorHome,
  stablePort,
  startCoordinator,
} from './coordinator-process.ts';
import { anyStudy } from './coordinator-study.ts';
import { expectPromisesKept } from './kept-promises.ts';
import { eachStore } from './stores.ts';

const SITES = 60;
/** While sites send, and while the study closes and resolves. */
const ROUNDS = { sending: 42, resolving: 8 };
/** A life ends some milliseconds after so many requests were begun, or after this long. */
const LIFE = { requests: 24, milliseconds: 30, longest: 1_500 };
const PAUSE_MS = 300;

eachStore('a coordinator that is killed fifty times', (_, place) => {
  it('keeps every contribution it acknowledged, whole, and no other', async () => {
    const luck = chanceOfTest();
    const home = coordinatorHome(await place());
    const port = await stablePort();
    let coordinator: CoordinatorProcess = startCoordinator(home, port);
    await coordinator.ready;
    const { address } = coordinator;
    const study = anyStudy();
    const agreed = agreement(study);
    const names = Array.from({ length: SITES }, (_, k) => `site ${k + 1}`);
    const created = await createStudy(address, home.operatorToken, {
      study,
      sites: ['keeper', ...names],
    });

    let begun = 0;
    let inFlight = 0;
    const counted: typeof fetch = async (...request) => {
      begun++;
      inFlight++;
      try {
        return await fetch(...request);
      } finally {
        inFlight--;
      }
    };
    const options = { retryFor: 3_000, fetch: counted };
    const siteOf = (name: string) =>
      busySite(name, agreed, linkOf(created, address, name), chance(luck.below(2 ** 30)), options);
    const sites = names.map(siteOf);
    const keeper = siteOf('keeper'); // the study waits for it

    let struck = 0;
    const killAgainAndAgain = async (rounds: number) => {
      for (let round = 0; round < rounds; round++) {
        if (luck.below(10) > 0) await coordinator.ready; // else it dies on its way up
        const enough = begun + luck.below(LIFE.requests);
        for (const end = Date.now() + LIFE.longest; begun < enough && Date.now() < end; ) {
          await luck.pause(LIFE.milliseconds);
        }
        await luck.pause(LIFE.milliseconds);
        if (inFlight > 0) struck++;
        await coordinator.kill();
        coordinator = startCoordinator(home, port);
      }
      await coordinator.ready;
    };
    let over = false;
    const busy = Promise.all(
      sites.map((site) => keepBusy(site, chance(luck.below(2 ** 30)), PAUSE_MS, () => over)),
    );
    const t0 = Date.now();
    await killAgainAndAgain(ROUNDS.sending);
    over = true;
    const t1 = Date.now();
    await busy;
    const t2 = Date.now();
    const last = keeper.shakeHands().then(() => keeper.send('add'));
    await killAgainAndAgain(ROUNDS.resolving);
    await last;
    const t3 = Date.now();

    expect(struck).toBeGreaterThan(ROUNDS.sending / 4);
    const admin = studyClient(linkOf(created, address), options);
    await expectPromisesKept(agreed, admin, [keeper, ...sites], await home.open());
    console.log(
      t1 - t0,
      t2 - t1,
      t3 - t2,
      Date.now() - t3,
      struck,
      sites.reduce((s, { acknowledged, erasures }) => s + acknowledged.length + erasures.length, 0),
    );
  }, 180_000);
});
