import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sharedSigningKey } from '../src/coordinator/shared-secrets.ts';
import type { Store } from '../src/coordinator/store.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import { verifyAuditLog } from '../src/protocol/audit-chain.ts';
import type { MaskSumAnswer } from '../src/protocol/helper-messages.ts';
import type { OpeningLine, SiteOpening } from '../src/protocol/opening-messages.ts';
import { createSigningKey, sealDocument } from '../src/protocol/signature.ts';
import type { Contribution } from '../src/statistic/envelope.ts';
import { wordsOf } from '../src/statistic/layout.ts';
import { ringEntry, setRingEntry } from '../src/statistic/ring.ts';
import { fromBase64, toBase64 } from '../src/text/base64.ts';
import { chance } from './chance.ts';
import { temporaryFolder } from './cli.ts';
import { anyStudy, operator } from './coordinator-study.ts';
import { cases } from './endurance.ts';
import { filesOf, type SecureParties, secureParties } from './secure-parties.ts';

const folder = temporaryFolder();
let stores = 0;
const newStore = () => openSqliteStore(join(folder, `${++stores}.db`));
const names = ['a', 'b', 'c', 'd', 'e'];
const abc = ['a', 'b', 'c'];

/** Adds half a row to a contribution: its own check is left out. */
const spoiled = (made: Contribution): Contribution => {
  const { layout } = made.statistic;
  const values = made.statistic.values.slice();
  const words = wordsOf(layout);
  setRingEntry(values, words, 0, ringEntry(values, words, 0) + 1n);
  return { ...made, statistic: { ...made.statistic, values } };
};

interface Refused extends SecureParties {
  /** The word of a site, after a change to it. */
  word(
    site: string,
    change?: Partial<SiteOpening>,
  ): Promise<ReturnType<typeof sealDocument<SiteOpening>>>;
  /** The site agrees, and the coordinator does what is due. */
  agree(site: string): Promise<void>;
  lines(): Promise<Record<string, OpeningLine['state']>>;
}

/** A study whose total is impossible: these sites have sent garbage inside their shares. */
async function refused(
  liars: readonly string[],
  terms: Parameters<typeof secureParties>[2] = {},
  sites: readonly string[] = names,
  helperStore?: Store,
  coordinatorStore?: Store,
): Promise<Refused> {
  const parties = await secureParties(
    {
      coordinator: coordinatorStore ?? (await newStore()),
      helper: helperStore ?? (await newStore()),
    },
    sites,
    terms,
  );
  const { coordinator, id } = parties;
  for (const name of sites) {
    if (!liars.includes(name)) await parties.send(name);
    else {
      const { caller, forged } = parties.sites[name];
      await coordinator.contribute(caller, id, forged(spoiled));
    }
  }
  await coordinator.runDueWork();
  return asked(parties);
}

/** What its sites can do. */
function asked(parties: SecureParties): Refused {
  const { coordinator, id, agreed } = parties;
  const word: Refused['word'] = async (site, change = {}) => {
    const { caller, key } = parties.sites[site];
    const { opening } = await coordinator.view(caller, id);
    const own = opening?.sites.find((one) => one.site === site)?.contributions ?? [];
    const schema = 'suffice/opening@1' as const;
    return sealDocument({ schema, study: agreed.digest, site, contributions: own, ...change }, key);
  };
  return {
    ...parties,
    word,
    async agree(site) {
      const { caller } = parties.sites[site];
      await coordinator.agreeToOpen(caller, id, { opening: await word(site) });
      await coordinator.runDueWork();
    },
    async lines() {
      const { opening } = await coordinator.view(operator, id);
      return Object.fromEntries((opening?.sites ?? []).map(({ site, state }) => [site, state]));
    },
  };
}

