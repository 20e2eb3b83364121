import { expect, it } from 'vitest';
import { contribution, totalDigest } from '../src/federate.ts';
import { signContribution } from '../src/protocol/signed-contribution.ts';
import { encodeContribution, firstNumbering } from '../src/statistic/envelope.ts';
import { anyStudy, operator, rows, table } from './coordinator-study.ts';
import { enduring } from './endurance.ts';
import { MaskSite } from './mask-sites.ts';
import { maskedStudy } from './masked-coordinator.ts';
import { eachStore } from './stores.ts';
import { summaryOf } from './tables.ts';

const refusal = (code: string, problem: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(problem) });

eachStore(
  'a coordinator whose sites agree on masks',
  (open) => {
    it('opens the plain total where a site leaves after its shares', async () => {
      const study = await maskedStudy(await open());
      const { coordinator, id, agreed, sites, send, ask, deal, file, contribute, help } = study;
      const state = async () => coordinator.view(operator, id);
      for (const site of sites) await send(site, site.keys());
      for (const site of sites) await deal(site);
      const there = sites.slice(0, 4);
      for (const [k, site] of there.entries()) {
        const made = await file(site, rows(10 * k, 10 * k + 10));
        expect(await contribute(site, made)).toMatchObject({ created: true });
        expect(await contribute(site, made)).toMatchObject({ created: false });
      }
      expect((await state()).state).toBe('collecting');
      await coordinator.close(operator, id);
      expect((await ask(sites[0], 'contributions')).survivors).toBeUndefined();
      await coordinator.runDueWork();
      expect((await state()).problem).toMatch(/too few of these sites have come back: .*b/);
      await help(there);
      await coordinator.runDueWork();
      const { report } = await coordinator.resolution(operator, id, 'latest');
      expect(report.digest).toBe(
        totalDigest(agreed, summaryOf(agreed as never, table, rows(0, 40)).statistic),
      );
      const log = await coordinator.auditLog(operator, id);
      const ended = log.entries.filter(({ event }) => event === 'stage-ended');
      expect(ended.map(({ detail }) => detail)).toEqual([
        { stage: 'keys', sites: 5 },
        { stage: 'shares', sites: 5 },
        { stage: 'contributions', sites: 4 },
      ]);
      // The sites have signed this set: no other one can be opened.
      await expect(coordinator.reopen(operator, id)).rejects.toEqual(
        refusal('conflict', /sign who/),
      );
      await coordinator.withdraw(operator, id, { site: 'a' });
      await coordinator.runDueWork();
      expect((await state()).problem).toMatch(/3, needed for the quorum: 4|a left after/);
      expect((await coordinator.resolutions(operator, id)).resolutions).toHaveLength(1);
    });

    it('opens the total beside a site with a wrong share, and names the site in the log', async () => {
      const study = await maskedStudy(await open());
      const { coordinator, id, agreed, sites, send, deal, file, contribute, help } = study;
      for (const site of sites) await send(site, site.keys());
      const { sites: shown } = await coordinator.view(operator, id);
      expect(new Set(shown.map(({ state }) => state))).toEqual(new Set(['ready']));
      for (const site of sites) await deal(site);
      for (const [k, site] of sites.entries()) {
        await contribute(site, await file(site, rows(10 * k, 10 * k + 10)));
      }
      await coordinator.runDueWork();
      await help(sites, 'b');
      await coordinator.runDueWork();
      const { report } = await coordinator.resolution(operator, id, 'latest');
      const { statistic } = summaryOf(agreed as never, table, rows(0, 50));
      expect(report.digest).toBe(totalDigest(agreed, statistic));
      const { entries } = await coordinator.auditLog(operator, id);
      const wrong = entries.filter(({ event }) => event === 'wrong-shares');
      expect(wrong.map(({ detail }) => detail)).toEqual([{ sites: ['b'] }]);
    });

    it('ends a stage when the analyst closes it, if enough sites are there', async () => {
      const { coordinator, id, sites, send, ask, deal } = await maskedStudy(await open());
      for (const site of sites.slice(0, 3)) await send(site, site.keys());
      await expect(coordinator.close(operator, id)).rejects.toEqual(
        refusal('conflict', /1 of these must come back: d, e/),
      );
      await send(sites[3], sites[3].keys());
      await coordinator.close(operator, id);
      await expect(send(sites[4], sites[4].keys())).rejects.toEqual(
        refusal('conflict', /over, without this site/),
      );
      await expect(ask(sites[4], 'keys')).rejects.toEqual(refusal('conflict', /without this site/));
      for (const site of sites.slice(0, 3)) await deal(site);
      await expect(coordinator.close(operator, id)).rejects.toEqual(
        refusal('conflict', /must come back: d/),
      );
      expect(await ask(sites[0], 'shares')).toEqual({
        ...{ schema: 'suffice/mask-stage@1', stage: 'shares', arrived: 3, expected: 4 },
      });
      await deal(sites[3]);
      expect((await ask(sites[0], 'shares')).dealt).toBeDefined();
    });

    it('refuses what is out of place, and stores nothing of it', async () => {
      const study = await maskedStudy(await open());
      const { coordinator, id, sites, send, deal, stored, file, contribute } = study;
      const [a, b] = sites;
      const keys = a.keys();
      const twin = new MaskSite('a', a.key, { study: a.state.study, terms: a.terms });
      await expect(send(a, keys, b)).rejects.toEqual(refusal('not-allowed', /another site/));
      await expect(send(a, { ...keys, box: keys.pair })).rejects.toEqual(
        refusal('unprocessable', /signature/),
      );
      const shares = { ...keys, schema: 'suffice/mask-shares@1', graph: '', shares: {} } as never;
      await expect(send(a, shares)).rejects.toMatchObject({ code: 'unprocessable' });
      expect(await stored()).toBe(0);
      await send(a, keys);
      await send(a, keys);
      await expect(send(a, twin.keys())).rejects.toEqual(refusal('conflict', /another message/));
      expect(await stored()).toBe(1);
      for (const site of sites.slice(1)) await send(site, site.keys());
      for (const site of sites.slice(0, 4)) await deal(site);
      const before = await stored();
      await expect(contribute(a, new Uint8Array(10))).rejects.toMatchObject({
        code: 'unprocessable',
      });
      await deal(sites[4]);
      const made = await file(a, rows(0, 10));
      await contribute(a, made);
      const again = await file(a, rows(0, 12), { sequence: 2, mode: 'replace' });
      await expect(contribute(a, again)).rejects.toEqual(
        refusal('conflict', /hides one contribution/),
      );
      const early = a.survivors.bind(a);
      expect(() => early('AA')).toThrow();
      expect(await stored()).toBe(before + 2);
      const plain = await coordinator.create(operator, { study: anyStudy(), sites: ['a'] });
      await expect(
        coordinator.sendMasks({ role: 'site', study: plain.id, site: 'a' }, plain.id, keys),
      ).rejects.toEqual(refusal('conflict', /agree on no masks/));
      expect(id).not.toBe(plain.id);
    });

    it('refuses a contribution before the shares', async () => {
      const { agreed, sites, contribute } = await maskedStudy(await open());
      const [a] = sites;
      const summary = summaryOf(agreed as never, table, rows(0, 10));
      const mask = new Uint32Array(summary.statistic.values.length);
      const made = contribution(agreed, 'a', summary, firstNumbering, mask);
      const file = encodeContribution(signContribution(made, a.key));
      await expect(contribute(a, file)).rejects.toEqual(refusal('conflict', /no shares/));
    });
  },
  enduring ? undefined : ['sqlite'],
);
