import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createCoordinator } from '../src/coordinator/create-coordinator.ts';
import { nextRound } from '../src/federate.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import { verifyAuditLog } from '../src/protocol/audit-chain.ts';
import { studyClient } from '../src/protocol/client.ts';
import { followRounds } from '../src/protocol/follow-rounds.ts';
import { createSigningKey, sealDocument } from '../src/protocol/signature.ts';
import { studyDigest } from '../src/study/study.ts';
import { temporaryFolder } from './cli.ts';
import {
  anyStudy,
  createClock,
  operator,
  rows,
  runningStudy,
  testSite,
} from './coordinator-study.ts';
import { agreement } from './linear.ts';
import { logisticStudy, roundStudy, yesNo } from './round-study.ts';
import { eachStore } from './stores.ts';
import { federated } from './tables.ts';

const sites = ['a', 'b', 'c'];
const folder = temporaryFolder();
const store = openSqliteStore(join(folder, 'rounds.db'));
afterAll(async () => (await store).close());
/** One store is enough where each test has a study of its own. */
const open = () => store;
const parts = sites.map((_, k) => rows(30 * k, 30 * k + 30));

describe('a further round of a study', () => {
  it('has the same invitations, and gives what the sites give together from there', async () => {
    const study = logisticStudy();
    const { admin, resolved, follow } = await roundStudy(await open(), sites, study);
    await resolved();
    const asked = await admin.openRound();
    expect(asked).toMatchObject({ state: 'resolved', next: { resolution: 1 } });
    expect(asked).not.toHaveProperty('round');
    await resolved();
    const [first, second, ...others] = await follow();
    expect(others).toEqual([]);
    expect(second.view).toMatchObject({ state: 'resolved', round: 2, id: asked.next!.id });
    const { report: before } = await first.client.resolution(1);
    const expected = nextRound(study, before, { study: first.view.digest, total: before.digest });
    if ('problem' in expected) throw new Error(expected.problem);
    expect(studyDigest(expected)).toBe(second.view.digest);
    const { report } = await second.client.resolution('latest');
    expect(report).toMatchObject({ digest: expect.any(String), n: 90 });
    const together = federated(expected, yesNo, parts).report;
    if (typeof together === 'string') throw new Error(together);
    expect(report.digest).toBe(together.digest);
    // The same again, from the second round: three rounds, one secret.
    await second.client.openRound();
    await resolved();
    expect((await follow('b')).map(({ view }) => [view.round, view.you?.site])).toEqual([
      [undefined, 'b'],
      [2, 'b'],
      [3, 'b'],
    ]);
  });

  it('is in both logs, whose chains hold', async () => {
    const { admin, resolved, follow } = await roundStudy(await open(), sites);
    await resolved();
    await admin.openRound();
    const [first, second] = await follow();
    const { coordinatorKey } = first.link;
    const events = [];
    for (const { client, view } of [first, second]) {
      const log = await client.auditLog();
      expect(verifyAuditLog(log, { studyDigest: view.digest, coordinatorKey })).not.toHaveProperty(
        'problem',
      );
      events.push(log.entries.map(({ event, detail }) => [event, detail]));
    }
    expect(events[0].at(-1)).toEqual([
      'round-opened',
      { study: second.view.digest, resolution: 1 },
    ]);
    expect(events[1]).toEqual([
      ['created', { sites, after: first.view.digest, resolution: 1 }],
      ['opened', {}],
    ]);
  });

  it('takes a new invitation for all rounds, with the key that is pinned', async () => {
    const { admin, resolved, follow, send } = await roundStudy(await open(), sites);
    await resolved();
    await admin.openRound();
    const { token } = await admin.invite('a');
    await expect(follow('a')).rejects.toMatchObject({ code: 'no-token' });
    const [, second] = await follow('a', token);
    await expect(send(second, 'a', createSigningKey())).rejects.toMatchObject({
      code: 'not-allowed',
    });
    expect(await send(second, 'a')).toMatchObject({ sequence: 1 });
    // A key that is forgotten in the first round is forgotten in the second.
    const forgot = await admin.invite('b', { forgetKey: true });
    expect(await send((await follow('b', forgot.token))[1], 'b', createSigningKey())).toMatchObject(
      {
        sequence: 1,
      },
    );
  });

  it('has the analyst’s newest link, and no other', async () => {
    const { admin, resolved, follow, coordinator, created } = await roundStudy(await open(), sites);
    await resolved();
    await admin.openRound();
    const [, second] = await follow();
    const { token } = await second.client.renewAdmin();
    await expect(admin.view()).rejects.toMatchObject({ code: 'no-token' });
    await expect(second.client.view()).rejects.toMatchObject({ code: 'no-token' });
    expect(await follow(undefined, token)).toHaveLength(2);
    await coordinator.revokeAdmin({ role: 'study', study: created.id }, created.id);
    await expect(follow(undefined, token)).rejects.toMatchObject({ code: 'no-token' });
  });

  it('leaves out who has withdrawn or was revoked', async () => {
    const { admin, resolved, follow, coordinator } = await roundStudy(await open(), sites);
    await resolved();
    await admin.revoke('b');
    await admin.withdraw({ site: 'c' });
    await coordinator.runDueWork();
    await admin.openRound();
    const [, { view }] = await follow();
    expect(view.sites.map(({ name }) => name)).toEqual(['a']);
    expect(await follow('c')).toHaveLength(1);
    await admin.invite('c');
    expect((await follow())[1].view.sites.map(({ name }) => name)).toEqual(['a', 'c']);
  });

  it('has no deadline if that of the first has passed', async () => {
    const clock = createClock();
    const study = logisticStudy({ quorum: { deadline: '2027-01-02T00:00:00Z' } });
    const { admin, resolved, follow } = await roundStudy(await open(), sites, study, clock);
    await resolved();
    clock.pass(2 * 86_400_000);
    await admin.openRound();
    const [, { client, view }] = await follow();
    expect(view).not.toHaveProperty('deadline');
    expect(await client.extend('2027-02-01T00:00:00Z')).toHaveProperty('deadline');
  });

  it('does not open to secrets of another study, nor to a site', async () => {
    const store = await open();
    const { admin, resolved, follow, link, options } = await roundStudy(store, sites);
    const other = await roundStudy(store, ['a']);
    await resolved();
    await expect(studyClient(link('a'), options).openRound()).rejects.toMatchObject({
      code: 'not-allowed',
    });
    await admin.openRound();
    const [, second] = await follow();
    for (const { token } of [other.link(), other.link('a')]) {
      const foreign = studyClient({ ...second.link, token }, options);
      await expect(foreign.view()).rejects.toMatchObject({ code: 'not-allowed' });
    }
  });
});