it('names the site that sent garbage, clears those that agreed, and resolves the rest', async () => {
  const study = await refused(['d']);
  const { coordinator, id, agree, lines } = study;
  expect((await coordinator.view(operator, id)).problem).toMatch(/not the sum of any rows/);
  expect(await lines()).toEqual(Object.fromEntries(names.map((name) => [name, 'silent'])));
  await coordinator.askOpening(operator, id);
  await agree('a');
  expect(await lines()).toMatchObject({ a: 'cleared', b: 'silent', d: 'silent' });
  expect((await coordinator.view(operator, id)).problem).toMatch(/not the sum of any rows/);
  await agree('d');
  const view = await coordinator.view(operator, id);
  expect(view.state).toBe('resolved');
  expect(view.opening?.sites.find(({ site }) => site === 'd')).toEqual({
    site: 'd',
    state: 'wrong',
    why: 'the number of rows is not a whole number',
  });
  expect(view.sites.find(({ name }) => name === 'd')?.state).toBe('revoked');
  // Bit for bit the plain total of the others.
  const { report, contributions, missing } = await coordinator.resolution(operator, id, 'latest');
  expect(report.digest).toBe(study.plainDigest('a', 'b', 'c', 'e'));
  expect(contributions.map(({ site }) => site)).toEqual(['a', 'b', 'c', 'e']);
  expect(missing).toEqual([]);
  const events = (await study.events()).filter(({ event }) => event === 'site-opened');
  expect(events.map(({ detail }) => [detail.site, detail.finding])).toEqual([
    ['a', 'cleared'],
    ['d', 'wrong'],
  ]);
  // b, c and e have given no word: the helper never told about a group of fewer than three of them.
  const { statements } = await study.helper.statements(study.agreed.digest);
  expect(statements.map(({ sites }) => sites.join())).toEqual(['a,b,c,d,e', 'a', 'd', 'a,b,c,e']);
});

it('several liars are named, whatever the order', async () => {
  const { coordinator, id, agree, lines, plainDigest } = await refused(['a', 'f'], {}, [
    ...names,
    'f',
  ]);
  await coordinator.askOpening(operator, id);
  await agree('f');
  expect(await lines()).toMatchObject({ f: 'wrong', a: 'silent' });
  await coordinator.askOpening(operator, id);
  await agree('a');
  const { report } = await coordinator.resolution(operator, id, 'latest');
  expect(report.digest).toBe(plainDigest('b', 'c', 'd', 'e'));
});

it('law: whoever lies, and in whatever order the sites agree, the rest resolve to their plain total', async () => {
  for (let k = 0; k < cases(10); k++) {
    const luck = chance(k);
    const sites = 'abcdefgh'.slice(0, 4 + luck.below(4)).split('');
    const liars = sites.slice(3).filter((_, place) => place === 0 || luck.below(2) === 0);
    const study = await refused(liars, {}, sites);
    const { coordinator, id, agree } = study;
    await coordinator.askOpening(operator, id);
    const order = sites.map((site) => [luck.below(1000), site] as const).sort();
    for (const [, site] of order) {
      if ((await coordinator.view(operator, id)).state === 'closed') await agree(site);
    }
    const { report } = await coordinator.resolution(operator, id, 'latest');
    const rest = sites.filter((site) => !liars.includes(site));
    expect(report.digest).toBe(study.plainDigest(...rest));
    const found = Object.entries(await study.lines()).filter(([, state]) => state === 'wrong');
    expect(found.map(([site]) => site)).toEqual(liars);
  }
});

it('opens nobody while the sites that have not agreed would be too few to hide in', async () => {
  const study = await refused(['a'], {}, ['a', 'b', 'c']);
  const { coordinator, id, agree, lines, helper, agreed } = study;
  await coordinator.askOpening(operator, id);
  await agree('a');
  await agree('b');
  expect(await lines()).toEqual({ a: 'agreed', b: 'agreed', c: 'silent' });
  const { statements } = await helper.statements(agreed.digest);
  expect(statements.map(({ sites }) => sites.join())).toEqual(['a,b,c']);
  // With the last word everybody is opened; two sites are too few for a total.
  await agree('c');
  expect(await lines()).toEqual({ a: 'wrong', b: 'cleared', c: 'cleared' });
  const view = await coordinator.view(operator, id);
  expect([view.state, view.problem]).toEqual([
    'closed',
    expect.stringMatching(/too few|needed|quorum/),
  ]);
});

