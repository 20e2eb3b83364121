import { expect, it } from 'vitest';
import { concludeHere } from '../src/coordinator/conclude-here.ts';
import type { Coordinator } from '../src/coordinator/coordinator.ts';
import type { App } from '../src/coordinator/http/app.ts';
import type { Store } from '../src/coordinator/store.ts';
import type { StudyView } from '../src/protocol/messages.ts';
import { anyStudy, type Clock, createClock, operator, rows } from './coordinator-study.ts';
import { oneStore } from './stores.ts';
import { tableOf } from './tables.ts';
import { settle, TreeNetwork } from './tree-coordinators.ts';

/** A parent that takes a sum and denies it: no receipt, and a view in which the region has sent nothing. */
function denying(app: Pick<App, 'fetch'>): Pick<App, 'fetch'> {
  return {
    async fetch(request, connection) {
      const { pathname } = new URL(request.url);
      const answer = await app.fetch(request, connection);
      if (pathname.endsWith('/contributions')) {
        return request.method === 'POST'
          ? new Response('{}', { status: 502 })
          : Response.json({ ...(await answer.json()), receipts: [] });
      }
      if (request.method !== 'GET' || !/^\/studies\/[^/]+$/.test(pathname)) return answer;
      const view: StudyView = await answer.json();
      const sites = view.sites.map((site) => ({ ...site, state: 'invited', late: 0 }));
      return Response.json({ ...view, sites, you: { ...view.you, nextSequence: 1 } });
    },
  };
}

oneStore('a parent that lies', (open) => {
  it('cannot fill the memory of a region with an answer without end', async () => {
    const network = new TreeNetwork();
    const top = await network.coordinator('top', await open());
    const east = await network.coordinator('east', await open());
    const above = await top.study(anyStudy(), ['east', 'west']);
    const a = await east.region(above, 'east', ['a', 'b']);
    let megabytes = 0;
    const pull = (to: ReadableStreamDefaultController<Uint8Array>) => {
      // A reader without a limit gets an end, so that this test fails and does not hang.
      if (megabytes++ < 200) to.enqueue(new Uint8Array(2 ** 20));
      else to.close();
    };
    network.apps.set('top.example', {
      fetch: async () => new Response(new ReadableStream({ pull })),
    });
    await a.sites.a.send(rows(0, 10));
    await a.sites.b.send(rows(10, 20));
    await settle(east);
    expect(megabytes).toBeLessThan(100);
    expect((await a.view()).sum?.problem).toMatch(/is longer than 67108864 bytes$/);
  });

  it('cannot make a region forget a sum, and so gets no two sums that differ by one site', async () => {
    const network = new TreeNetwork();
    const top = await network.coordinator('top', await open());
    const east = await network.coordinator('east', await open());
    const above = await top.study(anyStudy(), ['east', 'west']);
    const aggregation = { kind: 'plain', minimumSites: 2 } as const;
    const a = await east.region(above, 'east', ['a', 'b', 'c'], { aggregation });
    network.apps.set('top.example', denying(network.apps.get('top.example')!));
    for (const [k, site] of Object.values(a.sites).entries())
      await site.send(rows(10 * k, 10 * k + 10));
    await settle(east);
    const sums = () => network.changes.filter((one) => one.endsWith('/contributions'));
    expect(sums()).toHaveLength(1);

    // As in a region that has no model of its own: only what it sent tells what is out.
    await east.store.write(a.id, (db) =>
      db.deleteFrom('resolutions').where('study', '=', a.id).execute(),
    );
    await a.sites.c.withdraw(2);
    for (const _ of ['denied', 'asked again']) {
      // A restart forgets how long the parent was to be left alone.
      await settle(await network.coordinator('east', east.store));
    }
    expect(sums()).toHaveLength(1);
    const { problem, sum } = await a.view();
    expect(problem).toMatch(/^held: .* a group of 1 site/);
    // The region withdraws its sum, under the number that the parent says is the next.
    expect(sum?.problem).toBe('the withdrawal must have number 2');
  });
});

/** Rows whose predictors are constants in the first ten: a penalty that GCV chooses has no model of them. */
const stillRows = tableOf({
  y: Array.from({ length: 40 }, (_, r) => ((r * 7) % 11) / 4),
  x: Array.from({ length: 40 }, (_, r) => (r < 10 ? 1 : ((r * 31) % 97) / 8)),
  z: Array.from({ length: 40 }, (_, r) => (r < 10 ? 2 : ((r * 17) % 89) / 2)),
});

/** A region of minimumSites 2, at two of whose three sites nothing varies: it has a sum and no model. */
async function regionWithoutModel(
  open: () => Promise<Store>,
  more: Parameters<TreeNetwork['coordinator']>[2] = {},
) {
  const network = new TreeNetwork();
  network.from = stillRows;
  const top = await network.coordinator('top', await open());
  const east = await network.coordinator('east', await open(), more);
  const study = { ...anyStudy(), fusion: { kind: 'ridge', ridge: 'gcv' } } as const;
  const above = await top.study(study, ['east', 'west']);
  const own = { aggregation: { kind: 'plain', minimumSites: 2 }, quorum: { sites: 2 } } as const;
  const region = await east.region(above, 'east', ['a', 'b', 'c'], own);
  const sums = () => network.changes.filter((one) => one.endsWith('/contributions'));
  await region.sites.a.send(rows(0, 5));
  await region.sites.b.send(rows(5, 10));
  return { network, region, coordinator: east.coordinator, sums };
}