eachStore('rounds', (open, place) => {
  it('is one, however often and by however many coordinators it is asked for', async () => {
    const at = await place();
    const { admin, resolved, created } = await roundStudy(await at.open(), sites);
    await resolved();
    const other = await createCoordinator({ store: await at.open() });
    const asked = await Promise.all(
      Array.from({ length: 6 }, (_, k) =>
        k % 2 === 0 ? admin.openRound() : other.openRound(operator, created.id),
      ),
    );
    expect(new Set(asked.map(({ next }) => next?.digest)).size).toBe(1);
    const { db } = await at.open();
    expect(await db.selectFrom('studies').select('round').orderBy('round').execute()).toEqual([
      { round: 1 },
      { round: 2 },
    ]);
    const log = await admin.auditLog();
    expect(log.entries.filter(({ event }) => event === 'round-opened')).toHaveLength(1);
  });

  it('is closed to a site that was revoked, in all rounds, whichever is named', async () => {
    for (const named of [0, 1]) {
      const { admin, resolved, follow, send, coordinator } = await roundStudy(await open(), sites);
      await resolved();
      await admin.openRound();
      for (const site of ['a', 'b']) await send((await follow(site))[1], site);
      const gone = await follow('c');
      await (await follow())[named].client.revoke('c');
      for (const { client } of gone) {
        await expect(client.view()).rejects.toMatchObject({ code: 'no-token' });
        await expect(client.contribute(new Uint8Array(3))).rejects.toMatchObject({
          code: 'no-token',
        });
      }
      await coordinator.runDueWork();
      const [, { view }] = await follow();
      expect([view.state, view.sites.map(({ state }) => state)]).toEqual([
        'resolved',
        ['contributed', 'contributed', 'revoked'],
      ]);
    }
  });
});

