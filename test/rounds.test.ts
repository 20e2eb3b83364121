import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createCoordinator } from '../src/coordinator/create-coordinator.ts';
import type { ResidualFeature } from '../src/features/residual-terms.ts';
import { nextRound } from '../src/federate.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import { verifyAuditLog } from '../src/protocol/audit-chain.ts';
import { studyClient } from '../src/protocol/client.ts';
import { followRounds } from '../src/protocol/follow-rounds.ts';
import { createSigningKey, sealDocument } from '../src/protocol/signature.ts';
import { studyDigest, type TableStudy } from '../src/study/study.ts';
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
import { layeredStudy, logisticStudy, roundStudy, yesNo } from './round-study.ts';
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
  it.each([
    ['a Newton step', logisticStudy],
    ['a residual layer', layeredStudy],
  ])('has the same secrets, and gives what the sites give together: %s', async (_, studyOf) => {
    const study = studyOf();
    const { admin, resolved, follow, link, options } = await roundStudy(await open(), sites, study);
    const other = await roundStudy(await open(), ['a']);
    await resolved();
    const asSite = studyClient(link('a'), options);
    await expect(asSite.openRound()).rejects.toMatchObject({ code: 'not-allowed' });
    const asked = await admin.openRound();
    expect(asked).toMatchObject({ state: 'resolved', next: { resolution: 1 } });
    expect(asked).not.toHaveProperty('round');
    await resolved();
    const [first, second, ...others] = await follow();
    expect(others).toEqual([]);
    expect(second.view).toMatchObject({ state: 'resolved', round: 2, id: asked.next!.id });
    for (const { token } of [other.link(), other.link('a')]) {
      const foreign = studyClient({ ...second.link, token }, options);
      await expect(foreign.view()).rejects.toMatchObject({ code: 'not-allowed' });
    }
    const { report: before } = await first.client.resolution(1);
    const expected = nextRound(study, before, { study: first.view.digest, total: before.digest });
    if ('problem' in expected) throw new Error(expected.problem);
    expect(studyDigest(expected)).toBe(second.view.digest);
    const { report } = await second.client.resolution('latest');
    const together = federated(expected, yesNo, parts).report;
    if (typeof together === 'string') throw new Error(together);
    expect([report.digest, report.n]).toEqual([together.digest, 90]);
    // Once more, from the second round.
    await second.client.openRound();
    expect((await follow('b')).map(({ view }) => [view.round, view.you?.site])).toEqual([
      [undefined, 'b'],
      [2, 'b'],
      [3, 'b'],
    ]);
    const { coordinatorKey } = first.link;
    const logs = await Promise.all([first, second].map(({ client }) => client.auditLog()));
    for (const log of logs) {
      const verdict = verifyAuditLog(log, { studyDigest: log.study, coordinatorKey });
      expect(verdict).not.toHaveProperty('problem');
    }
    const [end, start] = [logs[0].entries.at(-1)!, logs[1].entries[0]];
    expect([end.event, end.detail]).toEqual([
      'round-opened',
      { study: second.view.digest, resolution: 1 },
    ]);
    expect([start.event, start.detail]).toEqual([
      'created',
      { sites, after: first.view.digest, resolution: 1 },
    ]);
  });

  it('takes new links for all rounds, and the key that is pinned', async () => {
    const study = await roundStudy(await open(), sites);
    const { admin, resolved, follow, send, coordinator, created } = study;
    await resolved();
    await admin.openRound();
    const { token } = await admin.invite('a');
    await expect(follow('a')).rejects.toMatchObject({ code: 'no-token' });
    const [, asA] = await follow('a', token);
    const stranger = send(asA, 'a', createSigningKey());
    await expect(stranger).rejects.toMatchObject({ code: 'not-allowed' });
    expect(await send(asA, 'a')).toMatchObject({ sequence: 1 });
    // A key that is forgotten in the first round is forgotten in the second.
    const forgot = await admin.invite('b', { forgetKey: true });
    const [, asB] = await follow('b', forgot.token);
    expect(await send(asB, 'b', createSigningKey())).toMatchObject({ sequence: 1 });
    const [, second] = await follow();
    const renewed = await second.client.renewAdmin();
    for (const { view } of [admin, second.client]) {
      await expect(view()).rejects.toMatchObject({ code: 'no-token' });
    }
    expect(await follow(undefined, renewed.token)).toHaveLength(2);
    await coordinator.revokeAdmin({ role: 'study', study: created.id }, created.id);
    await expect(follow(undefined, renewed.token)).rejects.toMatchObject({ code: 'no-token' });
  });

  it('leaves out who has withdrawn or was revoked, and a deadline that has passed', async () => {
    const clock = createClock();
    const study = logisticStudy({ quorum: { deadline: '2027-01-02T00:00:00Z' } });
    const running = await roundStudy(await open(), sites, study, clock);
    const { admin, resolved, follow, coordinator } = running;
    await resolved();
    await admin.revoke('b');
    await admin.withdraw({ site: 'c' });
    await coordinator.runDueWork();
    clock.pass(2 * 86_400_000);
    await admin.openRound();
    const [, { client, view }] = await follow();
    expect(view.sites.map(({ name }) => name)).toEqual(['a']);
    expect(view).not.toHaveProperty('deadline');
    expect(await client.extend('2027-02-01T00:00:00Z')).toHaveProperty('deadline');
    expect(await follow('c')).toHaveLength(1);
    await admin.invite('c');
    expect((await follow())[1].view.sites.map(({ name }) => name)).toEqual(['a', 'c']);
  });
});

