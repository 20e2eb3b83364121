import { join } from 'node:path';
import { expect, it } from 'vitest';
import { totalDigest } from '../src/federate.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import { temporaryFolder } from './cli.ts';
import { createClock, operator, rows, table } from './coordinator-study.ts';
import { maskedStudy } from './masked-coordinator.ts';
import { summaryOf } from './tables.ts';

const folder = temporaryFolder();
let stores = 0;
const newStore = () => openSqliteStore(join(folder, `${++stores}.db`));
const MINUTE = 60_000;
const deadline = '2027-01-01T01:00:00.000Z';

/** A study whose deadline is an hour away, and whose later stages have ten minutes. */
async function timedStudy() {
  const clock = createClock();
  const study = await maskedStudy(await newStore(), { clock, deadline, stageMinutes: 10 });
  const { coordinator, id } = study;
  return {
    ...study,
    view: () => coordinator.view(operator, id),
    async pass(minutes: number) {
      clock.pass(minutes * MINUTE);
      await coordinator.runDueWork();
    },
    async ended() {
      const { entries } = await coordinator.auditLog(operator, id);
      return entries
        .filter(({ event }) => event === 'stage-ended' || event === 'closed')
        .map(({ detail }) => detail);
    },
  };
}

it('each stage that waits for a missing site ends by itself, and the others go on', async () => {
  const study = await timedStudy();
  const { coordinator, id, agreed, sites, send, ask, deal, file, contribute, help } = study;
  // One site never comes.
  for (const site of sites.slice(0, 4)) await send(site, site.keys());
  await study.pass(59);
  expect((await ask(sites[0], 'keys')).graph).toBeUndefined();
  await study.pass(1);
  expect((await ask(sites[0], 'keys')).graph).toBeDefined();
  expect(await study.view()).toMatchObject({
    state: 'open',
    deadline: '2027-01-01T01:10:00.000Z',
  });
  await expect(send(sites[4], sites[4].keys())).rejects.toThrow(/over, without this site/);
  for (const site of sites.slice(0, 4)) await deal(site);
  expect((await ask(sites[0], 'shares')).dealt).toBeDefined();
  for (const [k, site] of sites.slice(0, 4).entries()) {
    await contribute(site, await file(site, rows(10 * k, 10 * k + 10)));
  }
  await study.pass(0);
  await help(sites.slice(0, 4));
  await study.pass(1);
  const { report } = await coordinator.resolution(operator, id, 'latest');
  const pooled = summaryOf(agreed as never, table, rows(0, 40)).statistic;
  expect(report.digest).toBe(totalDigest(agreed, pooled));
});

it('a site that leaves after its keys, and one that leaves after its shares, hold up nobody', async () => {
  const study = await timedStudy();
  const { coordinator, id, agreed, sites, send, deal, file, contribute, help } = study;
  for (const site of sites) await send(site, site.keys());
  for (const site of sites.slice(0, 4)) await deal(site);
  await study.pass(60);
  expect(await study.ended()).toEqual([
    { stage: 'keys', sites: 5 },
    { stage: 'shares', sites: 4 },
  ]);
  for (const [k, site] of sites.slice(0, 4).entries()) {
    await contribute(site, await file(site, rows(10 * k, 10 * k + 10)));
  }
  await study.pass(0);
  expect((await study.ended()).slice(2)).toEqual([
    { reason: 'complete' },
    { stage: 'contributions', sites: 4 },
  ]);
  await help(sites.slice(0, 4));
  await study.pass(1);
  const { report } = await coordinator.resolution(operator, id, 'latest');
  const pooled = summaryOf(agreed as never, table, rows(0, 40)).statistic;
  expect(report.digest).toBe(totalDigest(agreed, pooled));
});

it('a stage with too few sites closes the study at the deadline, and nothing is opened', async () => {
  const study = await timedStudy();
  const { coordinator, id, sites, send, ask } = study;
  for (const site of sites.slice(0, 3)) await send(site, site.keys());
  await study.pass(60);
  expect(await study.ended()).toEqual([{ reason: 'deadline' }]);
  expect((await study.view()).problem).toMatch(/needed for the quorum|not agreed on masks/);
  await expect(ask(sites[0], 'keys')).rejects.toThrow(/closed before the end of the stage of keys/);
  // The analyst reopens, and the same keys go on.
  await coordinator.reopen(operator, id, { deadline: '2027-01-01T02:00:00.000Z' });
  await send(sites[3], sites[3].keys());
  await study.pass(60);
  expect(await study.ended()).toContainEqual({ stage: 'keys', sites: 4 });
});

it('contributions end at the time of their stage, with those that are there', async () => {
  const study = await timedStudy();
  const { sites, send, deal, file, contribute, coordinator, id } = study;
  for (const site of sites) await send(site, site.keys());
  for (const site of sites) await deal(site);
  for (const [k, site] of sites.slice(0, 4).entries()) {
    await contribute(site, await file(site, rows(10 * k, 10 * k + 10)));
  }
  await study.pass(59);
  expect((await study.view()).state).toBe('collecting');
  await study.pass(1);
  expect(await study.ended()).toContainEqual({ reason: 'deadline' });
  await expect(contribute(sites[4], await file(sites[4], rows(0, 5)))).rejects.toThrow(/closed/);
  await study.help(sites.slice(0, 4));
  await study.pass(1);
  expect((await coordinator.view(operator, id)).state).toBe('resolved');
});
