import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgresStore } from '../src/node/store/postgres-store.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import { startPostgres } from '../test/postgres-server.ts';
import { type Load, type Measured, measure } from './load-run.ts';
import type { Bench, Section } from './section.ts';
import { startServing } from './serving.ts';
import { type Line, secondsText } from './table.ts';

const PEAK_MEGABYTES = 300;
/** Sites have addresses of their own, as behind a proxy. */
const FLAGS = ['--behind-proxy'];

/** Where one study is run, and the sites a second that are the goal. */
interface Place extends Load {
  readonly where: string;
  readonly store: 'SQLite' | 'PostgreSQL';
  readonly coordinators: 1 | 2;
  readonly goal?: number;
}

/** Sites of an earlier study: a coordinator runs for weeks, and V8 has then compiled its code. */
const WARM = 10_000;

const usual = {
  atOnce: 50,
  width: 20,
  offers: 'none',
  connections: 'own',
  warmUp: 0,
  kill: false,
  coordinators: 1,
  sitesAre: 'invited',
} as const;

/** By the number of sites for a full run. */
const places: readonly Place[] = [
  {
    ...{ ...usual, sites: 10_000, store: 'SQLite', atOnce: 100, warmUp: WARM, goal: 1000 },
    where: 'SQLite, one coordinator, d = 20, 100 at a time, each over a connection of its own',
  },
  {
    ...{ ...usual, sites: 5_000, store: 'SQLite', offers: 'first' },
    where: 'the same, each with an offer first',
  },
  {
    ...{ ...usual, sites: 2_000, store: 'SQLite', offers: 'first', width: 100 },
    where: 'the same at d = 100',
  },
  {
    ...{ ...usual, sites: 10_000, store: 'PostgreSQL', goal: 167 },
    where: 'PostgreSQL, one coordinator, d = 20',
  },
  {
    ...{ ...usual, sites: 10_000, store: 'PostgreSQL', coordinators: 2 },
    where: 'PostgreSQL, two coordinators, d = 20',
  },
  {
    ...{ ...usual, sites: 10_000, store: 'PostgreSQL', coordinators: 2, kill: true, goal: 167 },
    where: 'the same, one of two killed after half of the sites',
  },
  {
    ...{ ...usual, sites: 5_000, store: 'PostgreSQL', coordinators: 2, offers: 'first' },
    width: 100,
    where: 'PostgreSQL, two coordinators, d = 100, each with an offer first',
  },
  ...([1_000, 10_000, 50_000] as const).map((sites) => ({
    ...{ ...usual, sites, store: 'SQLite' as const, sitesAre: 'devices' as const },
    where: 'devices of one open link, SQLite, d = 20, enrolled and sent in one request',
  })),
  {
    ...{ ...usual, sites: 10_000, store: 'SQLite', atOnce: 100, warmUp: WARM, goal: 1000 },
    connections: 'kept',
    where:
      'SQLite, one coordinator, d = 20, over 100 connections that stay open, as a proxy keeps them',
  },
  {
    ...{ ...usual, sites: 10_000, store: 'SQLite' },
    where: 'SQLite, one coordinator that has just started, d = 20',
  },
];

/** Many sites at once, to the answer. */
export const load: Section = {
  name: 'load',
  title: 'Many small sites contribute to one study, 50 at a time unless said otherwise',
  run,
};

async function run({ quick, rows, note }: Bench): Promise<readonly Line[]> {
  const only = process.env.BENCH_PLACE;
  const lines: Line[] = [];
  for (const [k, place] of places.entries()) {
    if (only !== undefined && !only.split(',').includes(String(k))) continue;
    const sites = quick ? (rows ?? 200) : Math.min(rows ?? place.sites, place.sites);
    const measured = await measuredAt({ ...place, sites }, note);
    lines.push(...loadLines({ ...place, sites }, measured));
  }
  return lines;
}

function measuredAt(place: Place, note: Bench['note']): Promise<Measured> {
  return inFolder(async (folder) => {
    if (place.store === 'SQLite') {
      const coordinator = await startServing(folder, undefined, FLAGS);
      const open = () => openSqliteStore(join(folder, 'suffice.db'));
      return measure(folder, place, [coordinator], open, note);
    }
    const server = await startPostgres();
    try {
      const coordinators = [await startServing(folder, server.url, FLAGS)];
      if (place.coordinators === 2) {
        coordinators.push(await startServing(folder, server.url, FLAGS));
      }
      return await measure(folder, place, coordinators, () => openPostgresStore(server.url), note);
    } finally {
      await server.stop();
    }
  });
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'suffice-load-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function loadLines({ where, sites, goal, warmUp }: Place, measured: Measured): readonly Line[] {
  const { run, held, sameReport, peakMegabytes, viewBytes } = measured;
  const acknowledged = Object.keys(run.acknowledged).length;
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
  const post = `POST of ${kilobytes(run.bytes)}, ${kilobytes(run.sent)} as sent`;
  const largest = Math.max(...peakMegabytes);
  const rate = sites / run.seconds;
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
    {
      what: '  sites a second',
      ours: `${rate.toFixed(0)} sites/s`,
      ...(goal === undefined ? {} : { goal: `≥ ${goal} sites/s`, reached: rate >= goal }),
    },
    {
      what: '  CPU time of the coordinators, a site',
      ours: `${measured.cpuMilliseconds.toFixed(2)} ms`,
    },
    {
      what: '  CPU time of the process that stands for the sites, a site',
      ours: `${((1000 * run.cpuSeconds) / sites).toFixed(2)} ms`,
    },
    { what: `  ${post}`, ours: quantiles(run.posts) },
    ...(run.offers.length === 0
      ? []
      : [{ what: '  PUT of the offer', ours: quantiles(run.offers) }]),
    { what: '  resolved after the last', ours: secondsText(measured.resolvedSeconds) },
    {
      what: '  peak memory of a coordinator, collecting / resolving too',
      ours: `${measured.collectingMegabytes.toFixed(0)} MB / ${largest.toFixed(0)} MB`,
      // An earlier study has left its own memory.
      ...(warmUp > 0 ? {} : { goal: `< ${PEAK_MEGABYTES} MB`, reached: largest < PEAK_MEGABYTES }),
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
