import {
  type Agreement,
  agreement,
  collectorFor,
  contribution,
  readContribution,
  reduction,
  totalDigest,
} from '../src/federate.ts';
import { createKernels } from '../src/numeric/kernels.ts';
import { encodeContribution } from '../src/statistic/envelope.ts';
import type { Statistic } from '../src/statistic/statistic.ts';
import { regionalStudy } from '../src/study/regional-study.ts';
import { type Study, studyDigest, type TableStudy } from '../src/study/study.ts';
import type { Block } from '../src/table/columns.ts';

/** A tree of devices: how many, and how they are put together. */
export interface DeviceTree {
  readonly devices: number;
  /** Members of each region, at every level. */
  readonly fanOut: number;
  /** Share of the devices that never send. */
  readonly dropouts: number;
  readonly seed: number;
}

/** What a simulated tree found. */
export interface TreeOutcome {
  readonly levels: number;
  /** Devices that sent. */
  readonly sent: number;
  readonly rows: number;
  /** Digest of the total of the tree; of the tree after one region has withdrawn. */
  readonly digest: string;
  readonly withdrawn: string;
  /** The same of the rows of the same devices, reduced as one table in another order. */
  readonly flat: string;
  readonly flatWithdrawn: string;
  readonly treeSeconds: number;
  readonly flatSeconds: number;
}

const COLUMNS = 20;
const names = Array.from({ length: COLUMNS }, (_, k) => `x${k + 1}`);
/** Most rows of a device; it has at least one. */
const MOST_ROWS = 4;

/** Twenty predictors, thirteen digits: what each device of the simulation is asked. */
export const deviceStudy: TableStudy = {
  schema: 'suffice/study@1',
  name: 'a tree of devices',
  formula: `y ~ ${names.join(' + ')}`,
  codebook: Object.fromEntries(
    ['y', ...names].map((name) => [name, { type: 'number', range: [-8, 8] }] as const),
  ),
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
  disclosure: { profile: 'none' }, // a device has fewer rows than any rule allows, and its rows are made up
};

const kernels = createKernels();

/** A 32-bit hash of two words, for rows that follow from the number of their device. */
function mixed(a: number, b: number): number {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x7f4a7c15, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 16), 0x21f0aaad);
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
  return (h ^ (h >>> 15)) >>> 0;
}

/** Whether a device sends nothing. */
function isOut({ seed, dropouts }: DeviceTree, device: number): boolean {
  return mixed(seed ^ 0x5bd1e995, device) < dropouts * 2 ** 32;
}

/** Writes the rows of a device to columns from a row on; returns how many there are. */
function writeRows(
  { seed }: DeviceTree,
  device: number,
  columns: readonly Float64Array[],
  from: number,
): number {
  const own = mixed(seed, device);
  const rows = 1 + (own % MOST_ROWS);
  for (let r = 0; r < rows; r++) {
    let y = 0.25;
    for (let k = 1; k <= COLUMNS; k++) {
      const x = mixed(own, r * COLUMNS + k) / 2 ** 29 - 4;
      columns[k][from + r] = x;
      y += (k % 3) * 0.05 * x;
    }
    columns[0][from + r] = y + mixed(own, -r) / 2 ** 31 - 1;
  }
  return rows;
}

/** The studies of a tree, the highest first; the devices are sites of the last. */
function agreementsOf(levels: number): Agreement[] {
  const studies: Study[] = [deviceStudy];
  while (studies.length < levels) {
    const above = studies.at(-1)!;
    const place = { study: studyDigest(above), site: `level ${studies.length}` };
    const server = {
      coordinator: `https://level-${studies.length}.example`,
      coordinatorKey: 'A'.repeat(43),
    };
    studies.push(regionalStudy(above, { ...place, ...server }));
  }
  return studies.map((study) => agreement(study));
}

/** Sends a statistic as one contribution: made, written, read and checked as a coordinator does. */
function sent(agreed: Agreement, site: string, statistic: Statistic, dropped = 0): Statistic {
  const summary = { statistic, released: statistic, rows: 0, dropped, missing: {} };
  const read = readContribution(agreed, encodeContribution(contribution(agreed, site, summary)));
  if ('refused' in read) throw new Error(read.refused);
  return read.contribution.statistic;
}