it('opens nothing without the word of the site, for this study and these contributions', async () => {
  const study = await refused(['d']);
  const { coordinator, id, sites, word, lines, helper, agreed } = study;
  const send = async (site: string, change?: Partial<SiteOpening>) =>
    coordinator.agreeToOpen(sites[site].caller, id, { opening: await word(site, change) });
  await expect(send('a')).rejects.toThrow(/nobody has asked/);
  await coordinator.askOpening(operator, id);
  const other = `sha256:${'0'.repeat(64)}`;
  await expect(send('a', { study: other })).rejects.toThrow(/another study/);
  await expect(send('a', { site: 'b' })).rejects.toThrow(/another site/);
  await expect(send('a', { contributions: [{ sequence: 1, digest: other }] })).rejects.toThrow(
    /other contributions/,
  );
  const forged = sealDocument({ ...(await word('a')), seal: undefined }, createSigningKey());
  await expect(
    coordinator.agreeToOpen(sites.a.caller, id, { opening: forged as never }),
  ).rejects.toThrow(/another key|signature/);
  await expect(
    coordinator.agreeToOpen(sites.a.caller, id, { opening: await word('b') }),
  ).rejects.toThrow(/another site/);
  await coordinator.runDueWork();
  expect(Object.values(await lines())).toEqual(names.map(() => 'silent'));
  const { statements } = await helper.statements(agreed.digest);
  expect(statements).toHaveLength(1);
});

it('a coordinator cannot make the helper open a site by a word that the site has not given', async () => {
  const study = await refused(['d']);
  const { requests, helper, agreed, word, sites } = study;
  const asked = requests.at(-1)!;
  const only = (site: string) => asked.contributions.filter((one) => one.site === site);
  const ask = (site: string, openings: readonly unknown[]) =>
    helper.sum({ ...asked, contributions: only(site), openings: openings as never });
  const of = async (site: string, change?: Partial<SiteOpening>) => word(site, change);
  const attempts: [readonly unknown[], RegExp][] = [
    [[], /would tell about a group of 1 site/],
    [[await of('b')], /would tell about a group of 1 site/],
    [[await of('a', { study: `sha256:${'0'.repeat(64)}` })], /another study/],
    [[await of('a', { contributions: [{ sequence: 2, digest: 'x' }] })], /other contributions/],
    [[{ ...(await of('b')), site: 'a' }], /not signed by the site/],
    [[sealDocument({ ...(await of('a')), seal: undefined }, sites.b.key)], /not signed/],
    // Everybody but two: their sum would be known.
    [[await of('a'), await of('b'), await of('c')], /about a group of 2 sites/],
  ];
  for (const [openings, refusal] of attempts) {
    await expect(ask('a', openings)).rejects.toThrow(refusal);
  }
  // A site without a word beside one that has given it.
  const both = [...only('a'), ...only('b')];
  await expect(
    helper.sum({ ...asked, contributions: both, openings: [await of('a')] }),
  ).rejects.toThrow(/group of 1/);
  expect((await helper.statements(agreed.digest)).statements).toHaveLength(1);
  // One after the other they cannot do it either.
  await expect(ask('a', [await of('a')])).resolves.toMatchObject({ schema: 'suffice/sum@1' });
  await expect(ask('b', [await of('a'), await of('b')])).resolves.toBeDefined();
  await expect(ask('c', [await of('a'), await of('b'), await of('c')])).rejects.toThrow(
    /group of 2/,
  );
  await expect(ask('c', [await of('c')])).rejects.toThrow(/group of 1/);
});

