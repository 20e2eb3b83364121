import { expect, it } from 'vitest';
import { linkText } from '../src/protocol/link.ts';
import type { Study, TableStudy } from '../src/study/study.ts';
import { anyStudy, operator, rows } from './coordinator-study.ts';
import { agreement } from './linear.ts';
import { oneStore } from './stores.ts';
import { regionOf, settle, TreeNetwork } from './tree-coordinators.ts';

const base = anyStudy();

/** Studies that no region can take part in, and why. */
const refused: Readonly<Record<string, readonly [Partial<TableStudy>, RegExp]>> = {
  'fixed site effects': [
    { fusion: { kind: 'ridge', ridge: 0, siteEffects: 'fixed' } },
    /needs the statistic of each site/,
  ],
  'random site effects': [
    { fusion: { kind: 'ridge', ridge: 0, siteEffects: 'random' } },
    /needs the statistic of each site/,
  ],
  'clustered errors': [
    { fusion: { kind: 'ridge', ridge: 0, errors: 'clustered' } },
    /needs the statistic of each site/,
  ],
  'leave-one-site-out': [
    { fusion: { kind: 'ridge', ridge: 'leave-one-site-out' } },
    /needs the statistic of each site/,
  ],
  'averages of the sites’ estimates': [
    { fusion: { kind: 'average' } },
    /needs the statistic of each site/,
  ],
  privacy: [
    {
      privacy: { epsilon: 1, delta: 1e-6, unit: 'row' },
      codebook: Object.fromEntries(
        Object.entries(base.codebook).map(([name, column]) => [
          name,
          { ...column, range: [0, 50] as [number, number] },
        ]),
      ) as TableStudy['codebook'],
    },
    /the study is private/,
  ],
};

oneStore('refused regions', (open) => {
  it.each(Object.entries(refused))('%s: nothing is stored and nothing is sent', async (_, row) => {
    const [terms, why] = row;
    const network = new TreeNetwork();
    const top = await network.coordinator('top', await open());
    const east = await network.coordinator('east', await open());
    const above = await top.study({ ...anyStudy(), ...terms }, ['east', 'west']);
    expect(() => agreement(regionOf(above, 'east'))).toThrow(why);
    const attempt = east.coordinator.create(operator, {
      study: regionOf(above, 'east'),
      sites: ['a', 'b'],
      parent: 'https://top.example/join#',
    });
    await expect(attempt).rejects.toThrow(why);
    expect(await east.store.db.selectFrom('studies').selectAll().execute()).toEqual([]);
    expect(network.changes).toEqual([]);
  });

  it('a circle, another study, a missing and a needless invitation', async () => {
    const network = new TreeNetwork();
    const top = await network.coordinator('top', await open());
    const east = await network.coordinator('east', await open());
    const above = await top.study(anyStudy(), ['east', 'west']);
    const stored = async () =>
      (await east.store.db.selectFrom('studies').selectAll().execute()).length;

    await expect(top.region(above, 'east', ['a'])).rejects.toThrow(/above itself/);
    const region = regionOf(above, 'east');
    await expect(east.study(region, ['a'])).rejects.toThrow(
      /the invitation to its parent is missing/,
    );
    await expect(east.study(anyStudy(), ['a'], above.links.east)).rejects.toThrow(
      /does not name its parent/,
    );
    await expect(east.study(region, ['a'], above.links.west)).rejects.toThrow(
      /is not that of its parent/,
    );
    const other = { ...region, formula: 'y ~ x' } as Study;
    await expect(east.study(other, ['a'], above.links.east)).rejects.toThrow(
      /is not that of its parent/,
    );
    const lax = { ...region, disclosure: { profile: 'none', thresholds: { rows: 3 } } } as Study;
    await expect(east.study(lax, ['a'], above.links.east)).rejects.toThrow(
      /is not that of its parent/,
    );
    expect(await stored()).toBe(0);
    expect(network.changes).toEqual([]);

    // A circle over two levels: the study of the region names every coordinator above it.
    const middle = await east.region(above, 'east', ['back', 'b']);
    await expect(top.region(middle, 'back', ['a'])).rejects.toThrow(/above itself/);
  });

  it('an invitation to another coordinator than the study names: it is not asked', async () => {
    const network = new TreeNetwork();
    const top = await network.coordinator('top', await open());
    const east = await network.coordinator('east', await open());
    const above = await top.study(anyStudy(), ['east', 'west']);
    const region = await east.region(above, 'east', ['a', 'b']);
    let asked = 0;
    const answer = async () => {
      asked++;
      return new Response('{}');
    };
    network.apps.set('inside.example', { fetch: answer });
    const analyst = { role: 'study', study: region.id } as const;
    const link = above.links.east;
    for (const wrong of [
      { ...link, coordinator: 'https://inside.example' },
      { ...link, coordinator: `${link.coordinator}/elsewhere` },
      { ...link, coordinatorKey: east.coordinator.key },
    ]) {
      const renewed = east.coordinator.renewParent(analyst, region.id, { parent: linkText(wrong) });
      await expect(renewed).rejects.toThrow(/to another coordinator than the study of the region/);
    }
    expect(asked).toBe(0);
    await east.coordinator.renewParent(analyst, region.id, { parent: linkText(link) });
  });

  it('a region that collects sends nothing, and its parent cannot ask for more', async () => {
    const network = new TreeNetwork();
    const top = await network.coordinator('top', await open());
    const east = await network.coordinator('east', await open());
    const above = await top.study(anyStudy(), ['east', 'west']);
    const a = await east.region(above, 'east', ['a', 'b']);
    await a.sites.a.send(rows(0, 10));
    await settle(east, top);
    expect(network.changes).toEqual([]);
    expect((await a.view()).sum).toEqual({ state: 'unsent' });
    await expect(above.at.coordinator.leaveParent(operator, above.id)).rejects.toThrow(/no parent/);
  });
});
