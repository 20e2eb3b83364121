import { describe, expect, it } from 'vitest';
import type { Store } from '../src/coordinator/store.ts';
import { agreement as anyAgreement } from '../src/federate.ts';
import { parseStudy } from '../src/fusion/study-schema.ts';
import { studyTermsText } from '../src/site/study-text.ts';
import { statisticFromBytes } from '../src/statistic/statistic.ts';
import { type Study, studyDigest, type TableStudy } from '../src/study/study.ts';
import {
  anyStudy,
  operator,
  type RunningStudy,
  rows,
  runningStudy,
  testSite,
} from './coordinator-study.ts';
import { oneStore } from './stores.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

function withMinimum(minimumSites: number, quorum?: Study['quorum']): TableStudy {
  return { ...anyStudy(quorum), aggregation: { kind: 'plain', minimumSites } };
}

/** Sites that have all sent ten rows of their own, in a study that has resolved. */
async function resolved(store: Store, study: Study, sites = names.slice(0, 6)) {
  const running = await runningStudy(store, sites, { study });
  for (const [k, site] of running.sites.entries()) await site.send(rows(8 * k, 8 * k + 10));
  await running.coordinator.runDueWork();
  return running;
}

async function stateOf({ coordinator, id }: RunningStudy) {
  const { state, problem, resolution } = await coordinator.view(operator, id);
  return { state, problem, number: resolution?.number };
}