it('a helper that lied about the sum is named when every site is cleared', async () => {
  const helperStore = await newStore();
  const parties = await secureParties({ coordinator: await newStore(), helper: helperStore }, abc);
  const key = await sharedSigningKey(helperStore);
  parties.intercept(async ({ contributions }, pass) => {
    if (contributions.length === 1) return pass();
    const answer = (await (await pass()).json()) as MaskSumAnswer & { seal: unknown };
    const { seal: _, ...rest } = answer;
    const bytes = fromBase64(rest.sums[0].sum);
    bytes[0] ^= 1;
    const sums = [{ contributions: contributions.length, sum: toBase64(bytes) }];
    return new Response(JSON.stringify(sealDocument({ ...rest, sums }, key)));
  });
  await parties.send(...abc);
  const { coordinator, id } = parties;
  await coordinator.runDueWork();
  const study = asked(parties);
  await coordinator.askOpening(operator, id);
  for (const site of abc) await study.agree(site);
  expect(Object.values(await study.lines())).toEqual(['cleared', 'cleared', 'cleared']);
  const view = await coordinator.view(operator, id);
  expect([view.state, view.problem]).toEqual([
    'closed',
    expect.stringMatching(/^every site was opened.*the helper’s answer for all of them is not/),
  ]);
});

it('an unreachable helper opens nobody, and is asked again', async () => {
  const study = await refused(['d']);
  const { coordinator, id, agree, lines, intercept } = study;
  await coordinator.askOpening(operator, id);
  intercept(async () => {
    throw new TypeError('fetch failed');
  });
  await agree('d');
  expect(await lines()).toMatchObject({ d: 'agreed' });
  const view = await coordinator.view(operator, id);
  expect([view.problem, view.retries]).toEqual([expect.stringMatching(/reach the helper/), true]);
  intercept(undefined);
  await study.resolve();
  expect(await lines()).toMatchObject({ d: 'wrong' });
});

it('a lost answer of the helper is asked for again, and names the same site', async () => {
  const { coordinator, id, agree, lines, intercept, helper, agreed, resolve } = await refused([
    'd',
  ]);
  await coordinator.askOpening(operator, id);
  intercept(async (_, pass) => {
    await pass();
    throw new TypeError('fetch failed');
  });
  await agree('d');
  expect(await lines()).toMatchObject({ d: 'agreed' });
  intercept(undefined);
  await resolve();
  expect(await lines()).toMatchObject({ d: 'wrong' });
  const { statements } = await helper.statements(agreed.digest);
  expect(statements.map(({ sites }) => sites.join())).toEqual(['a,b,c,d,e', 'd', 'a,b,c,e']);
});

it('on a full disk nothing is lost: no word is half stored, and what was found is found again', async () => {
  const store = await newStore();
  let full = false;
  const write: Store['write'] = (name, work) =>
    full ? Promise.reject(new Error('database or disk is full')) : store.write(name, work);
  const filling: Store = { ...store, write };
  const { coordinator, id, sites, word, lines, intercept, resolve } = await refused(
    ['d'],
    {},
    names,
    undefined,
    filling,
  );
  await coordinator.askOpening(operator, id);
  const opening = await word('d');
  full = true;
  await expect(coordinator.agreeToOpen(sites.d.caller, id, { opening })).rejects.toThrow(/full/);
  full = false;
  expect(await lines()).toMatchObject({ d: 'silent' });
  await coordinator.agreeToOpen(sites.d.caller, id, { opening });
  // The disk fills after the helper's answer.
  intercept((_, pass) => {
    const answer = pass();
    full = true;
    return answer;
  });
  await expect(coordinator.runDueWork()).rejects.toThrow(/full/);
  full = false;
  intercept(undefined);
  expect(await lines()).toMatchObject({ d: 'agreed' });
  await resolve();
  expect(await lines()).toMatchObject({ d: 'wrong' });
});

