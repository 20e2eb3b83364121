import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { resultOf } from '../src/conclude.ts';
import { agreement, collectorFor } from '../src/federate.ts';
import { useNativeFactor } from '../src/node/compute/native-factor.ts';
import { useNativeHash } from '../src/node/compute/native-hash.ts';
import { postStudy, studyClient } from '../src/protocol/client.ts';
import { type Contribution, encodeContribution } from '../src/statistic/envelope.ts';
import { linkOf } from '../test/busy-site.ts';
import { type Bench, inTurn, type Section } from './section.ts';
import { startServing } from './serving.ts';
import { held, type Line, secondsText } from './table.ts';
import { studyOfWidth, wideContribution } from './wide-study.ts';

/** Wide studies: the report, adding and solving, and a coordinator that is killed while it receives. */
export const wide: Section = { name: 'wide', title: 'Wide studies, one thread beside scipy', run };

const SITES = 5;
const MOST_MEGABYTES = 1200;

async function run(bench: Bench): Promise<readonly Line[]> {
  useNativeHash();
  useNativeFactor(1);
  const [narrow, middle, widest] = bench.quick ? [400, 1000, 1200] : [2000, 5000, 10_000];
  const made = await fiveSites(middle, bench);
  return [
    await reportLine(bench, narrow),
    await addingLine(bench, middle, made),
    ...(await servedLines(middle, made)),
    await endLine(widest, bench),
  ];
}

/** Contributions of five sites with four times as many rows together as there are columns. */
async function fiveSites(d: number, { note }: Bench): Promise<readonly Contribution[]> {
  const made: Contribution[] = [];
  for (let site = 1; site <= SITES; site++) {
    note(`d = ${d}: the rows of site ${site}`);
    made.push(await wideContribution(studyOfWidth(d), `site ${site}`, (4 * d) / SITES, site));
  }
  return made;
}

function conclude(study: ReturnType<typeof studyOfWidth>, contributions: readonly Contribution[]) {
  const agreed = agreement(study);
  const collector = collectorFor(agreed, 'total');
  for (const { site, statistic } of contributions) {
    collector.add(site, { values: statistic.values });
  }
  const collected = collector.finish();
  if ('problem' in collected) throw new Error(collected.problem);
  const found = resultOf(agreed, collected, []);
  if ('problem' in found) throw new Error(found.problem);
  return found.report;
}

async function reportLine({ peer, quick }: Bench, d: number): Promise<Line> {
  const scipy = peer?.versions.scipy ? peer : undefined;
  const study = studyOfWidth(d);
  const agreed = agreement(study);
  const { statistic } = await wideContribution(study, 'site', 1.5 * d, 1);
  await scipy?.ask({ do: 'cholesky_data', d });
  const best = await inTurn(quick ? 2 : 5, {
    ours() {
      const start = performance.now();
      const found = resultOf(agreed, { total: statistic, contributions: 1 }, []);
      if ('problem' in found) throw new Error(found.problem);
      return (performance.now() - start) / 1000;
    },
    scipy: async () => (await scipy?.ask({ do: 'inverse', seconds: 0 })) ?? Number.NaN,
  });
  await scipy?.ask({ do: 'forget' });
  return {
    what: `report, d = ${d}: coefficients, errors, tests, digits, condition, digest`,
    ours: secondsText(best.ours),
    peer: scipy === undefined ? 'scipy: missing' : `Cholesky + inverse ${secondsText(best.scipy)}`,
    ...held(scipy === undefined ? undefined : best.ours / best.scipy, '≤', 6),
  };
}

async function addingLine(
  { peer, quick }: Bench,
  d: number,
  made: readonly Contribution[],
): Promise<Line> {
  const scipy = peer?.versions.scipy ? peer : undefined;
  const study = studyOfWidth(d);
  await scipy?.ask({ do: 'adding_data', d, sites: SITES });
  const best = await inTurn(quick ? 2 : 3, {
    ours() {
      const start = performance.now();
      conclude(study, made);
      return (performance.now() - start) / 1000;
    },
    scipy: async () => (await scipy?.ask({ do: 'adding', seconds: 0 })) ?? Number.NaN,
  });
  await scipy?.ask({ do: 'forget' });
  return {
    what: `adding ${SITES} sites and the report, d = ${d}`,
    ours: secondsText(best.ours),
    peer:
      scipy === undefined ? 'scipy: missing' : `sum, Cholesky, inverse ${secondsText(best.scipy)}`,
    ...held(scipy === undefined ? undefined : best.ours / best.scipy, '≤', 3),
  };
}

/** The same over HTTP: the coordinator is killed while the first site sends, which then goes on. */
async function servedLines(d: number, made: readonly Contribution[]): Promise<readonly Line[]> {
  const folder = mkdtempSync(join(tmpdir(), 'suffice-wide-'));
  try {
    const study = studyOfWidth(d);
    const files = made.map((one) => encodeContribution(one));
    let serving = await startServing(folder);
    const sites = made.map(({ site }) => site);
    const created = await postStudy(serving.address, serving.operatorToken, { study, sites });
    const link = (site?: string) => linkOf(created, serving.address, site);
    let sentBefore = 0;
    const first = studyClient(link(sites[0]), {
      retryFor: 0,
      onUpload(arrived, bytes) {
        if (arrived < bytes / 2 || sentBefore > 0) return;
        sentBefore = arrived;
        void serving.kill();
      },
    });
    await first.contribute(files[0]!).catch(() => {});
    const before = serving.peakMegabytes();
    serving = await startServing(folder);
    let resumedFrom = -1;
    const start = performance.now();
    for (const [k, file] of files.entries()) {
      await studyClient(link(sites[k]), {
        onUpload(arrived) {
          if (k === 0 && resumedFrom < 0) resumedFrom = arrived;
        },
      }).contribute(file);
    }
    const sent = (performance.now() - start) / 1000;
    const analyst = studyClient(link());
    const closed = performance.now();
    while ((await analyst.view()).state !== 'resolved') await sleep(200);
    const resolved = (performance.now() - closed) / 1000;
    const peak = Math.max(before, serving.peakMegabytes());
    await serving.stop();
    const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
    return [
      {
        what: `coordinator at d = ${d}, ${SITES} sites: memory at most`,
        ours: `${Math.round(peak)} MB`,
        goal: `< ${MOST_MEGABYTES} MB`,
        reached: peak < MOST_MEGABYTES,
      },
      {
        what: 'upload after kill -9 of the coordinator goes on',
        ours: `at ${megabytes(resumedFrom)} of ${megabytes(files[0]!.length)}`,
        goal: 'not at 0',
        reached: resumedFrom > 0,
      },
      { what: `sending ${SITES} files`, ours: secondsText(sent) },
      { what: 'resolution after the last file', ours: secondsText(resolved) },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function endLine(d: number, { note }: Bench): Promise<Line> {
  note(`d = ${d}: the rows`);
  const study = studyOfWidth(d);
  const made = await wideContribution(study, 'site', Math.round(1.2 * d), 9);
  const start = performance.now();
  const { digits } = conclude(study, [made]);
  return {
    what: `d = ${d} ends, with errors and ${digits} certain digits`,
    ours: secondsText((performance.now() - start) / 1000),
    peer: `process ${Math.round(process.memoryUsage().rss / 1e6)} MB`,
    goal: 'ends',
    reached: true,
  };
}