oneStore('the quorum', (open) => {
  it('is not met by a site without rows: no difference of totals is another site’s statistic', async () => {
    const study = anyStudy({ sites: 3 });
    const running = await runningStudy(await open(), ['a', 'b', 'c'], { study });
    const { coordinator, id, agreed, sites } = running;
    for (const [k, site] of sites.entries()) await site.send(rows(12 * k, 12 * k + 12));
    await coordinator.runDueWork();
    expect(await stateOf(running)).toMatchObject({ state: 'resolved', number: 1 });
    // The analyst invites a site of their own, and takes another one out.
    await coordinator.invite(operator, id, { site: 'empty' });
    await coordinator.reopen(operator, id);
    const own = testSite(coordinator, id, agreed, 'empty');
    await own.offer();
    await own.send([]);
    await coordinator.withdraw(operator, id, { site: 'b' });
    await coordinator.close(operator, id).catch(() => {});
    await coordinator.runDueWork();
    expect(await stateOf(running)).toEqual({
      state: 'closed',
      number: 1,
      problem:
        'sites that contributed: 2, needed for the quorum: 3; not counted, with fewer than 1 rows: 1 site',
    });
    await expect(coordinator.total(operator, id, 'latest')).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('is met by sites of exactly as many rows as the rules ask for, not by one of one row less', async () => {
    const study: TableStudy = {
      ...anyStudy({ sites: 2 }),
      disclosure: { thresholds: { rows: 12 } },
    };
    const running = await runningStudy(await open(), ['a', 'b'], { study });
    await running.sites[0].send(rows(20, 50));
    await running.sites[1].send(rows(0, 11));
    await running.coordinator.runDueWork();
    expect(await stateOf(running)).toMatchObject({
      state: 'closed',
      problem: expect.stringContaining('with fewer than 12 rows: 1 site'),
    });
    await running.sites[1].send(rows(0, 12), { sequence: 2, mode: 'replace' });
    await running.coordinator.resolve(operator, running.id, { includeLate: true });
    expect(await stateOf(running)).toMatchObject({ state: 'resolved', number: 1 });
  });
});

oneStore('a study with minimumSites', (open) => {
  it('gives out neither total nor anything about one site; without it, both are given out', async () => {
    for (const [study, given] of [
      [withMinimum(3), false],
      [anyStudy(), true],
    ] as const) {
      const { coordinator, id, agreed } = await resolved(await open(), study);
      const { sites } = await coordinator.view(operator, id);
      expect(sites.filter(({ traffic }) => traffic !== undefined)).toHaveLength(given ? 6 : 0);
      const total = coordinator.total(operator, id, 'latest');
      const about = (question: 'heterogeneity' | 'influence') =>
        coordinator.analyse(operator, id, { questions: [{ about: question }] });
      if (given) {
        expect(statisticFromBytes(agreed.layout, await total)).toBeDefined();
      } else {
        await expect(total).rejects.toMatchObject({
          code: 'conflict',
          message: 'the study gives out nothing about fewer than 3 sites, and no total',
        });
      }
      for (const question of ['heterogeneity', 'influence'] as const) {
        const { answers } = await about(question);
        const text = JSON.stringify(answers);
        expect(text.includes('hides its sites')).toBe(!given);
      }
    }
  });

  it('holds what would tell about a smaller group, and resolves once enough has changed', async () => {
    const running = await resolved(await open(), withMinimum(3));
    const { coordinator, id, sites } = running;
    expect(await stateOf(running)).toMatchObject({ state: 'resolved', number: 1 });
    await sites[0].withdraw(2);
    await coordinator.runDueWork();
    expect(await stateOf(running)).toEqual({
      state: 'closed',
      number: 1,
      problem:
        'held: with earlier resolutions, this one would tell about a group of 1 site; minimumSites is 3',
    });
    await expect(coordinator.resolve(operator, id, { includeLate: false })).rejects.toMatchObject({
      code: 'conflict',
    });
    await sites[1].withdraw(2);
    await coordinator.runDueWork();
    expect(await stateOf(running)).toMatchObject({ state: 'closed', number: 1 });
    await sites[2].withdraw(2);
    await coordinator.runDueWork();
    expect(await stateOf(running)).toMatchObject({ state: 'resolved', number: 2 });
    const { contributions } = await coordinator.resolution(operator, id, 2);
    expect(contributions.map(({ site }) => site)).toEqual(['d', 'e', 'f']);
  });

  it('holds a set that differs enough from each earlier one, but not from all together', async () => {
    // 1: a…g; 2: a…f and h, i, j; 3: a, b, c and h, i, j.
    const running = await resolved(await open(), withMinimum(3), names);
    const { coordinator, id, agreed, sites } = running;
    const more = ['h', 'i', 'j'].map((name) => testSite(coordinator, id, agreed, name));
    for (const { name } of more) await coordinator.invite(operator, id, { site: name });
    await coordinator.reopen(operator, id);
    for (const [k, site] of more.entries()) await site.send(rows(9 * k, 9 * k + 12));
    await sites[6].withdraw(2);
    await coordinator.close(operator, id).catch(() => {});
    await coordinator.runDueWork();
    // Four sites differ, but g is the only one that left.
    expect(await stateOf(running)).toMatchObject({
      number: 1,
      problem: expect.stringContaining('a group of 1 site;'),
    });
    await sites[5].withdraw(2);
    await sites[4].withdraw(2);
    await coordinator.runDueWork();
    expect(await stateOf(running)).toMatchObject({ state: 'resolved', number: 2 });
  });

  it('takes nothing more from a site that is published: what changed would be its own', async () => {
    const store = await open();
    const running = await resolved(store, withMinimum(3));
    const { coordinator, id, sites } = running;
    await coordinator.reopen(operator, id);
    const held = () => store.db.selectFrom('contributions').select('digest').execute();
    const before = await held();
    for (const mode of ['add', 'replace'] as const) {
      await expect(sites[0].send(rows(30, 50), { sequence: 2, mode })).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('it may leave, not change'),
      });
    }
    expect(await held()).toEqual(before);
    expect((await sites[0].send(rows(0, 10))).sequence).toBe(1); // the same file has its receipt
    await sites[0].withdraw(2);
    await coordinator.invite(operator, id, { site: 'a' });
    await expect(sites[0].send(rows(0, 10), { sequence: 3, mode: 'add' })).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('waits for that many sites, whatever the quorum says', async () => {
    const running = await runningStudy(await open(), ['a', 'b'], { study: withMinimum(3) });
    expect((await running.coordinator.view(operator, running.id)).quorum).toBe(3);
    for (const site of running.sites) await site.send(rows(0, 20));
    await running.coordinator.runDueWork();
    expect(await stateOf(running)).toMatchObject({
      state: 'closed',
      problem: 'sites that contributed: 2, needed for the quorum: 3',
    });
  });
});

describe('what the analyst can learn of one site', () => {
  it('stands in the text that a site reads before it sends', () => {
    const plain = studyTermsText(anyAgreement(anyStudy()));
    expect(plain).toContain('your exact statistic: from two totals, one with and one without your');
    const grouped = studyTermsText(anyAgreement(withMinimum(5)));
    expect(grouped).toContain('The analyst gets no total and nothing about your site by itself');
    expect(grouped).toContain('two models differ by 5 sites or more');
    expect(grouped).not.toContain('can work out');
  });

  it('a study says it by an optional key, which changes no other digest', () => {
    const study = anyStudy();
    expect(studyDigest(parseStudy(JSON.parse(JSON.stringify(study))))).toBe(studyDigest(study));
    const grouped = parseStudy(withMinimum(5));
    expect(grouped.aggregation).toEqual({ kind: 'plain', minimumSites: 5 });
    for (const minimumSites of [1, 0, 2.5, '5']) {
      const wrong = { ...study, aggregation: { kind: 'plain', minimumSites } };
      expect(() => parseStudy(wrong)).toThrow('minimumSites');
    }
  });

  it('a method that needs each site’s statistic is refused with it', () => {
    const study = withMinimum(3);
    for (const fusion of [
      { kind: 'ridge', ridge: 0, siteEffects: 'fixed' },
      { kind: 'ridge', ridge: 'leave-one-site-out' },
      { kind: 'average' },
    ] as const) {
      expect(() => anyAgreement({ ...study, fusion })).toThrow('minimumSites allows nothing');
      expect(anyAgreement({ ...anyStudy(), fusion }).method.needsSites).toBe(true);
    }
  });
});
