import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Store } from '../src/coordinator/store.ts';
import { openPostgresStore } from '../src/node/store/postgres-store.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import { postStudy, type StudyClient, studyClient } from '../src/protocol/client.ts';
import type { SealedResolution } from '../src/protocol/messages.ts';
import { startPostgres } from '../test/postgres-server.ts';
import type { LoadPlan, LoadRun } from './load-sites.ts';
import { wideStudy } from './load-study.ts';
import { type Bench, inTurn, type Section } from './section.ts';
import { type Serving, startServing } from './serving.ts';
import { type Line, secondsText } from './table.ts';

const SITES = fileURLToPath(new URL('load-sites.ts', import.meta.url));
const AT_ONCE = 50;
const PEAK_MEGABYTES = 300;
const RESOLVE_SECONDS = 300;
const ROWS_AT_ONCE = 100;

/** Many sites at once, from the handshake to the answer. */
export const load: Section = {
  name: 'load',
  title: `Sites at d = 100 contribute to one study, ${AT_ONCE} at a time`,
  run,
};

async function run({ quick, note }: Bench): Promise<readonly Line[]> {
  const [few, many] = quick ? [200, 500] : [2_000, 10_000];
  return [...(await onSqlite(few, note)), ...(await onPostgres(many, note))];
}

async function onSqlite(sites: number, note: Bench['note']): Promise<readonly Line[]> {
  return inFolder(async (folder) => {
    const coordinator = await startServing(folder);
    const open = () => openSqliteStore(join(folder, 'suffice.db'));
    const measured = await measure(folder, sites, [coordinator], open, note);
    return loadLines('SQLite, one coordinator', sites, measured);
  });
}

