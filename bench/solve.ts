import { bestSeconds, noise, positiveMatrix } from '../src/node/compute/bench-kernels.ts';
import { cholesky } from '../src/numeric/cholesky.ts';
import { createKernels } from '../src/numeric/kernels.ts';
import { ridgePath } from '../src/numeric/ridge-path.ts';
import { entriesOf, wordsOf } from '../src/statistic/layout.ts';
import type { LinearLayout } from '../src/statistic/linear-layout.ts';
import { sumStatistics } from '../src/statistic/statistic.ts';
import { type Bench, inTurn, type Section } from './section.ts';
import { held, type Line, secondsText } from './table.ts';

/** The coordinator's work: add, factor, choose the penalty. */
export const solve: Section = { name: 'solve', title: 'Adding and solving', run };

async function run(bench: Bench): Promise<readonly Line[]> {
  if (!bench.peer?.versions.scipy) bench.note('no scipy here: solve has no peer');
  return [
    ringSum(bench),
    await choleskyLine(bench, 1000, 2.5),
    await choleskyLine(bench, bench.quick ? 2000 : 5000, 4),
    path(),
  ];
}

function ringSum({ quick }: Bench): Line {
  const d = 100;
  const reference = { center: 0, scale: 1 };
  const layout: LinearLayout = {
    columns: ['(Intercept)', ...Array.from({ length: d }, (_, j) => `x${j}`), 'y'],
    references: Array.from({ length: d + 2 }, () => reference),
    responses: 1,
    intercept: true,
    arithmetic: 'exact',
    grid: 44,
    weightScale: null,
  };
  const next = noise(3);
  const parts = Array.from({ length: 1000 }, () => ({
    layout,
    values: Uint32Array.from(
      { length: entriesOf(layout) * wordsOf(layout) },
      () => next() * 2 ** 31,
    ),
  }));
  const seconds = bestSeconds(() => sumStatistics(layout, parts), quick ? 0.2 : 2);
  return {
    what: `sum of ${parts.length} contributions, d = ${d}`,
    ours: secondsText(seconds),
    goal: '< 200 ms',
    reached: seconds < 0.2,
  };
}

async function choleskyLine({ peer, quick }: Bench, d: number, bound: number): Promise<Line> {
  const scipy = peer?.versions.scipy ? peer : undefined;
  const kernels = createKernels();
  const matrix = positiveMatrix(d);
  const b = new Float64Array(d).fill(1);
  await scipy?.ask({ do: 'cholesky_data', d });
  const once = () => {
    const start = performance.now();
    const outcome = cholesky(kernels, matrix, d);
    if (!('factor' in outcome)) throw new Error(`indefinite at ${outcome.indefiniteAt}`);
    outcome.factor.solve(b);
    return (performance.now() - start) / 1000;
  };
  const best = await inTurn(quick || d > 2000 ? 4 : 20, {
    ours: once,
    scipy: async () => (await scipy?.ask({ do: 'cholesky', seconds: 0 })) ?? Number.NaN,
  });
  await scipy?.ask({ do: 'forget' });
  return {
    what: `Cholesky and solve, d = ${d}, WASM, one thread`,
    ours: secondsText(best.ours),
    peer: scipy === undefined ? 'scipy: missing' : `scipy ${secondsText(best.scipy)}`,
    ...held(scipy === undefined ? undefined : best.ours / best.scipy, '≤', bound),
  };
}

function path(): Line {
  const d = 300;
  const kernels = createKernels();
  const matrix = positiveMatrix(d);
  const moment = Float64Array.from({ length: d }, noise(5));
  const ridges = Array.from({ length: 100 }, (_, k) => 10 ** (k / 12 - 4));
  const seconds = bestSeconds(() => {
    const fits = ridgePath(kernels, matrix, d, moment, 1000, 10_000, 1);
    for (const ridge of ridges) fits.at(ridge);
  }, 1);
  return {
    what: `ridge path, d = ${d}, 100 values with edf and GCV`,
    ours: secondsText(seconds),
    goal: '< 25 ms',
    reached: seconds < 0.025,
  };
}
