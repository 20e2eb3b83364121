import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { expect, it } from 'vitest';
import { concludeHere } from '../src/coordinator/conclude-here.ts';
import type { ConclusionWork } from '../src/coordinator/coordinator-context.ts';
import { createCoordinator } from '../src/coordinator/create-coordinator.ts';
import type { Store } from '../src/coordinator/store.ts';
import { digestJson } from '../src/study/digest.ts';
import type { Study, TableStudy } from '../src/study/study.ts';
import { anyStudy, createClock, operator, rows, runningStudy } from './coordinator-study.ts';
import { oneStore } from './stores.ts';

const privateStudy = (): TableStudy => ({
  ...anyStudy(),
  privacy: { epsilon: 2, delta: 1e-6, unit: 'row', releases: 3 },
});

const settings = async ({ db }: Store): Promise<Record<string, string>> => {
  const found = await db.selectFrom('settings').selectAll().execute();
  return Object.fromEntries(found.map(({ name, value }) => [name, value]));
};

/** The key of the noise with which a coordinator that starts now resolves the study, and what it should be. */
async function noiseNow(store: Store, id: string, now: () => Date) {
  const works: ConclusionWork[] = [];
  const coordinator = await createCoordinator({
    store,
    now,
    conclude: (work) => {
      works.push(work);
      return concludeHere(work);
    },
  });
  const { contributions, studyDigest } = await coordinator.resolve(operator, id, {
    includeLate: true,
  });
  const purpose = utf8ToBytes(`suffice/noise@1 ${studyDigest} ${digestJson(contributions)}`);
  const keyFrom = (secret: string) => bytesToHex(hmac(sha256, utf8ToBytes(secret), purpose));
  const { signing_secret: signing, noise_secret: noise } = await settings(store);
  return {
    used: works.at(-1)?.noise,
    fromSigning: keyFrom(signing),
    fromNoise: keyFrom(JSON.parse(noise).secret),
  };
}

oneStore('the key of central noise', (open) => {
  it('is made of a secret of its own, which stays', async () => {
    const store = await open();
    const clock = createClock();
    const { id, sites } = await runningStudy(store, ['north', 'south'], {
      study: privateStudy(),
      clock,
    });
    const before = await settings(store);
    await sites[0].send(rows(0, 30));
    await sites[1].send(rows(30, 60));
    clock.pass(1000);
    const { used, fromSigning, fromNoise } = await noiseNow(store, id, clock.now);
    expect(used).toBe(fromNoise);
    expect(used).not.toBe(fromSigning);
    expect(await settings(store)).toEqual(before);
  });

  it('is the signing secret for studies that are older than it: their noise stays the same', async () => {
    const store = await open();
    const clock = createClock();
    const { id, sites, coordinator } = await runningStudy(store, ['north', 'south', 'late'], {
      study: { ...privateStudy(), quorum: 2 } as Study,
      clock,
    });
    // As an earlier version of the program left it.
    await store.write('', (db) =>
      db.deleteFrom('settings').where('name', '=', 'noise_secret').execute(),
    );
    await sites[0].send(rows(0, 25));
    await sites[1].send(rows(25, 50));
    await coordinator.close(operator, id);
    clock.pass(1);
    const first = await noiseNow(store, id, clock.now);
    expect(first.used).toBe(first.fromSigning);
    // Also after a further restart.
    await sites[2].send(rows(50, 60));
    clock.pass(1000);
    const second = await noiseNow(store, id, clock.now);
    expect(second.used).toBe(second.fromSigning);
    expect(second.used).not.toBe(first.used);
    // A study that is made now has the new key.
    const { id: newer } = await coordinator.create(operator, {
      study: privateStudy(),
      sites: ['north'],
    });
    const made = await store.db
      .selectFrom('studies')
      .select('created_at')
      .where('id', '=', newer)
      .executeTakeFirstOrThrow();
    expect(made.created_at >= JSON.parse((await settings(store)).noise_secret).since).toBe(true);
  });
});
