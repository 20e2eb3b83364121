import { expect, it } from 'vitest';
import { postStudy } from '../src/protocol/client.ts';
import { busySite, keepAllBusy, linkOf } from './busy-site.ts';
import { chance, chanceOfTest } from './chance.ts';
import {
  type CoordinatorProcess,
  coordinatorHome,
  stablePort,
  startCoordinator,
} from './coordinator-process.ts';
import { anyStudy } from './coordinator-study.ts';
import { enduring } from './endurance.ts';
import { expectPromisesKept } from './kept-promises.ts';
import { agreement } from './linear.ts';
import { eachStore } from './stores.ts';

const SITES = enduring ? 60 : 12;
/** Lives while sites send, and while the study closes and resolves. The seed is new in each run; `npm run endure` adds lives. */
const ROUNDS = enduring ? { sending: 42, resolving: 8 } : { sending: 2, resolving: 1 };
/** A life ends after so many answers and some milliseconds more; or when the phase's time is over. */
const LIFE = { answers: 12, milliseconds: 20, sending: 1_000, resolving: 400 };
const PAUSE_MS = 300;

/** Endure has both stores. In the check `several-coordinators` kills those on PostgreSQL. */
const stores = enduring ? undefined : (['sqlite'] as const);

eachStore(
  'a coordinator that is killed again and again',
  (_, place) => {
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
      const created = await postStudy(address, home.operatorToken, {
        study,
        sites: ['keeper', ...names],
      });

      let answers = 0;
      let inFlight = 0;
      const counted: typeof fetch = async (...request) => {
        inFlight++;
        try {
          const response = await fetch(...request);
          answers++;
          return response;
        } finally {
          inFlight--;
        }
      };
      const options = { retryFor: 3_000, fetch: counted };
      const siteOf = (name: string) =>
        busySite(
          name,
          agreed,
          linkOf(created, address, name),
          chance(luck.below(2 ** 30)),
          options,
        );
      const sites = names.map(siteOf);
      const keeper = siteOf('keeper'); // the study waits for it

      let struck = 0;
      let over = false;
      const killWhile = async (phase: keyof typeof ROUNDS) => {
        for (let round = 0; round < ROUNDS[phase]; round++) {
          if (luck.below(10) > 0) await coordinator.ready; // else it dies on its way up
          const enough = answers + luck.below(LIFE.answers);
          for (const end = Date.now() + LIFE[phase]; answers < enough && Date.now() < end; ) {
            await luck.pause(LIFE.milliseconds);
          }
          await luck.pause(LIFE.milliseconds);
          // Every second life ends while a request is under way; the others end at any moment.
          while (round % 2 === 0 && inFlight === 0 && !over) await luck.pause(2);
          if (inFlight > 0) struck++;
          await coordinator.kill();
          coordinator = startCoordinator(home, port);
        }
        await coordinator.ready;
      };
      const busy = keepAllBusy(sites, luck, PAUSE_MS, () => over);
      await killWhile('sending');
      over = true;
      await busy;
      const last = keeper.shakeHands().then(() => keeper.send('add'));
      await killWhile('resolving');
      await last;

      const acknowledged = [keeper, ...sites].flatMap((site) => site.acknowledged).length;
      console.info(
        `${ROUNDS.sending + ROUNDS.resolving} kills, ${struck} with requests in flight; ${acknowledged} contributions acknowledged`,
      );
      expect(struck).toBeGreaterThan(ROUNDS.sending / 4);
      await expectPromisesKept(agreed, created, address, [keeper, ...sites], await home.open());
    });
  },
  stores,
);
