import { expect, it } from 'vitest';
import { verifyAuditLog } from '../src/protocol/audit-chain.ts';
import { isSealed } from '../src/protocol/signature.ts';
import { verifyResolution } from '../src/protocol/verify-resolution.ts';
import { operator, rows, runningStudy } from './coordinator-study.ts';
import { reportDigest } from './coordinator-totals.ts';
import { eachStore } from './stores.ts';

eachStore('the life of a study', (open) => {
  it('goes from draft to resolved, and its answer is that of all rows', async () => {
    const store = await open();
    const { coordinator, id, agreed, sites } = await runningStudy(store, ['b', 'a'], {
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
    await coordinator.tend();
    expect(await state()).toBe('resolved');
    const resolution = await coordinator.resolution(sites[0].caller, id, 'latest');
    expect(verifyResolution(resolution, coordinator.key)).toBeUndefined();
    expect(resolution.report.digest).toBe(reportDigest(agreed.study, [rows(0, 60)]));
    expect(resolution.report.sites).toEqual([
      { name: 'a', n: 30, dropped: 0 },
      { name: 'b', n: 29, dropped: 1 },
    ]);
    expect(resolution.missing).toEqual([]);
    const log = await coordinator.auditLog(sites[0].caller, id);
    expect(
      verifyAuditLog(log, { studyDigest: agreed.digest, coordinatorKey: coordinator.key }),
    ).toEqual({ ok: true, entries: log.entries.length });
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
});
