import type { MaskTerms } from '../src/aggregation/aggregation.ts';
import { graphDegree } from '../src/aggregation/graph-degree.ts';
import { useNativeCrypto } from '../src/node/compute/native-crypto.ts';
import type { SegmentLayout } from '../src/statistic/layout.ts';
import { triangle } from '../src/statistic/segments.ts';
import { canonicalJson } from '../src/study/canonical-json.ts';
import { MaskServer, type MaskSite, maskSites } from '../test/mask-sites.ts';
import type { Bench, Section } from './section.ts';
import type { Line } from './table.ts';

/** Pairwise masks: the traffic and the work of sites and server, beside the bare contribution. */
export const masks: Section = {
  name: 'masks',
  title: 'Pairwise masks at d = 20: 5 messages a site; bytes are those of the JSON messages',
  run,
};

const DIMENSION = 20;

/** The sums of a regression with an intercept, d columns and a response, in a ring of 128 bits. */
const layout: SegmentLayout = {
  of: 'sums of products',
  arithmetic: 'exact',
  words: 4,
  segments: [triangle('products', DIMENSION + 2, 44)],
};

async function run({ quick, note }: Bench): Promise<readonly Line[]> {
  useNativeCrypto();
  const lines: Line[] = [];
  for (const count of quick ? [10, 100] : [10, 100, 1000]) {
    note(`masks of ${count} sites`);
    lines.push(await measured(count));
  }
  return lines;
}

/** Bytes and CPU seconds of one side. */
interface Cost {
  bytes: number;
  seconds: number;
}

async function measured(count: number): Promise<Line> {
  const { masks: study, sites } = maskSites(count);
  const server = new MaskServer(study);
  const up: Cost = { bytes: 0, seconds: 0 };
  const down: Cost = { bytes: 0, seconds: 0 };
  const atSite = timing(up);
  const atServer = timing(down);
  const sent = <T>(message: T): T => weighed(up, message);
  const got = <T>(part: T): T => weighed(down, part);
  const each = async (step: (site: MaskSite) => Promise<void>) => {
    for (const site of sites) await step(site);
  };
  await each(async (site) => {
    const message = sent(await atSite(() => site.keys()));
    await atServer(() => server.takeKeys(message));
  });
  await atServer(() => server.endKeys());
  await each(async (site) => {
    const part = got(await atServer(() => server.graphFor(site.name)));
    const message = sent(await atSite(() => site.shares(part)));
    await atServer(() => server.takeShares(message));
  });
  await atServer(() => server.endShares());
  await each(async (site) => {
    const part = got(await atServer(() => server.sharesFor(site.name)));
    const mask = await atSite(() => site.mask(part, layout));
    up.bytes += 4 * mask.length;
  });
  // One site in twenty leaves after its shares.
  const there = sites.filter((_, k) => k % 20 !== 19);
  await atServer(() => server.endContributions(there.map(({ name }) => name)));
  for (const site of there) {
    const message = sent(await atSite(() => site.survivors(got(server.fixed.contributions!))));
    await atServer(() => server.takeSurvivors(message));
  }
  for (const site of there) {
    const signed = got(await atServer(() => server.signaturesFor(site.name)));
    const message = sent(await atSite(() => site.reveals(signed)!));
    await atServer(() => server.takeReveals(message));
  }
  const answer = await atServer(() => server.open(layout));
  if ('problem' in answer) throw new Error(answer.problem);
  return line(count, study.terms, up, down);
}

/** Adds the CPU seconds of a step. */
function timing(cost: Cost) {
  return async <T>(step: () => T | Promise<T>): Promise<T> => {
    const start = process.cpuUsage();
    const result = await step();
    const { user, system } = process.cpuUsage(start);
    cost.seconds += (user + system) / 1e6;
    return result;
  };
}

function weighed<T>(cost: Cost, message: T): T {
  cost.bytes += canonicalJson(message).length;
  return message;
}

function line(count: number, { threshold }: MaskTerms, up: Cost, down: Cost): Line {
  const { neighbours } = graphDegree(count, threshold)!;
  const kilobytes = (bytes: number) => `${(bytes / 1000 / count).toFixed(1)} kB`;
  const total = up.bytes + down.bytes;
  return {
    what: `${count} sites, ${neighbours} neighbours each`,
    ours: [
      `a site sends ${kilobytes(up.bytes)} and gets ${kilobytes(down.bytes)}`,
      `${(1000 * (up.seconds / count)).toFixed(0)} ms of a site's CPU`,
      `${down.seconds.toFixed(2)} s of the server's`,
      `${(total / 1e6).toFixed(2)} MB together`,
      `${(total / (count * Math.log2(count)) / 1000).toFixed(2)} kB for each K log₂ K`,
    ].join(', '),
  };
}
