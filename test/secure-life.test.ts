import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { totalDigest } from '../src/federate.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import { wordsOf } from '../src/statistic/layout.ts';
import { sumStatistics } from '../src/statistic/statistic.ts';
import { temporaryFolder } from './cli.ts';
import { operator, rows, table, testSite } from './coordinator-study.ts';
import { agreement, contribution } from './linear.ts';
import { logisticStudy, yesNo } from './round-study.ts';
import { type SecureParties, secureParties } from './secure-parties.ts';
import { summaryOf } from './tables.ts';

const folder = temporaryFolder();
let stores = 0;
const newStore = () => openSqliteStore(join(folder, `${++stores}.db`));
const newParties = async (
  names: readonly string[],
  options?: Parameters<typeof secureParties>[2],
): Promise<SecureParties> =>
  secureParties({ coordinator: await newStore(), helper: await newStore() }, names, options);

const abc = ['a', 'b', 'c'];
const abcd = [...abc, 'd'];

/** The digest of the sum over these rows, in parts as they were sent. */
const digestOf = ({ agreed }: SecureParties, parts: readonly (readonly number[])[]): string => {
  const sums = parts.map((part) => summaryOf(agreed, table, part).statistic);
  return totalDigest(agreed, sumStatistics(agreed.layout, sums));
};

const latest = ({ coordinator, id }: SecureParties) =>
  coordinator.resolution(operator, id, 'latest');

/** Closes the study, if it has not closed by itself, and resolves it. */
async function concluded({ coordinator, id }: SecureParties) {
  if ((await coordinator.view(operator, id)).state !== 'closed') {
    await coordinator.close(operator, id);
  }
  await coordinator.runDueWork();
  return coordinator.view(operator, id);
}

