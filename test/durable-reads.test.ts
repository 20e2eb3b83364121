import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import { temporaryFolder } from './cli.ts';
import { operator, rows, runningStudy } from './coordinator-study.ts';

it('a resolution and an entry of the log are given out when they are on the disk, as receipts are', async () => {
  const waits: (() => void)[] = [];
  let holding = false;
  const store = await openSqliteStore(join(temporaryFolder(), 'suffice.db'), {}, async () => {
    if (holding) await new Promise<void>((resolve) => waits.push(resolve));
  });
  const { coordinator, id, sites } = await runningStudy(store, ['a', 'b']);
  for (const [k, site] of sites.entries()) await site.send(rows(10 * k, 10 * k + 10));
  holding = true;
  const resolving = coordinator.runDueWork();
  await expect.poll(() => waits.length).toBe(1);
  expect((await coordinator.view(operator, id)).state).toBe('resolved');

  const stop = new AbortController();
  const watched = coordinator.watch(operator, id, 1, stop.signal)[Symbol.asyncIterator]();
  const given: string[] = [];
  const reads = [
    coordinator.resolution(operator, id, 'latest').then(() => given.push('resolution')),
    coordinator.resolutions(operator, id).then(() => given.push('resolutions')),
    coordinator.auditLog(operator, id).then(() => given.push('log')),
    watched.next().then(() => given.push('event')),
  ];
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(given).toEqual([]);
  waits[0]();
  holding = false;
  await Promise.all([resolving, ...reads]);
  expect(given).toHaveLength(4);
  stop.abort();
  await watched.return?.();
  await store.close();
});
