import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ContributionNumbering } from '../src/statistic/envelope.ts';
import { anyStudy, operator, runningStudy, table, testSite } from './coordinator-study.ts';
import { reportDigest } from './coordinator-totals.ts';
import { cases } from './endurance.ts';
import { eachStore } from './stores.ts';
import { everyRow } from './tables.ts';

/** What one of three sites does next: sends rows in a mode, or leaves. */
interface Move {
  readonly site: number;
  readonly rows: readonly number[];
  readonly deed: ContributionNumbering['mode'] | 'withdraw';
}

const anyMove: fc.Arbitrary<Move> = fc.record({
  site: fc.nat(2),
  rows: fc.subarray(everyRow(table), { minLength: 5, maxLength: 25 }),
  deed: fc.constantFrom('add', 'add', 'replace', 'withdraw'),
});

eachStore('the total of a study', (open) => {
  // Sums are exact, so what sites did to get their rows in must not show in a single bit.
  it('is that of the rows that count, whatever was added, replaced and withdrawn', async () => {
    const store = await open();
    await fc.assert(
      fc.asyncProperty(fc.array(anyMove, { minLength: 1, maxLength: 8 }), async (moves) => {
        const { coordinator, id, agreed, sites } = await runningStudy(store, ['a', 'b', 'c']);
        await coordinator.invite(operator, id, { site: 'never' }); // keeps the study from closing
        const counting: number[][] = [[], [], []];
        const next = [1, 1, 1];
        for (const { site, rows, deed } of moves) {
          if (deed === 'withdraw') {
            await sites[site].withdraw(next[site]);
            counting[site] = [];
          } else {
            await sites[site].send(rows, { sequence: next[site], mode: deed });
            counting[site] = [...(deed === 'add' ? counting[site] : []), ...rows];
          }
          next[site]++;
        }
        await coordinator.close(operator, id);
        await coordinator.runDueWork();
        const pooled = counting.flat();
        const view = await coordinator.view(operator, id);
        if (pooled.length === 0) {
          expect(view.problem).toBe('sites that contributed: 0, needed for the quorum: 1');
          return;
        }
        const { report } = await coordinator.resolution(operator, id, 'latest');
        expect(report.digest).toBe(reportDigest(agreed.study, [pooled]));
        expect(report.n).toBe(pooled.filter((r) => !Number.isNaN(table.cells.x[r])).length);
      }),
      { numRuns: cases(12) },
    );
  });

  it('after a withdrawal is that of a study the site was never in', async () => {
    const study = anyStudy();
    const store = await open();
    const { coordinator, id, sites, agreed } = await runningStudy(store, ['a', 'b', 'c'], {
      study,
    });
    await sites[0].send([0, 1, 2, 3, 4, 5, 6, 7]);
    await sites[1].send([8, 9, 10, 11, 12, 13]);
    await sites[2].send([14, 15, 16, 17, 18, 19, 20]);
    await coordinator.runDueWork();
    const first = await coordinator.resolution(operator, id, 1);
    await sites[1].withdraw(2);
    expect((await coordinator.view(operator, id)).state).toBe('closed');
    await coordinator.runDueWork();
    const second = await coordinator.resolution(operator, id, 'latest');
    const never = await runningStudy(await open(), ['a', 'c'], { study });
    await never.sites[0].send([0, 1, 2, 3, 4, 5, 6, 7]);
    await never.sites[1].send([14, 15, 16, 17, 18, 19, 20]);
    await never.coordinator.runDueWork();
    const other = await never.coordinator.resolution(operator, never.id, 'latest');
    expect(second.number).toBe(2);
    expect(second.report).toEqual(other.report);
    expect(await coordinator.resolution(operator, id, 1)).toEqual(first);
    await testSite(coordinator, id, agreed, 'b', sites[1].key).send([8, 9], {
      sequence: 3,
      mode: 'add',
    });
    const third = await coordinator.resolve(operator, id, { includeLate: true });
    expect(third.report.digest).toBe(
      reportDigest(study, [[...Array(10).keys()], [14, 15, 16, 17, 18, 19, 20]]),
    );
  });
});