/** Lets a region send its sum, up to where the parent has been asked for its study: it answers when it is told to. */
async function untilParentIsAsked(network: TreeNetwork, { sendDueSums }: Coordinator) {
  const parent = network.apps.get('top.example')!;
  let sending = Promise.resolve();
  const answer = await new Promise<() => void>((asked) => {
    const later = new Promise<void>((resolve) => {
      network.apps.set('top.example', {
        async fetch(request, connection) {
          asked(resolve);
          await later;
          return parent.fetch(request, connection);
        },
      });
    });
    sending = sendDueSums();
  });
  return { answer, sending };
}

oneStore('a parent that takes its time to answer', (open) => {
  it.each([
    ['has left', ({ coordinator, region }) => coordinator.leaveParent(operator, region.id)],
    [
      'has erased its contributions',
      async ({ coordinator, clock }) => {
        clock.pass(31 * 86_400_000);
        await coordinator.runDueWork();
      },
    ],
  ] as readonly [string, (found: Found) => Promise<unknown>][])(
    'gets no sum of a region that %s meanwhile',
    async (_, change) => {
      const clock = createClock();
      const found = await regionWithoutModel(open, { now: clock.now, keepDays: 30 });
      const { network, region, coordinator, sums } = found;
      await coordinator.close(operator, region.id);
      await coordinator.runDueWork();
      const { answer, sending } = await untilParentIsAsked(network, coordinator);
      await change({ ...found, clock });
      answer();
      await sending;
      expect(sums()).toEqual([]);
      expect(await region.at.store.db.selectFrom('forwards').selectAll().execute()).toEqual([]);
    },
  );
});

type Found = Awaited<ReturnType<typeof regionWithoutModel>> & { readonly clock: Clock };

oneStore('a sum and a resolution at the same time', (open) => {
  it('do not differ by one site, though the parent takes its time to answer', async () => {
    const { network, region, coordinator, sums } = await regionWithoutModel(open);
    await coordinator.close(operator, region.id);
    await coordinator.runDueWork();
    expect((await region.view()).problem).toMatch(/^no column varies/);
    const { answer, sending } = await untilParentIsAsked(network, coordinator);
    await coordinator.reopen(operator, region.id);
    await region.sites.c.send(rows(10, 40));
    await coordinator.runDueWork();
    await region.sites.c.withdraw(2);
    await coordinator.runDueWork();
    expect((await coordinator.resolutions(operator, region.id)).resolutions).toMatchObject([
      { sites: 3 },
    ]);
    answer();
    await sending;
    expect(sums()).toEqual([]);
    await coordinator.sendDueSums();
    expect(sums()).toEqual([]);
    expect((await region.view()).sum?.problem).toMatch(/^held: .* a group of 1 site/);
  });

  it('do not differ by one site, though the sum leaves while the model is made', async () => {
    let meanwhile = async () => {};
    const found = await regionWithoutModel(open, {
      async conclude(job) {
        await meanwhile();
        return concludeHere(job);
      },
    });
    const { network, region, coordinator, sums } = found;
    network.blocked = () => true;
    await coordinator.close(operator, region.id);
    await coordinator.runDueWork();
    await region.sites.c.send(rows(10, 40));
    meanwhile = async () => {
      network.blocked = () => false;
      await coordinator.sendDueSums();
    };
    await expect(coordinator.resolve(operator, region.id, { includeLate: true })).rejects.toThrow(
      /^held: .* a group of 1 site/,
    );
    expect(sums()).toHaveLength(1);
    expect((await coordinator.resolutions(operator, region.id)).resolutions).toEqual([]);
  });
});

oneStore('a sum that is long on its way', (open) => {
  it('is refused when it arrives after a site of it has withdrawn', async () => {
    const network = new TreeNetwork();
    const top = await network.coordinator('top', await open());
    const east = await network.coordinator('east', await open());
    const above = await top.study(anyStudy(), ['east', 'west']);
    const region = await east.region(above, 'east', ['a', 'b'], { quorum: { sites: 2 } });
    const parent = network.apps.get('top.example')!;
    const underWay: Request[] = [];
    network.apps.set('top.example', {
      async fetch(request, connection) {
        if (!request.url.endsWith('/contributions') || request.method !== 'POST') {
          return parent.fetch(request, connection);
        }
        underWay.push(request);
        throw new TypeError('fetch failed');
      },
    });
    await region.sites.a.send(rows(0, 10));
    await region.sites.b.send(rows(10, 20));
    await settle(east);
    expect(underWay).toHaveLength(1);
    await region.sites.b.withdraw(2);
    await settle(await network.coordinator('east', east.store));
    network.apps.set('top.example', parent);
    expect((await parent.fetch(underWay[0])).status).toBe(409);
    const { sites } = await above.view();
    expect(sites.find(({ name }) => name === 'east')).not.toMatchObject({ state: 'contributed' });

    // The region comes back with a sum of those who are left.
    await east.coordinator.reopen(operator, region.id);
    await region.sites.b.send(rows(20, 30), { sequence: 3, mode: 'add' });
    await settle(await network.coordinator('east', east.store));
    expect((await region.view()).sum).toMatchObject({ state: 'sent', sites: 2 });
  });
});