describe('contributions to a secure study over time', () => {
  it('a site adds, another replaces, a third one leaves and comes back', async () => {
    const parties = await newParties(abcd);
    const { a, b, c } = parties.sites;
    await a.send(rows(0, 8));
    await a.send(rows(8, 12), { sequence: 2, mode: 'add' });
    await b.send(rows(12, 14));
    await b.send(rows(12, 20), { sequence: 2, mode: 'replace' });
    await c.send(rows(20, 30));
    await c.withdraw(2);
    await c.send(rows(20, 28), { sequence: 3, mode: 'add' });
    expect((await concluded(parties)).state).toBe('resolved');
    const sent = [rows(0, 8), rows(8, 12), rows(12, 20), rows(20, 28)];
    expect((await latest(parties)).report.digest).toBe(digestOf(parties, sent));
    expect(parties.requests).toHaveLength(1);
    expect(
      parties.requests[0].contributions.map(({ site, sequence }) => `${site}${sequence}`),
    ).toEqual(expect.arrayContaining(['a1', 'a2', 'b2', 'c3']));
  });

  it('a late site is in the first resolution on request, and never alone in a second one', async () => {
    const parties = await newParties([...abcd, 'e']);
    const { coordinator, id } = parties;
    await parties.send(...abc);
    await coordinator.close(operator, id);
    await parties.send('d');
    const first = await coordinator.resolve(operator, id, { includeLate: true });
    expect(first.report.digest).toBe(parties.plainDigest(...abcd));
    await parties.send('e');
    await expect(coordinator.resolve(operator, id, { includeLate: true })).rejects.toThrow(
      /^held: .* group of 1 site/,
    );
    expect(await parties.recorded()).toEqual({ sets: 1, seeds: 4 });
  });

  it('a study that is reopened waits for a group of new sites', async () => {
    const parties = await newParties([...abcd, 'e', 'f']);
    const { coordinator, id } = parties;
    await parties.send(...abc);
    await concluded(parties);
    await coordinator.reopen(operator, id);
    await parties.send('d');
    expect((await concluded(parties)).problem).toMatch(/^held: .* group of 1 site/);
    expect(parties.requests).toHaveLength(1);
    await coordinator.reopen(operator, id);
    await parties.send('e', 'f');
    expect((await concluded(parties)).resolution?.number).toBe(2);
    expect((await latest(parties)).report.digest).toBe(parties.plainDigest(...abcd, 'e', 'f'));
    expect(await parties.recorded()).toEqual({ sets: 2, seeds: 6 });
  });

  it('a site that leaves after the resolution leaves nobody alone', async () => {
    const parties = await newParties(abcd);
    const { coordinator, sites } = parties;
    await parties.send(...abcd);
    await coordinator.runDueWork();
    await sites.d.withdraw(2);
    await expect(parties.resolve()).rejects.toThrow(/^held: .* group of 1 site/);
    expect(await parties.recorded()).toEqual({ sets: 1, seeds: 4 });
    await expect(sites.d.send(rows(0, 4), { sequence: 3, mode: 'add' })).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('a revoked site does not hold the others up', async () => {
    const parties = await newParties(abcd);
    const { coordinator, id } = parties;
    await parties.send(...abc);
    await coordinator.revoke(operator, id, 'd');
    await coordinator.runDueWork();
    expect((await latest(parties)).report.digest).toBe(parties.plainDigest(...abc));
    await expect(coordinator.invite(operator, id, { site: 'mallory' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/roster/),
    });
    await expect(
      coordinator.invite(operator, id, { site: 'd', forgetKey: true }),
    ).rejects.toMatchObject({ code: 'conflict' });
  });

  it('questions ask the helper again for the same set; the log has one statement, and no total is given out', async () => {
    const parties = await newParties(abc);
    const { coordinator, id } = parties;
    await parties.send(...abc);
    await coordinator.runDueWork();
    const { report } = await latest(parties);
    const analysis = await coordinator.analyse(operator, id, { questions: [] });
    expect(analysis.report.digest).toBe(report.digest);
    expect(parties.requests).toHaveLength(2);
    expect(await parties.recorded()).toEqual({ sets: 1, seeds: 3 });
    const events = (await parties.events()).map(({ event }) => event);
    expect(events.filter((event) => event === 'helper-answered')).toHaveLength(1);
    await expect(coordinator.total(operator, id, 'latest')).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('a further round is opened by the same helper, for the same roster', async () => {
    const base = logisticStudy();
    const parties = await newParties(abc, { base, from: yesNo });
    const { coordinator, id } = parties;
    const parts = abc.map((_, k) => rows(30 * k, 30 * k + 30));
    for (const [k, name] of abc.entries()) await parties.sites[name].send(parts[k]);
    await coordinator.runDueWork();
    const { next } = await coordinator.openRound(operator, id);
    const { study } = await coordinator.view(operator, next!.id);
    const agreed = agreement(study);
    expect(study.aggregation).toEqual(parties.study.aggregation);
    for (const [k, name] of abc.entries()) {
      const { key } = parties.sites[name];
      const site = testSite(coordinator, next!.id, agreed, name, key, yesNo);
      await site.offer();
      await site.send(parts[k]);
    }
    await coordinator.runDueWork();
    const { report } = await coordinator.resolution(operator, next!.id, 'latest');
    const sums = parts.map((part) =>
      agreed.method.release(summaryOf(agreed, yesNo, part).statistic, ''),
    );
    expect(report.digest).toBe(totalDigest(agreed, sumStatistics(agreed.layout, sums)));
    expect(await parties.recorded()).toEqual({ sets: 2, seeds: 6 });
  });
});

describe('an answer that is lost', () => {
  /** The helper answers, and the coordinator never hears it. */
  async function lost() {
    const parties = await newParties(abcd);
    await parties.send(...abcd);
    parties.intercept(async (_, pass) => {
      await pass();
      throw new TypeError('fetch failed');
    });
    await parties.coordinator.runDueWork();
    parties.intercept(undefined);
    return parties;
  }

  it('is given again for the same set', async () => {
    const parties = await lost();
    const { coordinator, id } = parties;
    expect(await coordinator.view(operator, id)).toMatchObject({
      state: 'closed',
      problem: expect.stringMatching(/cannot reach the helper/),
    });
    expect((await parties.resolve()).report.digest).toBe(parties.plainDigest(...abcd));
    expect(await parties.recorded()).toEqual({ sets: 1, seeds: 4 });
  });

  it('is refused for another set: a site has left meanwhile, and the study says what would help', async () => {
    const parties = await lost();
    await parties.sites.d.withdraw(2);
    await expect(parties.resolve()).rejects.toThrow(
      /^answered: with the earlier answer this one would tell about a group of 1 site/,
    );
    expect(await parties.recorded()).toEqual({ sets: 1, seeds: 4 });
  });
});

describe('at a site', () => {
  it('sums that could overflow with those of the others are refused, and so are further ones that add to them', async () => {
    const { agreed } = await newParties(abc);
    const { layout } = agreed;
    const summary = summaryOf(agreed, table, rows(0, 8));
    const words = wordsOf(layout);
    const values = summary.statistic.values.slice();
    const taking = (share: number) => {
      const large = values.slice();
      large[words - 1] = Math.floor(share * 2 ** 31) - 1;
      return { ...summary, statistic: { layout, values: large } };
    };
    const made = (share: number, sequence: number, mode: 'add' | 'replace') => () =>
      contribution(agreed, 'a', taking(share), { sequence, mode });
    const tooLarge = /too large for a sum over this many sites/;
    expect(made(0.17, 1, 'add')).toThrow(tooLarge);
    expect(made(0.16, 2, 'add')).toThrow(tooLarge);
    // Within its share; such a number of rows is impossible, and that is what refuses it now.
    expect(made(0.16, 1, 'add')).not.toThrow(tooLarge);
    expect(made(0.04, 2, 'add')).not.toThrow(tooLarge);
    expect(made(0.16, 9, 'replace')).not.toThrow(tooLarge);
  });
});