describe('a round that is refused', () => {
  it('has no resolution to start from', async () => {
    const { admin, resolved } = await roundStudy(await open(), sites);
    const early = { code: 'conflict', message: expect.stringContaining('no resolution yet') };
    await expect(admin.openRound()).rejects.toMatchObject(early);
    await resolved();
    await admin.reopen();
    const state = { code: 'conflict', message: 'the study is collecting: it cannot refine' };
    await expect(admin.openRound()).rejects.toMatchObject(state);
    expect(await admin.view()).not.toHaveProperty('next');
  });

  it('would change nothing: the method is exact', async () => {
    const {
      coordinator,
      id,
      sites: linear,
    } = await runningStudy(await open(), ['a'], {
      study: anyStudy(),
    });
    await linear[0].send(rows(0, 40));
    await coordinator.runDueWork();
    await expect(coordinator.openRound(operator, id)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('the model is exact'),
    });
  });

  it.each([
    [0, 'the study plans no further round'],
    [1, 'all 2 rounds are done'],
  ])('was not planned in a private study: after %i further rounds', async (planned, message) => {
    const privacy = { epsilon: 50, delta: 1e-6, unit: 'row', rounds: planned } as const;
    const study = { ...anyStudy(), privacy };
    const { coordinator, id, sites: hidden } = await runningStudy(await open(), ['a'], { study });
    await hidden[0].send(rows(0, 60));
    await coordinator.runDueWork();
    let newest = id;
    for (let round = 2; round <= planned + 1; round++) {
      const { next } = await coordinator.openRound(operator, newest);
      newest = next!.id;
      const agreed = agreement((await coordinator.view(operator, newest)).study);
      const again = testSite(coordinator, newest, agreed, 'a', hidden[0].key);
      await again.send(rows(0, 60));
      await coordinator.runDueWork();
    }
    await expect(coordinator.openRound(operator, newest)).rejects.toMatchObject({
      code: 'conflict',
      message,
    });
  });

  it('has too few sites left', async () => {
    const study = logisticStudy({ aggregation: { kind: 'plain', minimumSites: 3 } });
    const { admin, resolved } = await roundStudy(await open(), sites, study);
    await resolved();
    await admin.revoke('a');
    await expect(admin.openRound()).rejects.toMatchObject({
      code: 'conflict',
      message: 'sites that are still in the study: 2, needed for the quorum: 3',
    });
  });

  it('would tell about fewer sites than minimumSites, beside the round before', async () => {
    const study = logisticStudy({ aggregation: { kind: 'plain', minimumSites: 2 } });
    const { admin, resolved, follow } = await roundStudy(await open(), sites, study);
    await resolved();
    await admin.revoke('c');
    await admin.openRound();
    await resolved(['a', 'b']);
    const [, { view }] = await follow();
    expect(view).toMatchObject({
      state: 'closed',
      problem: expect.stringContaining('a group of 1 site'),
    });
  });
});

describe('a site', () => {
  it('follows no round that it does not derive itself from what was signed', async () => {
    const { admin, resolved, link, app } = await roundStudy(await open(), sites);
    await resolved();
    await admin.openRound();
    const digest = `sha256:${'0'.repeat(64)}`;
    const sent: string[] = [];
    const changed = (change: (view: object) => object) =>
      followRounds(link('a'), {
        retryFor: 0,
        fetch: async (input, init) => {
          const request = new Request(input, init);
          sent.push(`${request.method} ${new URL(request.url).pathname.split('/').at(-1)}`);
          const answer = await app.fetch(request);
          const json = (await answer.json()) as { schema: string };
          return Response.json(change(json), { status: answer.status });
        },
      });
    const lie = 'the next round does not follow from the study you were invited to';
    await expect(
      changed((json) =>
        'next' in json ? { ...json, next: { ...(json.next as object), digest } } : json,
      ),
    ).rejects.toThrow(lie);
    // Coefficients of nobody's model, signed by the coordinator as another resolution would be.
    await expect(
      changed((json) =>
        'report' in json
          ? sealDocument({ ...json, seal: undefined } as object, createSigningKey())
          : json,
      ),
    ).rejects.toThrow('signed with another key');
    expect(new Set(sent.map((one) => one.split(' ')[0]))).toEqual(new Set(['GET']));
  });
});