async function onPostgres(sites: number, note: Bench['note']): Promise<readonly Line[]> {
  const server = await startPostgres();
  try {
    return await inFolder(async (folder) => {
      const first = await startServing(folder, server.url);
      const second = await startServing(folder, server.url);
      const open = () => openPostgresStore(server.url);
      const measured = await measure(folder, sites, [first, second], open, note);
      return loadLines('PostgreSQL, two coordinators', sites, measured);
    });
  } finally {
    await server.stop();
  }
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'suffice-load-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Results of one study under load. */
interface Measured {
  readonly run: LoadRun;
  readonly createSeconds: number;
  readonly viewSeconds: number;
  readonly viewBytes: number;
  readonly resolvedSeconds: number;
  /** Sites whose file is stored as acknowledged, and counts in the answer. */
  readonly held: number;
  readonly sameReport: boolean;
  readonly peakMegabytes: readonly number[];
}

/** Runs a study on these coordinators and stops them. */
async function measure(
  folder: string,
  count: number,
  coordinators: readonly Serving[],
  open: () => Promise<Store>,
  note: Bench['note'],
): Promise<Measured> {
  const { address, operatorToken } = coordinators[0]!;
  const study = wideStudy(`load of ${count}`);
  const sites = Array.from({ length: count }, (_, k) => `site-${k + 1}`);
  let viewBytes = 0;
  let stopped = false;
  const stop = async () => {
    stopped = true;
    await Promise.all(coordinators.map((one) => one.stop()));
  };
  try {
    const beforeCreate = performance.now();
    const created = await postStudy(address, operatorToken, { study, sites });
    const createSeconds = secondsSince(beforeCreate);
    const { id, coordinatorKey, adminToken: token, invitations } = created;
    const admin = studyClient({
      coordinator: address,
      study: id,
      coordinatorKey,
      purpose: 'study',
      token,
    });
    note(`${count} sites: contributions are being prepared`);
    const addresses = coordinators.map((one) => one.address);
    const file = join(folder, 'contributions');
    const run = await allSites({ study, id, addresses, invitations, atOnce: AT_ONCE, file });
    for (const failure of run.failures.slice(0, 3)) note(failure);
    const resolution = await untilResolved(admin);
    const resolvedSeconds = (Date.now() - run.endedAt) / 1000;
    const { view: viewSeconds } = await inTurn(3, {
      view: async () => {
        const start = performance.now();
        viewBytes = JSON.stringify(await admin.view()).length;
        return secondsSince(start);
      },
    });
    const peakMegabytes = coordinators.map((one) => one.peakMegabytes());
    await stop();
    return {
      run,
      createSeconds,
      viewSeconds,
      viewBytes,
      resolvedSeconds,
      held: await countHeld(open, id, run, resolution),
      sameReport: resolution.report.digest === run.reportDigest,
      peakMegabytes,
    };
  } finally {
    if (!stopped) await stop();
  }
}

function secondsSince(start: number): number {
  return (performance.now() - start) / 1000;
}

/** Runs all sites in one process beside the coordinators. */
function allSites(plan: LoadPlan): Promise<LoadRun> {
  return new Promise((resolve, reject) => {
    const child = fork(SITES);
    child.once('message', (result) => resolve(result as LoadRun));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the process of the sites ended with ${code}`)));
    child.send(plan);
  });
}

async function untilResolved(admin: StudyClient): Promise<SealedResolution> {
  const deadline = Date.now() + 1000 * RESOLVE_SECONDS;
  while ((await admin.resolutions()).length === 0) {
    if (Date.now() > deadline) throw new Error(`no resolution within ${RESOLVE_SECONDS} s`);
    await sleep(50);
  }
  return admin.resolution('latest');
}

async function countHeld(
  open: () => Promise<Store>,
  study: string,
  { acknowledged }: LoadRun,
  resolution: SealedResolution,
): Promise<number> {
  const counted = new Map(resolution.contributions.map(({ site, digests }) => [site, digests]));
  const store = await open();
  try {
    let held = 0;
    let after = '';
    for (;;) {
      const rows = await store.db
        .selectFrom('contributions')
        .select(['site', 'body'])
        .where('study', '=', study)
        .where('site', '>', after)
        .orderBy('site')
        .limit(ROWS_AT_ONCE)
        .execute();
      for (const { site, body } of rows) {
        const hash = createHash('sha256')
          .update(body ?? '')
          .digest('hex');
        const digest = `sha256:${hash}`;
        if (acknowledged[site] === digest && counted.get(site)?.join() === digest) held++;
      }
      if (rows.length < ROWS_AT_ONCE) return held;
      after = rows.at(-1)!.site;
    }
  } finally {
    await store.close();
  }
}

function loadLines(where: string, sites: number, measured: Measured): readonly Line[] {
  const { run, held, sameReport, peakMegabytes, viewBytes } = measured;
  const acknowledged = Object.keys(run.acknowledged).length;
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(0)} kB`;
  const post = `POST of ${kilobytes(run.bytes)}, ${kilobytes(run.sent)} as sent`;
  const largest = Math.max(...peakMegabytes);
  return [
    {
      what: `${sites} sites, ${where}: acknowledged / held as acknowledged`,
      ours: `${acknowledged} / ${held}`,
      goal: 'all',
      reached: acknowledged === sites && held === sites,
    },
    {
      what: '  report, against all added in one process',
      ours: sameReport ? 'same digest' : 'another digest',
      goal: 'same',
      reached: sameReport,
    },
    { what: '  handshake and contribution', ours: `${(sites / run.seconds).toFixed(0)} sites/s` },
    { what: `  ${post}`, ours: quantiles(run.posts) },
    { what: '  PUT of the offer', ours: quantiles(run.offers) },
    { what: '  resolved after the last', ours: secondsText(measured.resolvedSeconds) },
    {
      what: '  peak memory of a coordinator',
      ours: peakMegabytes.map((peak) => `${peak.toFixed(0)} MB`).join(', '),
      goal: `< ${PEAK_MEGABYTES} MB`,
      reached: largest < PEAK_MEGABYTES,
    },
    { what: '  study created, with all invitations', ours: secondsText(measured.createSeconds) },
    {
      what: '  view of the study',
      ours: `${secondsText(measured.viewSeconds)}, ${kilobytes(viewBytes)}`,
    },
  ];
}

function quantiles(milliseconds: readonly number[]): string {
  const sorted = [...milliseconds].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  return [50, 95, 99].map((p) => `p${p} ${secondsText(at(p / 100) / 1000)}`).join(', ');
}
