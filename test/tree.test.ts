import { expect, it } from 'vitest';
import { totalDigest } from '../src/federate.ts';
import { linkText } from '../src/protocol/link.ts';
import { studyTermsText } from '../src/site/study-text.ts';
import { regionalStudy } from '../src/study/regional-study.ts';
import { type Study, studyDigest, type TableStudy } from '../src/study/study.ts';
import { anyStudy, createClock, operator, rows, table, testSite } from './coordinator-study.ts';
import { rows as counts, studyOver } from './fusion-rows.ts';
import { agreement, collect, contribution } from './linear.ts';
import { oneStore } from './stores.ts';
import { summaryOf } from './tables.ts';
import { settle, TreeNetwork, type TreeStudy } from './tree-coordinators.ts';

/** The digest of the total over these rows, as one flat sum of one site. */
function flat(top: TreeStudy, some: readonly number[]): string {
  const agreed = agreement(top.study);
  const collected = collect(agreed, [contribution(agreed, 'all', summaryOf(agreed, table, some))]);
  if (!('total' in collected)) throw new Error('no total');
  return totalDigest(agreed, collected.total);
}

/** The digest of the total that the newest resolution of a study is of. */
async function resolved({ at, id }: TreeStudy): Promise<string> {
  return (await at.coordinator.resolution(operator, id, 'latest')).report.digest;
}

/** The newest message of a region to its parent, as stored. */
async function forward({ at, id }: TreeStudy) {
  const rows = at.store.db.selectFrom('forwards').selectAll().where('study', '=', id);
  return rows.orderBy('sequence', 'desc').executeTakeFirst();
}