it('whatever fails on the way, the same sites are named and the rest resolve', async () => {
  for (let k = 0; k < cases(10); k++) {
    const luck = chance(100 + k);
    let faults = false;
    const fails = (one: number) => faults && luck.below(one) === 0;
    const flaky = async (): Promise<Store> => {
      const store = await newStore();
      const write: Store['write'] = async (name, work) => {
        if (fails(3)) throw new Error('killed before the commit');
        const done = await store.write(name, work);
        if (fails(6)) throw new Error('killed after the commit');
        return done;
      };
      return { ...store, write };
    };
    const sites = [...names, 'f'];
    const liars = ['b', 'e'];
    const study = await refused(liars, {}, sites, await flaky(), await flaky());
    const { coordinator, id, word, intercept } = study;
    faults = true;
    intercept(async (_, pass) => {
      if (fails(4)) throw new TypeError('fetch failed');
      const answer = await pass();
      if (fails(4)) throw new TypeError('fetch failed');
      return answer;
    });
    const insist = async (work: () => Promise<unknown>, isDone: () => Promise<boolean>) => {
      for (let tries = 0; tries < 100 && !(await isDone()); tries++) await work().catch(() => {});
    };
    const view = () => coordinator.view(operator, id);
    const isResolved = async () => (await view()).state === 'resolved';
    await insist(
      () => coordinator.askOpening(operator, id),
      async () => (await view()).opening?.askedAt !== undefined,
    );
    for (const site of sites) {
      const opening = await word(site);
      const has = async () => (await isResolved()) || (await study.lines())[site] !== 'silent';
      await insist(() => coordinator.agreeToOpen(study.sites[site].caller, id, { opening }), has);
    }
    await insist(study.resolve, isResolved);
    faults = false;
    const { report, number } = await coordinator.resolution(operator, id, 'latest');
    const rest = sites.filter((site) => !liars.includes(site));
    expect([number, report.digest]).toEqual([1, study.plainDigest(...rest)]);
    const opened = (await study.events()).filter(({ event }) => event === 'site-opened');
    const wrong = opened.filter(({ detail }) => detail.finding === 'wrong');
    expect(wrong.map(({ detail }) => detail.site)).toEqual(liars);
    expect(new Set(opened.map(({ detail }) => detail.site)).size).toBe(opened.length);
    const log = await coordinator.auditLog(operator, id);
    expect(verifyAuditLog(log, { studyDigest: study.agreed.digest })).toMatchObject({ ok: true });
  }
});

it('a site that agrees and leaves is not opened, and the rest resolve', async () => {
  const study = await refused(['d']);
  const { coordinator, id, sites, word, lines, plainDigest, helper, agreed } = study;
  await coordinator.askOpening(operator, id);
  await coordinator.agreeToOpen(sites.d.caller, id, { opening: await word('d') });
  await sites.d.withdraw(2);
  await coordinator.runDueWork();
  const { report } = await coordinator.resolution(operator, id, 'latest');
  expect(report.digest).toBe(plainDigest('a', 'b', 'c', 'e'));
  expect(await lines()).toMatchObject({ d: 'agreed' });
  const { statements } = await helper.statements(agreed.digest);
  expect(statements.map(({ sites: of }) => of.join())).toEqual(['a,b,c,d,e', 'a,b,c,e']);
});

it('a word is not one for contributions that came later', async () => {
  const study = await refused(['d']);
  const { coordinator, id, sites, word, lines, events, intercept } = study;
  await coordinator.askOpening(operator, id);
  await sites.a.send([50, 51, 52], { sequence: 2, mode: 'add' });
  intercept(async () => {
    throw new TypeError('fetch failed');
  });
  await coordinator.agreeToOpen(sites.a.caller, id, { opening: await word('a') });
  intercept(undefined);
  await expect(coordinator.resolve(operator, id, { includeLate: true })).rejects.toThrow(
    /other contributions of a/,
  );
  expect(await lines()).toMatchObject({ a: 'agreed' });
  expect((await events()).map(({ event }) => event)).not.toContain('site-opened');
});

