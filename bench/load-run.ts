import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Store } from '../src/coordinator/store.ts';
import { defined } from '../src/defined.ts';
import { postStudy, type StudyClient, studyClient } from '../src/protocol/client.ts';
import type { SealedResolution, StudyCreated } from '../src/protocol/messages.ts';
import type { LoadPlan, LoadRun } from './load-sites.ts';
import { wideStudy } from './load-study.ts';
import { type Bench, inTurn } from './section.ts';
import type { Serving } from './serving.ts';

const SITES = fileURLToPath(new URL('load-sites.ts', import.meta.url));
const RESOLVE_SECONDS = 300;
const ROWS_AT_ONCE = 100;

/** One study under load. */
export interface Load {
  readonly sites: number;
  /** Columns of the study. */
  readonly width: number;
  readonly atOnce: number;
  readonly offers: LoadPlan['offers'];
  readonly connections: LoadPlan['connections'];
  /** Sites of an earlier study, after which V8 has compiled what it compiles; 0 for a coordinator that has just started. */
  readonly warmUp: number;
  /** Whether each site is invited by name, or all are devices with one open link. */
  readonly sitesAre: 'invited' | 'devices';
  /** Whether the last coordinator is killed when half of the sites have their receipts. */
  readonly kill: boolean;
}

/** Results of one study under load. */
export interface Measured {
  readonly run: LoadRun;
  readonly createSeconds: number;
  readonly viewSeconds: number;
  readonly viewBytes: number;
  readonly resolvedSeconds: number;
  /** CPU time of the coordinators while the sites contributed, for each site. */
  readonly cpuMilliseconds: number;
  /** Sites whose file is stored as acknowledged, and counts in the answer. */
  readonly held: number;
  readonly sameReport: boolean;
  readonly peakMegabytes: readonly number[];
  /** Before the study was resolved. */
  readonly collectingMegabytes: number;
}

/** Runs a study on these coordinators and stops them. */
export async function measure(
  folder: string,
  load: Load,
  coordinators: readonly Serving[],
  openStore: () => Promise<Store>,
  note: Bench['note'],
): Promise<Measured> {
  const { address } = coordinators[0]!;
  let viewBytes = 0;
  let stopped = false;
  const stop = async () => {
    stopped = true;
    await Promise.all(coordinators.map((one) => one.stop()));
  };
  try {
    const file = join(folder, 'contributions');
    if (load.warmUp > 0) {
      const earlier = { ...load, sites: load.warmUp };
      const { plan } = await createStudy('earlier', earlier, coordinators, file);
      await allSites(plan, async () => {});
    }
    const beforeCreate = performance.now();
    const { created, plan } = await createStudy('load', load, coordinators, file);
    const createSeconds = secondsSince(beforeCreate);
    const { id, coordinatorKey, adminToken: token } = created;
    const admin = studyClient({
      coordinator: address,
      study: id,
      coordinatorKey,
      purpose: 'study',
      token,
    });
    note(`${load.sites} sites: contributions are being prepared`);
    const before = coordinators.map((one) => one.cpuSeconds());
    let cpuOfKilled = 0;
    const killLast = async () => {
      const last = coordinators.at(-1)!;
      cpuOfKilled = last.cpuSeconds() - before.at(-1)!;
      await last.kill();
    };
    const run = await allSites(plan, load.kill ? killLast : async () => {});
    const alive = load.kill ? coordinators.slice(0, -1) : coordinators;
    const cpu = alive.reduce((sum, one, k) => sum + one.cpuSeconds() - before[k]!, cpuOfKilled);
    const collectingMegabytes = Math.max(...alive.map((one) => one.peakMegabytes()));
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
    const peakMegabytes = alive.map((one) => one.peakMegabytes());
    await stop();
    return {
      run,
      createSeconds,
      viewSeconds,
      viewBytes,
      resolvedSeconds,
      cpuMilliseconds: (1000 * cpu) / load.sites,
      held: await countHeld(openStore, id, run, resolution),
      sameReport: resolution.report.digest === run.reportDigest,
      peakMegabytes,
      collectingMegabytes,
    };
  } finally {
    if (!stopped) await stop();
  }
}

/** Creates a study at the first coordinator, and plans what its sites do. */
async function createStudy(
  name: string,
  load: Load,
  coordinators: readonly Serving[],
  file: string,
): Promise<{ readonly created: StudyCreated; readonly plan: LoadPlan }> {
  const { address, operatorToken } = coordinators[0]!;
  const { atOnce, offers, connections } = load;
  const study = wideStudy(name, load.width);
  const devices = load.sitesAre === 'devices';
  const length = devices ? 0 : load.sites;
  const sites = Array.from({ length }, (_, k) => `site-${k + 1}`);
  const open = devices ? { atMost: load.sites } : undefined;
  const created = await postStudy(address, operatorToken, { study, sites, ...defined({ open }) });
  const { id, invitations, openToken = '' } = created;
  const addresses = coordinators.map((one) => one.address);
  const link = devices ? { open: { token: openToken, devices: load.sites } } : {};
  const plan = { study, id, addresses, invitations, atOnce, offers, connections, file, ...link };
  return { created, plan };
}

function secondsSince(start: number): number {
  return (performance.now() - start) / 1000;
}

/** Runs all sites in one process beside the coordinators. */
function allSites(plan: LoadPlan, atHalf: () => Promise<void>): Promise<LoadRun> {
  return new Promise((resolve, reject) => {
    const child = fork(SITES);
    child.on('message', (message) => {
      if (message === 'half') atHalf().catch(reject);
      else resolve(message as LoadRun);
    });
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
