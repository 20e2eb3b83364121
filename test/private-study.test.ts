import { expect, it } from 'vitest';
import type { Store } from '../src/coordinator/store.ts';
import { totalDigest } from '../src/federate.ts';
import type { PrivacyTerms, Study, TableStudy } from '../src/study/study.ts';
import { operator, type RunningStudy, rows, runningStudy } from './coordinator-study.ts';
import { agreement } from './linear.ts';
import { oneStore } from './stores.ts';
import { everyRow, summaryOf, tableOf } from './tables.ts';

const ALL = 4000;
const from = tableOf({
  y: Array.from({ length: ALL }, (_, r) => ((r * 7919) % 101) / 10 + ((r * 104729) % 97) / 16),
  x: Array.from({ length: ALL }, (_, r) => ((r * 104729) % 97) / 8),
  z: Array.from({ length: ALL }, (_, r) => ((r * 1299709) % 89) / 9),
});

let studies = 0;

function privateStudy(more: Partial<PrivacyTerms> = {}): TableStudy {
  return {
    schema: 'suffice/study@1',
    name: `private ${++studies}`,
    formula: 'y ~ x + z',
    codebook: {
      y: { type: 'number', range: [-5, 25] },
      x: { type: 'number', range: [0, 13], sd: 3.5 },
      z: { type: 'number', range: [0, 10], sd: 2.8 },
    },
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic: 'exact',
    privacy: { epsilon: 2, delta: 1e-6, unit: 'row', ...more },
  };
}

/** The name of the total without noise. That a noisy number of rows is the true one happens once in fifty. */
function exactDigest(study: Study): string {
  const agreed = agreement(study);
  return totalDigest(agreed, summaryOf(agreed, from, everyRow(from)).statistic);
}

/** Two sites that have sent their rows, and the study resolved by itself. */
async function resolved(
  store: Store,
  study: Study,
  middle: number,
  end: number,
): Promise<RunningStudy> {
  const running = await runningStudy(store, ['north', 'south'], { study, from });
  await running.sites[0].send(rows(0, middle));
  await running.sites[1].send(rows(middle, end));
  await running.coordinator.runDueWork();
  return running;
}

oneStore('a private study', (open) => {
  it('tells no number of rows, publishes one noisy answer, and the same one whoever asks', async () => {
    const study = privateStudy();
    const { coordinator, id, sites } = await resolved(await open(), study, 2517, ALL);
    const {
      receipts: [receipt],
    } = await coordinator.receipts(sites[0].caller, id);
    expect(receipt.privacy).toMatchObject({ epsilon: '2', delta: '0.000001' });
    const first = await coordinator.resolution(operator, id, 'latest');
    const { report } = first;
    expect(report.sites).toEqual([{ name: 'north' }, { name: 'south' }]);
    expect(report.digest).not.toBe(exactDigest(study));
    expect(Math.abs(report.n - ALL)).toBeLessThan(400);
    expect(report.privacy).toMatchObject({ epsilon: 2, delta: 1e-6, placement: 'central' });
    const slope = report.terms!.find(({ term }) => term === 'x')!.estimate;
    expect(Math.abs(slope - 0.5)).toBeLessThan(0.2);
    const view = await coordinator.view(operator, id);
    for (const site of view.sites) expect(site).not.toHaveProperty('n');
    expect(JSON.stringify([view, first, receipt])).not.toMatch(/\b(2517|1483)\b/);
    expect(await coordinator.resolve(operator, id, { includeLate: false })).toEqual(first);
    expect((await coordinator.analyse(operator, id, { questions: [] })).report).toEqual(report);
    await expect(
      coordinator.analyse(operator, id, { questions: [{ about: 'heterogeneity' }] }),
    ).rejects.toMatchObject({ code: 'conflict' });
  });

  it('gives the receipt of what it has, however late it is asked for', async () => {
    const study = privateStudy();
    const { coordinator, id, sites } = await runningStudy(await open(), ['only'], { study, from });
    const { caller, file } = sites[0];
    const bytes = file(rows(0, 2000));
    const { receipt } = await coordinator.contribute(caller, id, bytes);
    await coordinator.runDueWork();
    expect((await coordinator.resolutions(operator, id)).resolutions).toHaveLength(1);
    await coordinator.uploadLimits(caller, id);
    expect(await coordinator.contribute(caller, id, bytes)).toEqual({ receipt, created: false });
  });

  it('publishes no second total that the budget is not for', async () => {
    const { coordinator, id, sites } = await resolved(await open(), privateStudy(), 2000, 3999);
    const first = await coordinator.resolution(operator, id, 'latest');
    const spent = { code: 'gone', message: expect.stringContaining('budget is spent') };
    const more = { sequence: 2, mode: 'add' } as const;
    await expect(sites[1].send(rows(3999, ALL), more)).rejects.toMatchObject(spent);
    await expect(coordinator.reopen(operator, id)).rejects.toMatchObject(spent);
    await sites[0].withdraw(2);
    await coordinator.runDueWork();
    expect((await coordinator.view(operator, id)).problem).toContain('budget is spent');
    expect((await coordinator.resolutions(operator, id)).resolutions).toHaveLength(1);
    expect(await coordinator.resolution(operator, id, 'latest')).toEqual(first);
  });

  it('publishes as many as share the budget, each with more noise', async () => {
    const shared = await resolved(await open(), privateStudy({ releases: 2 }), 2000, 3999);
    await shared.sites[1].send(rows(3999, ALL), { sequence: 2, mode: 'add' });
    const second = await shared.coordinator.resolve(operator, shared.id, { includeLate: true });
    expect(second.number).toBe(2);
    const alone = await resolved(await open(), privateStudy(), 2000, ALL);
    const { report } = await alone.coordinator.resolution(operator, alone.id, 'latest');
    const ratio = second.report.privacy!.sigma.gram / report.privacy!.sigma.gram;
    expect(ratio).toBeCloseTo(Math.SQRT2, 6);
  });

  it('takes local noise as it comes, however often it resolves', async () => {
    const study = privateStudy({ placement: 'local' });
    const { coordinator, id, sites } = await resolved(await open(), study, 2000, ALL);
    const { report } = await coordinator.resolution(operator, id, 'latest');
    expect(report.digest).not.toBe(exactDigest(study));
    expect(report.privacy).toMatchObject({ placement: 'local' });
    await coordinator.reopen(operator, id);
    await sites[0].send(rows(0, 1000), { sequence: 2, mode: 'replace' });
    await coordinator.close(operator, id);
    await coordinator.runDueWork();
    expect((await coordinator.resolutions(operator, id)).resolutions).toHaveLength(2);
  });
});