it('a site that was named cannot send again, and another word of a site changes nothing', async () => {
  const { coordinator, id, sites, word, agree, events } = await refused(['d']);
  await coordinator.askOpening(operator, id);
  const opening = await word('d');
  await agree('d');
  await expect(sites.d.send([1, 2, 3], { sequence: 2, mode: 'add' })).rejects.toThrow(/revoked/);
  await coordinator.agreeToOpen(sites.d.caller, id, { opening });
  const agreed = (await events()).filter(({ event }) => event === 'opening-agreed');
  expect(agreed).toHaveLength(1);
});

it('only the analyst asks, and only a site agrees', async () => {
  const { coordinator, id, sites, word } = await refused(['d']);
  await expect(coordinator.askOpening(sites.a.caller, id)).rejects.toThrow();
  await coordinator.askOpening(operator, id);
  await expect(
    coordinator.agreeToOpen(operator, id, { opening: await word('a') }),
  ).rejects.toThrow();
});

it('a helper that calls an answered contribution unusable has nothing erased', async () => {
  const helperStore = await newStore();
  const study = await refused(['d'], {}, names, helperStore);
  const { coordinator, id, agree, lines, intercept, agreed } = study;
  const key = await sharedSigningKey(helperStore);
  await coordinator.askOpening(operator, id);
  intercept(async ({ contributions: [{ site, sequence }], ...asked }, pass) => {
    if (asked.openings === undefined || site !== 'a') return pass();
    const set = ((await (await pass()).json()) as MaskSumAnswer).statement.set;
    const unusable = [{ site, sequence, why: 'because' }];
    const answer = { schema: 'suffice/unusable@1', study: agreed.digest, set, unusable } as const;
    return new Response(JSON.stringify(sealDocument(answer, key)));
  });
  await agree('a');
  expect(await lines()).toMatchObject({ a: 'agreed' });
  const { sites } = await coordinator.view(operator, id);
  expect(sites.map(({ state }) => state)).toEqual(names.map(() => 'contributed'));
});

it('in a study with folds, the groups stay large too', async () => {
  const six = [...names, 'f'];
  const study = await refused(['a'], { folds: 2 }, six);
  const { coordinator, id, agree, lines, agreed } = study;
  await coordinator.askOpening(operator, id);
  await agree('a');
  // Two others of its group have not agreed.
  expect(await lines()).toMatchObject({ a: 'agreed' });
  const fold = agreed.aggregation.grouping!.groupOf;
  for (const site of six.filter((one) => one !== 'a' && fold(one) === fold('a'))) await agree(site);
  const found = await lines();
  for (const site of six) {
    expect(found[site]).toBe(
      fold(site) !== fold('a') ? 'silent' : site === 'a' ? 'wrong' : 'cleared',
    );
  }
});

it('the helper opens no contribution to a private study, whatever the site says', async () => {
  const privacy = {
    epsilon: 1,
    delta: 1e-6,
    unit: 'row',
    placement: 'aggregators',
    expectedRows: 40,
  } as const;
  const base = { ...anyStudy(), privacy } as const;
  const stores = { coordinator: await newStore(), helper: await newStore() };
  const { agreed, slip, helper, study, sites } = await secureParties(stores, abc, { base });
  const [contributed] = filesOf({ sites } as SecureParties, 'a').map(slip);
  const schema = 'suffice/opening@1' as const;
  const contributions = [{ sequence: 1, digest: `sha256:${'0'.repeat(64)}` }];
  const word = { schema, study: agreed.digest, site: 'a', contributions };
  await expect(
    helper.sum({
      schema: 'suffice/sum-request@1',
      study,
      contributions: [contributed],
      openings: [sealDocument(word, sites.a.key)],
    }),
  ).rejects.toThrow(/private study cannot be opened/);
});

it('a study whose total is possible asks nobody to open', async () => {
  const { coordinator, id } = await refused([]);
  await expect(coordinator.askOpening(operator, id)).rejects.toThrow(/nothing has to be opened/);
});
