import { expect, it } from 'vitest';
import { reportOf } from '../src/conclude.ts';
import { readContribution, totalDigest } from '../src/federate.ts';
import { studyClient } from '../src/protocol/client.ts';
import type { Link } from '../src/protocol/link.ts';
import { NetworkFailure } from '../src/protocol/network-failure.ts';
import {
  type LinearStatistic,
  statisticBytes,
  statisticFromBytes,
  sumStatistics,
} from '../src/statistic/statistic.ts';
import type { Study, TableStudy } from '../src/study/study.ts';
import { finiteJson } from '../src/text/finite-json.ts';
import { anyStudy, operator, rows, runningStudy, table } from './coordinator-study.ts';
import { fileOf, openSession, type Session, study } from './http-study.ts';
import { agreement } from './linear.ts';
import { eachStore } from './stores.ts';
import { tableOf } from './tables.ts';

const agreed = agreement(study);
const cells = Object.fromEntries(
  Object.entries(table.cells).map(([name, values]) => [name, [...values]]),
);

/** The sum of what was sent, added here. */
function sumOf(files: readonly Uint8Array[]): LinearStatistic {
  const statistics = files.map((file) => {
    const decoded = readContribution(agreed, file);
    if ('refused' in decoded) throw new Error(decoded.refused);
    return decoded.contribution.statistic;
  });
  return sumStatistics(agreed.layout, statistics);
}

async function resolvedSession(store: Parameters<typeof openSession>[0]) {
  const session = await openSession(store);
  const files = [fileOf('north', session.keys.north), fileOf('south', session.keys.south)];
  await session.send('north', files[0]);
  await session.send('south', files[1]);
  await session.coordinator.runDueWork();
  return { ...session, total: sumOf(files) };
}

function clientOf(
  { app, created, coordinator }: Session,
  token: string,
  change: (response: Response) => Response | Promise<Response> = (response) => response,
) {
  const link: Link = {
    coordinator: 'http://localhost',
    purpose: 'study',
    study: created.id,
    token,
    coordinatorKey: coordinator.key,
  };
  return studyClient(link, {
    fetch: async (input, init) => change(await app.fetch(new Request(input, init))),
    retryFor: 0,
  });
}

eachStore('the total of a resolution', (open) => {
  it('is the sum of what the sites have sent, and solves to the same answer', async () => {
    const session = await resolvedSession(await open());
    for (const token of [session.admin, session.operator]) {
      const client = clientOf(session, token);
      for (const number of [1, 'latest'] as const) {
        const total = await client.total(number);
        expect(total).toEqual(session.total);
        const { report } = await client.resolution(number);
        expect(totalDigest(agreed, total)).toBe(report.digest);
        const made = agreed.method.resolve({ total, contributions: 2 });
        if ('problem' in made) throw new Error(made.problem);
        const again = reportOf(agreed, total, made, report.sites);
        expect(JSON.parse(finiteJson(again))).toEqual(report);
      }
    }
    const path = `${session.path}/resolutions/1/total`;
    const answer = await session.ask('GET', path, { token: session.admin });
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(statisticBytes(session.total));
  });

  it('is for no site and for nobody without a token: they get no byte of it', async () => {
    const session = await resolvedSession(await open());
    const { tokens, path, ask } = session;
    const bytes = Buffer.from(statisticBytes(session.total)).subarray(0, 16);
    for (const [token, status] of [
      [tokens.north, 403],
      [`sfc_${'A'.repeat(43)}`, 401],
      [undefined, 401],
    ] as const) {
      for (const number of ['1', 'latest', '7']) {
        const asking = token === undefined ? {} : { token };
        const answer = await ask('GET', `${path}/resolutions/${number}/total`, asking);
        expect(answer.status).toBe(status);
        expect(Buffer.from(await answer.arrayBuffer()).includes(bytes)).toBe(false);
      }
    }
    await expect(
      session.coordinator.total(
        { role: 'site', study: session.created.id, site: 'north' },
        session.created.id,
        1,
      ),
    ).rejects.toMatchObject({ code: 'not-allowed' });
  });

  it('is refused where there is no such resolution, or other contributions count now', async () => {
    const { coordinator, id, sites } = await runningStudy(await open(), ['a', 'b']);
    const code = (number: number | 'latest') =>
      coordinator.total(operator, id, number).then(
        () => 'given',
        (refusal) => refusal.message,
      );
    expect(await code('latest')).toBe('the study has no resolution yet');
    await sites[0].send(rows(0, 20));
    await sites[1].send(rows(20, 40));
    await coordinator.runDueWork();
    expect(await code(1)).toBe('given');
    expect(await code(2)).toBe('the study has no such resolution');
    await sites[0].withdraw(2);
    expect(await code(1)).toBe('contributions have changed since resolution 1');
    await coordinator.runDueWork();
    expect(await code(1)).toBe('contributions have changed since resolution 1');
    expect(await code('latest')).toBe('given');
  });

  it('of a private study is shown to nobody', async () => {
    const privacy = { epsilon: 1, delta: 1e-6, unit: 'row' } as const;
    const { coordinator, id, sites } = await runningStudy(await open(), ['a', 'b'], {
      study: { ...anyStudy(), privacy } as Study,
    });
    await sites[0].send(rows(0, 30));
    await sites[1].send(rows(30, 60));
    await coordinator.runDueWork();
    await expect(coordinator.total(operator, id, 'latest')).rejects.toMatchObject({
      code: 'conflict',
      message: 'the study is private: its report is all there is to see',
    });
  });

  it.each<[string, Partial<TableStudy>]>([
    ['compact', { arithmetic: 'compact' }],
    ['fine', { grid: 88 }],
    ['Fisher', { formula: 'k ~ x', fusion: { kind: 'glm', family: 'poisson' } }],
  ])('of a %s study has the digest of its report', async (_, change) => {
    const from = tableOf({ ...cells, k: cells.x.map((_, r) => (r * 7919) % 5) });
    const changed = { ...anyStudy(), codebook: from.codebook, ...change } as Study;
    const { coordinator, id, sites } = await runningStudy(await open(), ['a', 'b'], {
      study: changed,
      from,
    });
    await sites[0].send(rows(20, 40));
    await sites[1].send(rows(40, 60));
    await coordinator.runDueWork();
    const meant = agreement(changed);
    const total = statisticFromBytes(meant.layout, await coordinator.total(operator, id, 1));
    const { report } = await coordinator.resolution(operator, id, 1);
    expect(totalDigest(meant, total as LinearStatistic)).toBe(report.digest);
  });

  it('is not believed where it is another one', async () => {
    const session = await resolvedSession(await open());
    const isTotal = (response: Response) =>
      response.headers.get('content-type') === 'application/octet-stream';
    for (const spoil of [
      (bytes: Uint8Array) => bytes.with(3, bytes[3] ^ 1),
      (bytes: Uint8Array) => bytes.slice(8),
      (bytes: Uint8Array) => new Uint8Array([...bytes, 0, 0, 0, 0]),
      () => new Uint8Array(0),
    ]) {
      const client = clientOf(session, session.admin, async (response) =>
        isTotal(response)
          ? new Response(spoil(new Uint8Array(await response.arrayBuffer())))
          : response,
      );
      const failure = await client.total(1).catch((reason: unknown) => reason);
      expect(failure).toBeInstanceOf(NetworkFailure);
      expect(String(failure)).toContain('the report was not made from this total');
    }
  });
});