oneStore('a tree of coordinators', (open) => {
  /** Two regions of three sites each, ten rows a site. */
  async function twoRegions() {
    const network = new TreeNetwork();
    const top = await network.coordinator('top', await open());
    const east = await network.coordinator('east', await open());
    const west = await network.coordinator('west', await open());
    const above = await top.study(anyStudy(), ['east', 'west']);
    const a = await east.region(above, 'east', ['a', 'b', 'c']);
    const b = await west.region(above, 'west', ['d', 'e', 'f']);
    const sites = [...Object.values(a.sites), ...Object.values(b.sites)];
    for (const [k, site] of sites.entries()) await site.send(rows(10 * k, 10 * k + 10));
    const due = () => settle(east, west, top);
    return { network, top, east, west, above, a, b, due };
  }

  it('a plain tree has the total of the flat sum', async () => {
    const { above, a, due } = await twoRegions();
    await due();
    expect(await resolved(above)).toBe(flat(above, rows(0, 60)));
    expect((await a.view()).sum).toMatchObject({ state: 'sent', sequence: 1, sites: 3 });
    // One of the rows of the first region has a missing cell.
    const lines = (await above.view()).sites.map(({ n, dropped }) => [n, dropped]);
    expect(lines).toEqual([
      [29, 1],
      [30, 0],
    ]);
    const sent = await forward(a);
    expect(JSON.parse(sent!.receipt!)).toMatchObject({ site: 'east', sequence: 1, mode: 'add' });
    expect(sent!.body).toBeNull();
  });

  it('a site that withdraws, replaces or comes late changes the parent exactly', async () => {
    const { above, a, b, due, west, top } = await twoRegions();
    await due();
    await top.coordinator.reopen(operator, above.id);
    await b.sites.e.withdraw(2);
    await due();
    await top.coordinator.close(operator, above.id);
    await due();
    expect(await resolved(above)).toBe(flat(above, [...rows(0, 40), ...rows(50, 60)]));
    expect((await b.view()).sum).toMatchObject({ state: 'sent', sequence: 2, sites: 2 });

    await top.coordinator.reopen(operator, above.id);
    await west.coordinator.reopen(operator, b.id);
    await b.sites.d.send(rows(30, 35), { sequence: 2, mode: 'replace' });
    await due();
    // The region collects: the parent keeps what it has until the region is complete again.
    expect((await b.view()).sum).toMatchObject({ sequence: 2 });
    await west.coordinator.close(operator, b.id);
    await due();
    await b.sites.e.send(rows(40, 50), { sequence: 3, mode: 'add' });
    await due();
    expect((await b.view()).sum).toMatchObject({ sequence: 3, sites: 2 });
    await west.coordinator.resolve(operator, b.id, { includeLate: true });
    await due();
    expect((await b.view()).sum).toMatchObject({ sequence: 4, sites: 3 });
    await top.coordinator.close(operator, above.id);
    await due();
    expect(await resolved(above)).toBe(flat(above, [...rows(0, 35), ...rows(40, 60)]));
    expect((await a.view()).sum).toMatchObject({ sequence: 1 });
  });

  it('no rows of a site that withdrew stay at a parent that has closed', async () => {
    const { above, b, due, top } = await twoRegions();
    await due();
    await b.sites.e.withdraw(2);
    await due();
    // The parent has erased the old sum; the new one is late, until the analyst includes it.
    expect(await resolved(above)).toBe(flat(above, rows(0, 30)));
    expect((await b.view()).sum).toMatchObject({ state: 'sent', sites: 2, late: true });
    await top.coordinator.resolve(operator, above.id, { includeLate: true });
    expect(await resolved(above)).toBe(flat(above, [...rows(0, 40), ...rows(50, 60)]));
  });

  it('a region whose invitation was replaced goes on with the new one, and takes none of another site', async () => {
    const { above, a, b, due, network, top, west } = await twoRegions();
    await due();
    const { token } = await top.coordinator.invite(operator, above.id, { site: 'west' });
    await b.sites.e.withdraw(2);
    await due();
    expect((await b.view()).sum?.problem).toBeDefined();
    const before = network.changes.length;
    const link = linkText({ ...above.links.west, token });
    for (const [id, parent] of [
      [b.id, linkText(above.links.west)],
      [b.id, linkText(above.links.east)],
      [b.id, linkText(a.links[Object.keys(a.links)[0]])],
      [b.id, 'nonsense'],
    ]) {
      await expect(west.coordinator.renewParent(operator, id, { parent })).rejects.toThrow();
    }
    await expect(top.coordinator.renewParent(operator, above.id, { parent: link })).rejects.toThrow(
      /does not name its parent/,
    );
    await due();
    expect((await b.view()).sum?.problem).toBeDefined();
    expect(network.changes.length).toBe(before);
    await west.coordinator.renewParent(operator, b.id, { parent: link });
    await due();
    expect((await b.view()).sum).toMatchObject({ state: 'sent', sites: 2 });
    expect((await b.view()).sum?.problem).toBeUndefined();
    const { entries } = await west.coordinator.auditLog(operator, b.id);
    expect(entries.map(({ event }) => event)).toContain('parent-renewed');
    expect(JSON.stringify(entries)).not.toContain(token);
  });

  it('a region that leaves takes everything with it, and sends nothing again', async () => {
    const { above, b, due, network, west } = await twoRegions();
    await due();
    await west.coordinator.leaveParent(operator, b.id);
    await due();
    expect(await resolved(above)).toBe(flat(above, rows(0, 30)));
    const stored = await above.at.store.db
      .selectFrom('contributions')
      .selectAll()
      .where('site', '=', 'west')
      .execute();
    expect(stored.map(({ body, digest }) => [body, digest])).toEqual([[null, null]]);
    expect((await b.view()).sum).toMatchObject({ state: 'left' });
    const before = network.changes.length;
    await b.sites.e.withdraw(2);
    await due();
    expect(network.changes.length).toBe(before);
  });

  it('a region below its quorum sends nothing, and takes back what it sent', async () => {
    const network = new TreeNetwork();
    const top = await network.coordinator('top', await open());
    const east = await network.coordinator('east', await open());
    const above = await top.study(anyStudy(), ['east', 'west']);
    const a = await east.region(above, 'east', ['a', 'b', 'c'], { quorum: { sites: 2 } });
    await a.sites.a.send(rows(0, 10));
    await east.coordinator.close(operator, a.id);
    await settle(east, top);
    expect(network.changes).toEqual([]);
    expect((await a.view()).sum).toMatchObject({
      state: 'unsent',
      problem: expect.stringContaining('quorum'),
    });
    await east.coordinator.reopen(operator, a.id);
    await a.sites.b.send(rows(10, 20));
    await east.coordinator.close(operator, a.id);
    await settle(east, top);
    expect((await a.view()).sum).toMatchObject({ state: 'sent', sites: 2 });
    expect((await a.view()).sum).not.toHaveProperty('problem');
    await a.sites.b.withdraw(2);
    await settle(east, top);
    expect((await a.view()).sum).toMatchObject({ state: 'withdrawn' });
    expect((await above.view()).sites[0]).toMatchObject({ name: 'east', state: 'withdrawn' });
  });

  it('a total that the disclosure rules withhold is not sent', async () => {
    const network = new TreeNetwork();
    const top = await network.coordinator('top', await open());
    const east = await network.coordinator('east', await open());
    const strict = { profile: 'default', thresholds: { rows: 100 } } as const;
    const above = await top.study({ ...anyStudy(), disclosure: strict }, ['east', 'west']);
    const a = await east.region(above, 'east', ['a', 'b']);
    await a.sites.a.send(rows(0, 10));
    await a.sites.b.send(rows(10, 20));
    await settle(east, top);
    expect(network.changes).toEqual([]);
    expect((await a.view()).sum).toMatchObject({
      state: 'unsent',
      problem: expect.stringContaining('R0'),
    });
  });

  it('three levels have the total of the flat sum, and sites see all levels', async () => {
    const network = new TreeNetwork();
    const top = await network.coordinator('top', await open());
    const land = await network.coordinator('land', await open());
    const town = await network.coordinator('town', await open());
    const above = await top.study(anyStudy(), ['land', 'direct']);
    const middle = await land.region(above, 'land', ['town', 'village']);
    const below = await town.region(middle, 'town', ['a', 'b']);
    await above.sites.direct.send(rows(0, 10));
    await middle.sites.village.send(rows(10, 20));
    await below.sites.a.send(rows(20, 30));
    await below.sites.b.send(rows(30, 40));
    await settle(town, land, top);
    expect(await resolved(above)).toBe(flat(above, rows(0, 40)));
    await below.sites.b.withdraw(2);
    await settle(town, land, top);
    await land.coordinator.resolve(operator, middle.id, { includeLate: true });
    await settle(town, land, top);
    await top.coordinator.resolve(operator, above.id, { includeLate: true });
    expect(await resolved(above)).toBe(flat(above, rows(0, 30)));
    const text = studyTermsText(agreement(below.study));
    expect(text).toContain('goes on as town to study');
    expect(text).toContain('goes on as land to study');
  });

  it('an answer that is lost, and a restart, send nothing twice', async () => {
    const { network, above, a, east } = await twoRegions();
    network.lost = (method) => method === 'POST';
    await east.coordinator.runDueWork();
    await east.coordinator.sendDueSums();
    expect((await a.view()).sum).toMatchObject({
      state: 'unsent',
      problem: expect.stringContaining('coordinator'),
    });
    network.lost = () => false;
    const again = await network.coordinator('east', east.store);
    await settle(again);
    expect((await a.view()).sum).toMatchObject({ state: 'sent', sequence: 1 });
    const stored = await above.at.store.db.selectFrom('contributions').selectAll().execute();
    expect(stored.filter(({ site }) => site === 'east')).toHaveLength(1);
  });

  it('a sum that waits is erased with the site that withdraws', async () => {
    const { network, above, a, due, east, top } = await twoRegions();
    network.blocked = (method) => method === 'POST';
    await due();
    expect((await forward(a))?.body).not.toBeNull();
    await a.sites.b.withdraw(2);
    expect(await forward(a)).toMatchObject({ sequence: 1, body: null });
    network.blocked = () => false;
    const again = await network.coordinator('east', east.store);
    await settle(again, top);
    expect((await a.view()).sum).toMatchObject({ state: 'sent', sequence: 1, sites: 2 });
    await top.coordinator.close(operator, above.id);
    await settle(top);
    expect(await resolved(above)).toBe(flat(above, [...rows(0, 10), ...rows(20, 30)]));
  });

  it('a site withdraws when the time to keep contributions is over: its sum leaves the parent', async () => {
    const network = new TreeNetwork();
    const top = await network.coordinator('top', await open());
    const clock = createClock();
    const east = await network.coordinator('east', await open(), { keepDays: 1, now: clock.now });
    const above = await top.study(anyStudy(), ['east', 'west']);
    const a = await east.region(above, 'east', ['a', 'b']);
    await a.sites.a.send(rows(0, 10));
    await a.sites.b.send(rows(10, 20));
    await settle(east, top);
    clock.pass(3 * 86_400_000);
    await settle(east, top);
    expect((await a.view()).sum).toMatchObject({ state: 'sent', sequence: 1, sites: 2 });
    await a.sites.b.withdraw(2);
    await settle(east, top);
    expect((await a.view()).sum).toMatchObject({
      state: 'withdrawn',
      problem: expect.stringContaining('were erased'),
    });
    expect((await above.view()).sites[0]).toMatchObject({ name: 'east', state: 'withdrawn' });
  });

  it('a second round of a Poisson regression goes through the tree', async () => {
    const network = new TreeNetwork();
    network.from = counts;
    const top = await network.coordinator('top', await open());
    const east = await network.coordinator('east', await open());
    const { weights: _, ...plain } = studyOver({ formula: 'c ~ x + z' }) as TableStudy;
    const poisson: TableStudy = {
      ...plain,
      fusion: { kind: 'glm', family: 'poisson', remainder: 'expected' },
      disclosure: { profile: 'none' },
    };
    const above = await top.study(poisson, ['east', 'south']);
    const below = await east.region(above, 'east', ['a', 'b']);
    await above.sites.south.send(rows(80, 120));
    await below.sites.a.send(rows(0, 40));
    await below.sites.b.send(rows(40, 80));
    await settle(east, top);
    await expect(east.coordinator.openRound(operator, below.id)).rejects.toThrow(/study above/);
    const { next } = await top.coordinator.openRound(operator, above.id);
    const { study } = await top.coordinator.view(operator, next!.id);
    const { coordinator, coordinatorKey } = above.links.east;
    const place = { study: next!.digest, site: 'east', coordinator, coordinatorKey };
    const second = await east.study(regionalStudy(study, place), ['a', 'b'], above.links.east);
    await second.sites.a.send(rows(0, 40));
    await second.sites.b.send(rows(40, 80));
    const south = testSite(
      top.coordinator,
      next!.id,
      agreement(study),
      'south',
      above.sites.south.key,
      counts,
    );
    await south.send(rows(80, 120));
    await settle(east, top);
    const tree = await top.coordinator.resolution(operator, next!.id, 'latest');
    const agreed = agreement(study);
    const parts = [rows(0, 40), rows(40, 80), rows(80, 120)].map((some, k) =>
      contribution(agreed, `site ${k}`, summaryOf(agreed, counts, some)),
    );
    const together = collect(agreed, parts);
    if (!('total' in together)) throw new Error('no total');
    expect(tree.report.digest).toBe(totalDigest(agreed, together.total));
    // A made-up start is refused: it follows from no resolution of the study above.
    const made = {
      ...study,
      fusion: { ...(study as TableStudy).fusion, at: { '(Intercept)': 0, x: 1, z: 1 } },
    } as Study;
    const other = regionalStudy(made, { ...place, study: studyDigest(made) });
    await expect(east.study(other, ['a'], above.links.east)).rejects.toThrow(
      /not that of its parent/,
    );
  });
});
