import {
  bestSeconds,
  findPaths,
  gramsOf,
  type KernelPath,
  noise,
  placeNoise,
} from '../src/node/compute/bench-kernels.ts';
import { exactGramTwin } from '../src/numeric/exact-gram.ts';
import { createKernels } from '../src/numeric/kernels.ts';
import { digestBytes } from '../src/study/digest.ts';
import { type Bench, inTurn, type Section } from './section.ts';
import { held, type Line, secondsText, timesText } from './table.ts';

/** The exact Gram compared with the float64 Gram, on the same path and the same columns. */
export const exact: Section = { name: 'exact', title: 'Exact Gram, 44-bit grid', run };

async function run({ quick }: Bench): Promise<readonly Line[]> {
  const n = quick ? 5_000 : 20_000;
  const paths = await findPaths();
  const lines: Line[] = [];
  for (const d of [100, 400]) {
    for (const path of paths) {
      const { float, exact: seconds } = await measure(path, n, d, noise(d), quick);
      lines.push({
        what: `${n} × ${d}, ${path.name}`,
        ours: secondsText(seconds),
        peer: `float64 ${secondsText(float)}`,
        ...held(seconds / float, '≤', 4.5),
      });
    }
  }
  for (const path of paths) {
    const next = noise(7);
    const whole = () => Math.round(100 * next()) / 128;
    const { float, exact: seconds } = await measure(path, n, 100, whole, quick);
    lines.push({
      what: `${n} × 100 whole numbers, ${path.name}`,
      ours: secondsText(seconds),
      peer: `float64 ${secondsText(float)}`,
      ratio: timesText(seconds / float),
      goal: 'about 1×',
    });
  }
  return [...lines, digestLine(paths, quick ? 2_000 : 20_000, 100), digestLine(paths, 300, 21)];
}

async function measure(
  path: KernelPath,
  n: number,
  d: number,
  value: () => number,
  quick: boolean,
) {
  const turn = quick ? 0.1 : 0.3;
  const kernels = createKernels({ fused: path.fused });
  const grams = gramsOf(path, kernels, placeNoise(kernels, n, d, value), n);
  return inTurn(quick ? 3 : 6, {
    float: () => bestSeconds(() => grams.float.add(n), turn),
    exact: () => bestSeconds(() => grams.exact.add(n), turn),
  });
}

const TWIN_ROWS = 500;

/** Whether all paths, and with few rows the TypeScript twin, give the same bits; every third column has whole numbers. */
function digestLine(paths: readonly KernelPath[], n: number, d: number): Line {
  const columns = Array.from({ length: d }, (_, j) => {
    const next = noise(j);
    const value = () => (j % 3 === 0 ? Math.round(100 * next()) / 128 : next());
    return { hi: Float64Array.from({ length: n }, value), center: 0, scale: 1 };
  });
  const totals = paths.map((path): [string, Uint32Array] => {
    const kernels = createKernels({ fused: path.fused });
    const placed = columns.map((column) => {
      const hi = kernels.allocate(n * 8);
      kernels.f64(hi, n).set(column.hi);
      return { ...column, hi, lo: 0 };
    });
    const { exact: gram } = gramsOf(path, kernels, placed, n);
    gram.add(n);
    return [path.name, gram.total()];
  });
  if (n <= TWIN_ROWS) totals.push(['twin', exactGramTwin(columns, n, 2)]);
  const digests = totals.map(([, total]) => digestBytes(new Uint8Array(total.buffer)));
  return {
    what: `${n} × ${d}, digests of ${totals.map(([name]) => name).join(', ')}`,
    ours: digests[0]!.slice(0, 19),
    goal: 'identical',
    reached: new Set(digests).size === 1,
  };
}
