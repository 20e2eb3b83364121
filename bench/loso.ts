import { noise } from '../src/node/compute/bench-kernels.ts';
import { choosePenalty } from '../src/solve/choose.ts';
import { normalEquations } from '../src/solve/normal-equations.ts';
import { unitPenalty } from '../src/solve/penalty.ts';
import { entriesOf, wordsOf } from '../src/statistic/layout.ts';
import { fractionBitsOf, type LinearLayout, packedIndex } from '../src/statistic/linear-layout.ts';
import { setRingEntry } from '../src/statistic/ring.ts';
import type { LinearSiteStatistic } from '../src/statistic/site-statistics.ts';
import { type LinearStatistic, sumStatistics } from '../src/statistic/statistic.ts';
import { type Bench, inTurn, type Section } from './section.ts';
import { type Line, secondsText, timesText } from './table.ts';

/** Choosing a ridge by leaving out sites in turn, from their statistics. */
export const loso: Section = {
  name: 'loso',
  title: 'Leave-one-site-out, 100 ridges; the peer solves every site and ridge anew',
  run,
};

const SHAPES = [
  [10, 20],
  [30, 20],
  [100, 20],
  [300, 20],
  [100, 50],
  [100, 100],
  [10, 200],
  [30, 200],
  [100, 200],
  [300, 200],
] as const;
const QUICK = [
  [10, 20],
  [30, 20],
  [10, 50],
] as const;

async function run(bench: Bench): Promise<readonly Line[]> {
  if (bench.peer === undefined) bench.note('no numpy here: loso has no peer');
  const lines: Line[] = [];
  for (const [sites, d] of bench.quick ? QUICK : SHAPES) lines.push(await line(bench, sites, d));
  return lines;
}

async function line({ peer, quick }: Bench, sites: number, d: number): Promise<Line> {
  const parts = sitesOf(sites, d);
  const total = sumStatistics(
    parts[0]!.statistic.layout,
    parts.map(({ statistic }) => statistic),
  );
  const fusion = { kind: 'ridge', ridge: 'leave-one-site-out' } as const;
  const equations = normalEquations(total);
  const unit = unitPenalty(equations, 'standardized');
  await peer?.ask({ do: 'loso_data', sites, d });
  const large = sites * d * d > 1e6;
  const best = await inTurn(quick || large ? 2 : 5, {
    ours: () => {
      const start = performance.now();
      const chosen = choosePenalty(total, equations, unit, fusion, parts);
      if ('problem' in chosen) throw new Error(chosen.problem);
      return (performance.now() - start) / 1000;
    },
    numpy: async () => (await peer?.ask({ do: 'loso', seconds: 0 })) ?? Number.NaN,
  });
  await peer?.ask({ do: 'forget' });
  return {
    what: `${sites} sites, d = ${d}`,
    ours: secondsText(best.ours),
    peer: peer === undefined ? 'numpy: missing' : `numpy ${secondsText(best.numpy)}`,
    ...(peer === undefined ? {} : { ratio: timesText(best.numpy / best.ours) }),
    ...(sites === 100 && d === 200 ? { goal: '< 5 s', reached: best.ours < 5 } : {}),
  };
}

/** Contributions of sites with 2d + 10 rows each, noise about a linear model. */
function sitesOf(sites: number, d: number): LinearSiteStatistic[] {
  const layout: LinearLayout = {
    columns: ['(Intercept)', ...Array.from({ length: d }, (_, j) => `x${j}`), 'y'],
    references: Array.from({ length: d + 2 }, () => ({ center: 0, scale: 1 })),
    responses: 1,
    intercept: true,
    arithmetic: 'exact',
    grid: 44,
    weightScale: null,
  };
  const next = noise(7);
  const slopes = Float64Array.from({ length: d }, () => next() / d);
  return Array.from({ length: sites }, (_, k) => ({
    site: `site-${k}`,
    statistic: siteOf(layout, slopes, 2 * d + 10, next),
  }));
}

function siteOf(
  layout: LinearLayout,
  slopes: Float64Array,
  rows: number,
  next: () => number,
): LinearStatistic {
  const width = layout.columns.length;
  const sums = new Float64Array(width * width);
  const shift = next() / 4;
  for (let r = 0; r < rows; r++) {
    const u = Float64Array.from({ length: width }, () => next() / 2 + shift);
    u[0] = 1;
    u[width - 1] = slopes.reduce((sum, b, j) => sum + b * u[j + 1]!, next() / 4);
    for (let i = 0; i < width; i++) {
      for (let j = i; j < width; j++) sums[i * width + j]! += u[i]! * u[j]!;
    }
  }
  const words = wordsOf(layout);
  const values = new Uint32Array(entriesOf(layout) * words);
  const low = BigInt(fractionBitsOf(layout) - 44);
  for (let i = 0; i < width; i++) {
    for (let j = i; j < width; j++) {
      const whole = BigInt(Math.round(sums[i * width + j]! * 2 ** 44)) << low;
      setRingEntry(values, words, packedIndex(width, i, j), whole);
    }
  }
  return { layout, values };
}