eachStore('rounds', (_, place) => {
  it('are one after another, however often and by however many coordinators they are asked for', async () => {
    const at = await place();
    const study = at.kind === 'sqlite' ? layeredStudy() : logisticStudy();
    const { admin, resolved, created, coordinator, follow, send } = await roundStudy(
      await at.open(),
      sites,
      study,
    );
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
    // A site that is revoked, in whichever round, is out of all of them, and nobody waits for it.
    await send((await follow('a'))[1], 'a');
    const gone = [...(await follow('b')), ...(await follow('c'))];
    const [first, second] = await follow();
    await first.client.revoke('b');
    await second.client.revoke('c');
    for (const { client } of gone) {
      await expect(client.view()).rejects.toMatchObject({ code: 'no-token' });
      const sent = client.contribute(new Uint8Array(3));
      await expect(sent).rejects.toMatchObject({ code: 'no-token' });
    }
    await coordinator.runDueWork();
    const [, { view }] = await follow();
    expect([view.state, view.sites.map(({ state }) => state)]).toEqual([
      'resolved',
      ['contributed', 'revoked', 'revoked'],
    ]);
  });
});

describe('a round that is refused', () => {
  it('has no resolution to start from, or too few sites left', async () => {
    const study = logisticStudy({ aggregation: { kind: 'plain', minimumSites: 3 } });
    const { admin, resolved } = await roundStudy(await open(), sites, study);
    const refused = async (message: string) => {
      await expect(admin.openRound()).rejects.toMatchObject({ code: 'conflict', message });
      expect(await admin.view()).not.toHaveProperty('next');
    };
    await refused(
      'the study has no resolution yet: a further round starts from the model of the round before',
    );
    await resolved();
    await admin.reopen();
    await refused('the study is collecting: it cannot refine');
    await admin.close();
    await admin.resolve({ includeLate: false });
    await admin.revoke('a');
    await refused('sites that are still in the study: 2, needed for the quorum: 3');
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
});

describe('a study that names the resolution its layers are from', () => {
  it('is refused with other layers, and with a resolution that is not there', async () => {
    const running = await roundStudy(await open(), sites, layeredStudy());
    const { coordinator, admin, resolved, follow } = running;
    await resolved();
    await admin.openRound();
    const [, { view }] = await follow();
    const next = view.study as TableStudy;
    const [terms] = next.features!;
    if (terms.kind !== 'residual') throw new Error('no residual map');
    const { from, layers = [], ...rest } = terms;
    const create = (more: Partial<ResidualFeature>) =>
      coordinator.create(operator, {
        study: { ...next, name: 'again', features: [{ ...rest, ...more }] },
        sites,
      });
    const count = async () => (await coordinator.list(operator)).studies.length;
    const before = await count();
    const other = layers.map((layer) => ({
      ...layer,
      hidden: layer.hidden.replace(/^.{8}/, 'A'.repeat(8)),
    }));
    await expect(create({ layers: other, from: from! })).rejects.toThrow(
      'the layers of the study are not those of the resolution it names',
    );
    const unknown = { ...from!, total: `sha256:${'0'.repeat(64)}` };
    await expect(create({ layers, from: unknown })).rejects.toThrow('has not published');
    expect(await count()).toBe(before);
    expect((await create({ layers, from: from! })).digest).toMatch(/^sha256:/);
  });
});

describe('a site', () => {
  it('follows no round that it does not derive itself from what was signed', async () => {
    const { admin, resolved, link, app, coordinator, created } = await roundStudy(
      await open(),
      sites,
    );
    await resolved();
    const sent = new Set<string>();
    const following = (change: (answer: object) => object = (answer) => answer) =>
      followRounds(link('a'), {
        retryFor: 0,
        fetch: async (input, init) => {
          const request = new Request(input, init);
          sent.add(request.method);
          const answer = await app.fetch(request);
          return Response.json(change((await answer.json()) as object), answer);
        },
      });
    // A coordinator that puts another study in the place of the round: coefficients that are made up.
    const at = { '(Intercept)': 40, x: -3 };
    const other = logisticStudy({ fusion: { kind: 'glm', family: 'binomial', at } });
    const { id } = await coordinator.create(operator, { study: other, sites });
    const { write } = await open();
    const putAt = (place: {
      first: string | null;
      round: number;
      from_resolution: number | null;
    }) => write(id, (db) => db.updateTable('studies').set(place).where('id', '=', id).execute());
    await putAt({ first: created.id, round: 2, from_resolution: 1 });
    const lie = 'the next round does not follow from the study you were invited to';
    await expect(following()).rejects.toThrow(lie);
    await putAt({ first: null, round: 1, from_resolution: null });
    await admin.openRound();
    expect(await following()).toHaveLength(2);
    const forged = following((answer) =>
      'report' in answer
        ? sealDocument({ ...answer, seal: undefined } as object, createSigningKey())
        : answer,
    );
    await expect(forged).rejects.toThrow('signed with another key');
    expect([...sent]).toEqual(['GET']);
  });
});
