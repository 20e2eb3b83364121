import { expect, it } from 'vitest';
import { createCoordinator } from '../src/coordinator/create-coordinator.ts';
import type { Store } from '../src/coordinator/store.ts';
import { verifyAuditLog } from '../src/protocol/audit-chain.ts';
import { digestBytes } from '../src/study/digest.ts';
import { operator, rows, runningStudy, testSite } from './coordinator-study.ts';
import { dump } from './http-study.ts';
import { eachStore } from './stores.ts';

async function refused(store: Store, code: string, work: () => Promise<unknown>): Promise<void> {
  const before = await dump(store);
  await expect(work()).rejects.toMatchObject({ code });
  expect(await dump(store)).toBe(before);
}

eachStore('the key of a site', (open, place) => {
  it('is that of its first contribution, which the log tells', async () => {
    const store = await open();
    const { coordinator, id, agreed, sites } = await runningStudy(store, ['a', 'b'], {
      offers: 'none',
    });
    expect((await coordinator.uploadLimits(sites[0].caller, id)).limit).toBeGreaterThan(0);
    const receipt = await sites[0].send(rows(0, 20));
    const log = await coordinator.auditLog(operator, id);
    const known = { studyDigest: agreed.digest, coordinatorKey: coordinator.key };
    expect(verifyAuditLog(log, known)).toMatchObject({ ok: true });
    expect(log.entries[receipt.audit.position - 1]).toMatchObject({
      at: receipt.receivedAt,
      event: 'contributed',
      detail: { site: 'a', key: sites[0].key.key, sequence: 1 },
    });
    const stranger = testSite(coordinator, id, agreed, 'a');
    const next = { sequence: 2, mode: 'replace' } as const;
    await refused(store, 'not-allowed', () => stranger.send(rows(0, 20)));
    await refused(store, 'not-allowed', () => stranger.send(rows(0, 21), next));
    await refused(store, 'not-allowed', () => stranger.withdraw(2));
    await refused(store, 'conflict', () => stranger.offer());
    expect((await sites[0].send(rows(0, 21), next)).sequence).toBe(2);
    await sites[1].send(rows(20, 40));
    expect((await coordinator.view(operator, id)).state).toBe('closed');
  });

  it('is not pinned by a contribution that is refused', async () => {
    const store = await open();
    const running = await runningStudy(store, ['a', 'b'], { offers: 'none' });
    const { coordinator, id, agreed, sites } = running;
    const stranger = testSite(coordinator, id, agreed, 'a');
    const early = { sequence: 2, mode: 'add' } as const;
    await refused(store, 'conflict', () => stranger.send(rows(0, 9), early));
    const torn = stranger.file(rows(0, 9)).slice(0, -8);
    await refused(store, 'unprocessable', () => coordinator.contribute(stranger.caller, id, torn));
    expect((await sites[0].send(rows(0, 20))).sequence).toBe(1);
  });

  it('is one where two come at the same time, and nothing of the other is kept', async () => {
    const at = await place();
    const stores = [await at.open(), await at.open()];
    const names = Array.from({ length: 6 }, (_, k) => `s${k}`);
    const { coordinator, id, agreed } = await runningStudy(stores[0], names, { offers: 'none' });
    const other = await createCoordinator({ store: stores[1] });
    for (const name of names) {
      const twins = [coordinator, other].map((one) => testSite(one, id, agreed, name));
      const files = twins.map((twin, k) => twin.file(rows(0, 20 + k)));
      const sent = await Promise.allSettled(twins.map((twin, k) => twin.send(rows(0, 20 + k))));
      const won = sent.findIndex(({ status }) => status === 'fulfilled');
      expect(sent[1 - won]).toMatchObject({ status: 'rejected', reason: { code: 'not-allowed' } });
      const held = await stores[0].db
        .selectFrom('contributions')
        .innerJoin('sites', (join) =>
          join
            .onRef('sites.study', '=', 'contributions.study')
            .onRef('sites.name', '=', 'contributions.site'),
        )
        .select(['contributions.digest', 'sites.key', 'sites.next_sequence'])
        .where('contributions.site', '=', name)
        .execute();
      expect(held).toEqual([
        { digest: digestBytes(files[won]), key: twins[won].key.key, next_sequence: 2 },
      ]);
      const log = JSON.stringify(await coordinator.auditLog(operator, id));
      expect(log).toContain(twins[won].key.key);
      expect(log).not.toContain(twins[1 - won].key.key);
    }
  });

  it('is forgotten by an invitation that says so, and by nothing else', async () => {
    const store = await open();
    const { coordinator, id, agreed, sites } = await runningStudy(store, ['a', 'b'], {
      offers: 'none',
    });
    await sites[0].send(rows(0, 20));
    const lost = testSite(coordinator, id, agreed, 'a');
    const turn = (sequence: number) => ({ sequence, mode: 'replace' }) as const;
    await coordinator.invite(operator, id, { site: 'a' });
    await refused(store, 'not-allowed', () => lost.send(rows(0, 9), turn(2)));
    await sites[0].withdraw(2);
    await refused(store, 'not-allowed', () => lost.send(rows(0, 9), turn(3)));
    await coordinator.invite(operator, id, { site: 'a' });
    await coordinator.withdraw(operator, id, { site: 'a' });
    await refused(store, 'not-allowed', () => lost.send(rows(0, 9), turn(4)));
    await coordinator.invite(operator, id, { site: 'a', forgetKey: true });
    expect((await lost.send(rows(0, 9), turn(4))).sequence).toBe(4);
    await refused(store, 'not-allowed', () => sites[0].send(rows(0, 9), turn(5)));
  });

  it('lets a site that withdrew come back, and none that was revoked', async () => {
    const store = await open();
    const { coordinator, id, sites } = await runningStudy(store, ['a', 'b', 'c'], {
      offers: 'none',
    });
    await sites[0].send(rows(0, 20));
    await sites[0].withdraw(2);
    expect((await sites[0].send(rows(0, 20), { sequence: 3, mode: 'add' })).late).toBe(false);
    await coordinator.revoke(operator, id, 'b');
    await expect(coordinator.uploadLimits(sites[1].caller, id)).rejects.toMatchObject({
      code: 'not-allowed',
    });
    await refused(store, 'not-allowed', () => sites[1].send(rows(20, 40)));
  });
});