/** Sums devices in a tree of regions, and the same rows as one table in another order. */
export function simulateTree(
  tree: DeviceTree,
  progress: (share: number) => void = () => {},
): TreeOutcome {
  const { devices, fanOut } = tree;
  const levels = Math.max(2, Math.ceil(Math.log(devices) / Math.log(fanOut) - 1e-9));
  const agreed = agreementsOf(levels);
  const lowest = agreed[levels - 1];
  /** The region that withdraws: one of the lowest, where there are several. */
  const regions = Math.ceil(devices / fanOut);
  const gone = mixed(tree.seed, 77) % regions;
  const room = lowest.columns.map(() => new Float64Array(MOST_ROWS));
  const place = new Map(lowest.columns.map(({ name }, k) => [name, k]));
  const ordered = ['y', ...names].map((name) => room[place.get(name)!]);
  let count = 0;
  let rows = 0;

  const device = (number: number): Statistic => {
    const filled = writeRows(tree, number, ordered, 0);
    const block: Block = { rows: filled, columns: room.map((one) => one.subarray(0, filled)) };
    count++;
    rows += filled;
    // Each device gives its kernel memory back.
    return kernels.scoped(() => {
      const site = reduction(lowest, { file: 'device', missing: 'refuse', kernels, fewRows: true });
      site.add(block, (r) => r + 1);
      return site.finish().statistic;
    });
  };

  /** The sum of the region with this number at a level; undefined if nobody in it sends. Also without the region that withdraws. */
  const region = (
    level: number,
    number: number,
  ): { all: Statistic | undefined; left: Statistic | undefined } => {
    const at = agreed[level];
    const collector = collectorFor(at, 'total');
    const without = collectorFor(at, 'total');
    const members = Math.ceil(devices / fanOut ** (levels - 1 - level));
    const isLowest = level === levels - 1;
    let any = 0;
    let leftOver = 0;
    let differs = false;
    for (let k = number * fanOut; k < Math.min(members, (number + 1) * fanOut); k++) {
      if (isLowest) {
        if (isOut(tree, k)) continue;
        const { values } = sent(at, `device ${k}`, device(k));
        collector.add(`device ${k}`, { values });
        any++;
        continue;
      }
      const { all, left } = region(level + 1, k);
      if (all !== undefined) {
        collector.add(`region ${k}`, { values: sent(at, `region ${k}`, all).values });
        any++;
      }
      if (left !== undefined) {
        without.add(`region ${k}`, {
          values: (left === all ? all : sent(at, `region ${k}`, left)).values,
        });
        leftOver++;
      }
      differs ||= left !== all;
    }
    if (isLowest && number % Math.ceil(regions / 100) === 0) progress(number / regions);
    const all = any === 0 ? undefined : finished(collector);
    if (isLowest) return { all, left: number === gone ? undefined : all };
    return { all, left: !differs ? all : leftOver === 0 ? undefined : finished(without) };
  };

  const started = performance.now();
  const { all, left } = region(0, 0);
  const treeSeconds = (performance.now() - started) / 1000;
  const [flat, flatWithdrawn] = flatTotals(tree, agreed[0], gone);
  const flatSeconds = (performance.now() - started) / 1000 - treeSeconds;
  return {
    ...{ levels, sent: count, rows, treeSeconds, flatSeconds },
    digest: totalDigest(agreed[0], all!),
    withdrawn: totalDigest(agreed[0], left!),
    flat: totalDigest(agreed[0], flat),
    flatWithdrawn: totalDigest(agreed[0], flatWithdrawn),
  };
}

function finished(collector: ReturnType<typeof collectorFor>): Statistic {
  const collected = collector.finish();
  if ('problem' in collected) throw new Error(collected.problem);
  return collected.total;
}

/** Rows of a block of the flat sum. */
const BLOCK = 4096;

/** The rows of all devices that send as one table, in an order that scatters the regions; and of those outside one region. */
function flatTotals(tree: DeviceTree, agreed: Agreement, gone: number): [Statistic, Statistic] {
  const { devices, fanOut } = tree;
  const stride = strideFor(devices);
  return kernels.scoped(() => {
    const options = { file: 'all', missing: 'refuse', kernels } as const;
    const tables = [reduction(agreed, options), reduction(agreed, options)];
    const room = tables.map(() => agreed.columns.map(() => new Float64Array(BLOCK + MOST_ROWS)));
    const place = new Map(agreed.columns.map(({ name }, k) => [name, k]));
    const ordered = room.map((columns) => ['y', ...names].map((name) => columns[place.get(name)!]));
    const filled = [0, 0];
    const flush = (which: number) => {
      const rows = filled[which];
      if (rows === 0) return;
      const columns = room[which].map((one) => one.subarray(0, rows));
      tables[which].add({ rows, columns }, (r) => r + 1);
      filled[which] = 0;
    };
    for (let k = 0, number = devices >>> 1; k < devices; k++) {
      number = (number + stride) % devices;
      if (isOut(tree, number)) continue;
      const which = Math.floor(number / fanOut) === gone ? 1 : 0;
      filled[which] += writeRows(tree, number, ordered[which], filled[which]);
      if (filled[which] >= BLOCK) flush(which);
    }
    flush(0);
    flush(1);
    const [rest, region] = tables.map((table) => table.finish().statistic);
    const collector = collectorFor(agreed, 'total');
    collector.add('region', { values: region.values });
    collector.add('rest', { values: rest.values });
    return [finished(collector), rest];
  });
}

/** A step that visits every device once: with no factor in common with their number, and near the golden ratio of it. */
function strideFor(devices: number): number {
  let stride = Math.max(1, Math.round(devices * 0.618));
  while (common(stride, devices) !== 1) stride++;
  return stride;
}

function common(a: number, b: number): number {
  return b === 0 ? a : common(b, a % b);
}
