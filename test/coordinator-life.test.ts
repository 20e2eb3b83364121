import { expect, it } from 'vitest';
import { verifyAuditLog } from '../src/protocol/audit-chain.ts';
import { isSealed, sealDocument } from '../src/protocol/signature.ts';
import { resolutionDigest, verifyResolution } from '../src/protocol/verify-resolution.ts';
import { canonicalJson } from '../src/study/canonical-json.ts';
import { anyStudy, createClock, operator, rows, runningStudy } from './coordinator-study.ts';
import { reportDigest } from './coordinator-totals.ts';
import { eachStore } from './stores.ts';

const HOUR = 3_600_000;

eachStore('the life of a study', (open) => {
  it('goes from draft to resolved, and its answer is that of all rows', async () => {
    const { coordinator, id, agreed, sites } = await runningStudy(await open(), ['b', 'a'], {
      draft: true,
    });
    const state = async () => (await coordinator.view(operator, id)).state;
    expect(await state()).toBe('draft');
    await expect(sites[0].send(rows(0, 30))).rejects.toMatchObject({ code: 'conflict' });
    await coordinator.open(operator, id);
    expect(await state()).toBe('open');
    await sites[0].send(rows(0, 30));
    expect(await state()).toBe('collecting');
    const receipt = await sites[1].send(rows(30, 60));
    expect(isSealed(receipt)).toBe(true);
    expect(await state()).toBe('closed');
    await coordinator.runDueWork();
    expect(await state()).toBe('resolved');
    const resolution = await coordinator.resolution(sites[0].caller, id, 'latest');
    expect(verifyResolution(resolution, coordinator.key)).toBeUndefined();
    expect(verifyResolution(resolution, sites[0].key.key)).toMatch(/another key/);
    const report = { ...resolution.report, n: 61 };
    expect(verifyResolution({ ...resolution, report }, coordinator.key)).toMatch(/signature/);
    const other = { ...resolution, seal: undefined, studyDigest: resolution.report.digest };
    expect(verifyResolution(sealDocument(other, sites[0].key))).toMatch(/digest is not that/);
    expect(resolution.report.digest).toBe(reportDigest(agreed.study, [rows(0, 60)]));
    expect(resolution.report.sites).toEqual([
      { name: 'a', n: 30, dropped: 0 },
      { name: 'b', n: 29, dropped: 1 },
    ]);
    expect(resolution.missing).toEqual([]);
    const log = await coordinator.auditLog(sites[0].caller, id);
    const known = { studyDigest: agreed.digest, coordinatorKey: coordinator.key };
    expect(verifyAuditLog(log, known)).toEqual({ ok: true, entries: log.entries.length });
    expect(log.entries.map(({ event }) => event)).toEqual([
      'created',
      'offer-accepted',
      'offer-accepted',
      'opened',
      'contributed',
      'contributed',
      'closed',
      'resolved',
    ]);
  });

  it('closes at the deadline and resolves for whoever is there if the quorum is met', async () => {
    const clock = createClock();
    const study = anyStudy({ sites: 2, deadline: '2027-01-01T01:00:00Z' });
    const { coordinator, id, sites } = await runningStudy(await open(), ['a', 'b', 'c'], {
      study,
      clock,
    });
    await sites[0].send(rows(0, 20));
    await sites[2].send(rows(20, 40));
    clock.pass(HOUR - 1);
    await coordinator.runDueWork();
    expect((await coordinator.view(operator, id)).state).toBe('collecting');
    clock.pass(1);
    await coordinator.runDueWork();
    const view = await coordinator.view(operator, id);
    expect(view.state).toBe('resolved');
    const resolution = await coordinator.resolution(operator, id, 1);
    expect(resolution.missing).toEqual(['b']);
    expect(view.resolution).toEqual({ number: 1, digest: resolutionDigest(resolution) });
    expect(resolution.report.digest).toBe(reportDigest(study, [rows(0, 40)]));
  });

  it('says who is missing from the quorum, and goes on when it is reopened', async () => {
    const clock = createClock();
    const study = anyStudy({ sites: 2, deadline: '2027-01-01T01:00:00Z' });
    const { coordinator, id, sites } = await runningStudy(await open(), ['a', 'b', 'c'], {
      study,
      clock,
    });
    await sites[0].send(rows(0, 20));
    clock.pass(HOUR);
    await coordinator.runDueWork();
    await coordinator.runDueWork();
    const closed = await coordinator.view(operator, id);
    expect(closed).toMatchObject({
      state: 'closed',
      problem: 'sites that contributed: 1, needed for the quorum: 2',
    });
    await expect(coordinator.resolution(operator, id, 'latest')).rejects.toMatchObject({
      code: 'not-found',
    });
    await expect(coordinator.resolve(operator, id, { includeLate: false })).rejects.toMatchObject({
      code: 'conflict',
      message: closed.problem,
    });
    const events = async () =>
      (await coordinator.auditLog(operator, id)).entries.map(({ event }) => event);
    expect((await events()).filter((event) => event === 'unresolved').length).toBe(1);
    const again = await coordinator.reopen(operator, id);
    expect(again.state).toBe('collecting');
    expect(again.problem).toBeUndefined();
    expect(again.deadline).toBeUndefined();
    await sites[1].send(rows(20, 40));
    await coordinator.close(operator, id);
    await coordinator.runDueWork();
    const { report } = await coordinator.resolution(operator, id, 'latest');
    expect(report.digest).toBe(reportDigest(study, [rows(0, 40)]));
  });

  it('takes a contribution after the deadline as late, also before anybody tended', async () => {
    const clock = createClock();
    const study = anyStudy({ deadline: '2027-01-01T01:00:00Z' });
    const { coordinator, id, sites } = await runningStudy(await open(), ['a', 'b'], {
      study,
      clock,
    });
    await sites[0].send(rows(0, 30));
    clock.pass(HOUR);
    expect((await sites[1].send(rows(30, 60))).late).toBe(true);
    await coordinator.runDueWork();
    const { report, missing } = await coordinator.resolution(operator, id, 'latest');
    expect(report.digest).toBe(reportDigest(study, [rows(0, 30)]));
    expect(missing).toEqual(['b']);
  });

  it('keeps late contributions apart until they are included, each answer with its number', async () => {
    const { coordinator, id, agreed, sites } = await runningStudy(await open(), ['a', 'b', 'c']);
    await sites[0].send(rows(0, 20));
    await coordinator.close(operator, id);
    await coordinator.runDueWork();
    const first = await coordinator.resolution(operator, id, 1);
    const receipt = await sites[1].send(rows(20, 40));
    expect(receipt.late).toBe(true);
    const b = async () => (await coordinator.view(operator, id)).sites[1];
    expect(await b()).toMatchObject({ state: 'ready', late: 1 });
    expect((await b()).n).toBeUndefined();
    expect(await coordinator.resolve(operator, id, { includeLate: false })).toEqual(first);
    const second = await coordinator.resolve(operator, id, { includeLate: true });
    expect(second.number).toBe(2);
    expect(second.report.digest).toBe(reportDigest(agreed.study, [rows(0, 40)]));
    expect(second.missing).toEqual(['c']);
    expect(await b()).toMatchObject({ state: 'contributed', late: 0, n: 20, dropped: 0 });
    expect(await coordinator.resolve(operator, id, { includeLate: true })).toEqual(second);
    expect(await coordinator.resolution(operator, id, 1)).toEqual(first);
    const { resolutions: lines } = await coordinator.resolutions(sites[2].caller, id);
    expect(lines.map(({ number, digest, sites }) => [number, digest, sites])).toEqual([
      [1, resolutionDigest(first), 1],
      [2, resolutionDigest(second), 2],
    ]);
    const {
      receipts: [held],
    } = await coordinator.receipts(sites[1].caller, id);
    expect(canonicalJson(held)).toBe(canonicalJson(receipt));
  });

  it('counts late contributions after it is reopened, and a late replacement from then on', async () => {
    const { coordinator, id, agreed, sites } = await runningStudy(await open(), ['a', 'b']);
    await sites[0].send(rows(0, 20));
    await coordinator.close(operator, id);
    await sites[0].send(rows(40, 60), { sequence: 2, mode: 'replace' });
    const closed = await coordinator.resolve(operator, id, { includeLate: false });
    expect(closed.report.digest).toBe(reportDigest(agreed.study, [rows(0, 20)]));
    expect((await coordinator.receipts(sites[0].caller, id)).receipts.length).toBe(2);
    await coordinator.reopen(operator, id);
    expect((await coordinator.receipts(sites[0].caller, id)).receipts.length).toBe(1);
    await coordinator.close(operator, id);
    await coordinator.runDueWork();
    const next = await coordinator.resolution(operator, id, 'latest');
    expect(next.report.digest).toBe(reportDigest(agreed.study, [rows(40, 60)]));
  });

  it('extends while it collects, not after', async () => {
    const clock = createClock();
    const study = anyStudy({ deadline: '2027-01-01T01:00:00Z' });
    const { coordinator, id } = await runningStudy(await open(), ['a'], { study, clock });
    const view = await coordinator.extend(operator, id, { deadline: '2027-01-01T02:00:00Z' });
    expect(view.deadline).toBe('2027-01-01T02:00:00.000Z');
    clock.pass(1.5 * HOUR);
    await expect(
      coordinator.extend(operator, id, { deadline: '2027-01-01T01:10:00Z' }),
    ).rejects.toMatchObject({
      code: 'bad-request',
    });
    await coordinator.runDueWork();
    expect((await coordinator.view(operator, id)).state).toBe('open');
    clock.pass(HOUR);
    await expect(
      coordinator.extend(operator, id, { deadline: '2027-01-01T05:00:00Z' }),
    ).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('goes on collecting when a site adds to a study that was reopened', async () => {
    const { coordinator, id, agreed, sites } = await runningStudy(await open(), ['a', 'b']);
    await sites[0].send(rows(0, 20));
    await sites[1].send(rows(20, 40));
    await coordinator.runDueWork();
    await coordinator.reopen(operator, id);
    await sites[0].send(rows(40, 50), { sequence: 2, mode: 'add' });
    expect((await coordinator.view(operator, id)).state).toBe('collecting');
    await sites[1].send(rows(50, 60), { sequence: 2, mode: 'add' });
    await coordinator.close(operator, id);
    await coordinator.runDueWork();
    const { number, report } = await coordinator.resolution(operator, id, 'latest');
    expect(number).toBe(2);
    expect(report.digest).toBe(reportDigest(agreed.study, [rows(0, 60)]));
  });

  it('stays closed, and says why, where the rows give no answer', async () => {
    const { coordinator, id, sites } = await runningStudy(await open(), ['a', 'b']);
    await sites[0].send([17]);
    await sites[1].send([17]);
    await coordinator.runDueWork();
    await coordinator.runDueWork();
    expect(await coordinator.view(operator, id)).toMatchObject({
      state: 'closed',
      problem: 'no rows are left',
    });
    const { entries } = await coordinator.auditLog(operator, id);
    expect(entries.filter(({ event }) => event === 'unresolved').length).toBe(1);
  });

  it('is made once', async () => {
    const { coordinator, agreed } = await runningStudy(await open(), ['a']);
    const request = { study: agreed.study, sites: ['x'] };
    await expect(coordinator.create(operator, request)).rejects.toMatchObject({ code: 'conflict' });
    expect((await coordinator.list(operator)).studies.map(({ sites }) => sites.length)).toEqual([
      1,
    ]);
  });
});
