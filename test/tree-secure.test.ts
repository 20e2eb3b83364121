import { expect, it } from 'vitest';
import { totalDigest } from '../src/federate.ts';
import type { Study } from '../src/study/study.ts';
import { anyStudy, operator, rows, table } from './coordinator-study.ts';
import { agreement, collect, contribution } from './linear.ts';
import { secureStudy, siteKeys, testHelper } from './secure-parties.ts';
import { oneStore } from './stores.ts';
import { summaryOf } from './tables.ts';
import { regionOf, settle, TreeNetwork, type TreeStudy } from './tree-coordinators.ts';

/** The digest of the total over these rows under the terms of the study, summed openly. */
function flat({ study }: TreeStudy, some: readonly number[]): string {
  const { aggregation: _, ...open } = study;
  const agreed = agreement(open as Study);
  const collected = collect(agreed, [contribution(agreed, 'all', summaryOf(agreed, table, some))]);
  if (!('total' in collected)) throw new Error('no total');
  return totalDigest({ ...agreed, digest: agreement(study).digest }, collected.total);
}

async function resolved({ at, id }: TreeStudy): Promise<string> {
  return (await at.coordinator.resolution(operator, id, 'latest')).report.digest;
}

const REGIONS = ['north', 'south', 'west'];

oneStore('a secure tree', (open) => {
  it('a helper at each level: every coordinator sees only the total of its study', async () => {
    const network = new TreeNetwork();
    const helper = await testHelper(await open());
    network.apps.set('127.0.0.1:9', helper.app);
    const top = await network.coordinator('top', await open());
    const levels = await Promise.all(
      REGIONS.map(async (name) => network.coordinator(name, await open())),
    );
    const keys = Object.fromEntries(
      REGIONS.map((name, k) => [name, { key: levels[k].coordinator.key, secret: '' }]),
    );
    const above = await top.study(secureStudy(helper.helper, keys), REGIONS);
    for (const [k, name] of REGIONS.entries()) {
      const own = ['a', 'b', 'c'].map((site) => `${name} ${site}`);
      const siteKeysHere = siteKeys(own);
      const { aggregation } = secureStudy(helper.helper, siteKeysHere);
      const terms = { aggregation: aggregation! };
      const region = await levels[k].region(above, name, own, terms, siteKeysHere);
      for (const [s, site] of Object.values(region.sites).entries()) {
        await site.send(rows(18 * k + 6 * s, 18 * k + 6 * s + 6));
      }
      expect(region.study.aggregation?.kind).toBe('two-aggregators');
    }
    await settle(...levels, top);
    expect(await resolved(above)).toBe(flat(above, rows(0, 54)));
    // Nobody but the sites has counts of rows below a total.
    expect((await above.view()).sites.map(({ n }) => n)).toEqual([undefined, undefined, undefined]);
    await expect(top.coordinator.total(operator, above.id, 'latest')).rejects.toThrow(/no total/);
  });

  it('regions agree on masks among themselves', async () => {
    const network = new TreeNetwork();
    const top = await network.coordinator('top', await open());
    const levels = await Promise.all(
      REGIONS.map(async (name) => network.coordinator(name, await open())),
    );
    const roster = Object.fromEntries(REGIONS.map((name, k) => [name, levels[k].coordinator.key]));
    const masked = {
      ...anyStudy(),
      aggregation: { kind: 'pairwise-masks', roster, minimumSites: 3 },
    } as const;
    const above = await top.study(masked, REGIONS);
    const regions = await Promise.all(
      REGIONS.map((name, k) => levels[k].region(above, name, [`${name} a`, `${name} b`])),
    );
    for (const [k, region] of regions.entries()) {
      for (const [s, site] of Object.values(region.sites).entries()) {
        await site.send(rows(20 * k + 10 * s, 20 * k + 10 * s + 10));
      }
    }
    await settle(...levels, top);
    await settle(...levels, top);
    expect(await resolved(above)).toBe(flat(above, rows(0, 60)));
    // A mask hides one sum: the region of a site that leaves cannot send another, and takes back what it sent.
    const [site] = Object.values(regions[0].sites);
    await site.withdraw(2);
    await settle(levels[0]);
    expect((await above.view()).sites[0]).toMatchObject({ name: 'north', state: 'withdrawn' });
  });

  it('a region whose key is not on the roster of its parent is refused, and nothing is stored', async () => {
    const network = new TreeNetwork();
    const top = await network.coordinator('top', await open());
    const east = await network.coordinator('east', await open());
    const strangers = siteKeys(REGIONS);
    const roster = Object.fromEntries(Object.entries(strangers).map(([k, { key }]) => [k, key]));
    const masked = {
      ...anyStudy(),
      aggregation: { kind: 'pairwise-masks', roster, minimumSites: 3 },
    } as const;
    const above = await top.study(masked, REGIONS);
    await expect(east.region(above, 'north', ['a', 'b'])).rejects.toThrow(/another key/);
    expect(await east.store.db.selectFrom('studies').selectAll().execute()).toEqual([]);
    expect(network.changes).toEqual([]);
    expect(regionOf(above, 'north').parents).toHaveLength(1);
  });
});
