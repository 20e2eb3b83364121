import {
  bestSeconds,
  findPaths,
  type KernelPath,
  noise,
} from '../src/node/compute/bench-kernels.ts';
import { gramRows } from '../src/numeric/gram.ts';
import { createKernels } from '../src/numeric/kernels.ts';
import { startGramWorkers } from './gram-workers.ts';
import { type Bench, inTurn, type Section } from './section.ts';
import { held, type Line } from './table.ts';

/** The float64 Gram of a row-major matrix, compared with numpy on one thread. */
export const gram: Section = { name: 'gram', title: 'Float64 Gram AᵀA', run };

const GOALS: Readonly<Record<string, Readonly<Record<number, number>>>> = {
  'wasm-simd128': { 100: 0.33, 1000: 0.18 },
  'wasm-fma': { 100: 0.5, 1000: 0.3 },
  blas: { 20: 0.95, 100: 0.95, 400: 0.95, 1000: 0.95 },
};

async function run(bench: Bench): Promise<readonly Line[]> {
  const n = bench.quick ? 5_000 : 20_000;
  const sizes = bench.quick ? [20, 100, 400] : [20, 100, 400, 1000];
  const paths = await findPaths();
  if (bench.peer === undefined) bench.note('no numpy here: gram has no peer');
  const lines: Line[] = [];
  for (const d of sizes) lines.push(...(await oneSize(bench, paths, n, d)));
  for (const d of sizes.filter((size) => size >= 100)) lines.push(await scaling(bench, n, d));
  return lines;
}

async function oneSize(
  { peer, quick }: Bench,
  paths: readonly KernelPath[],
  n: number,
  d: number,
): Promise<readonly Line[]> {
  const turn = quick ? 0.1 : 0.3;
  const rows = new Float64Array(n * d).map(noise(d));
  await peer?.ask({ do: 'gram_data', n, d });
  const work = ({ fused, blas }: KernelPath): (() => number) => {
    if (blas !== undefined) return () => bestSeconds(() => blas.gram(rows, n, d), turn);
    const kernels = createKernels({ fused });
    return () => bestSeconds(() => gramRows(kernels, rows, n, d), turn);
  };
  const best: Record<string, number> = await inTurn(quick ? 3 : 12, {
    ...Object.fromEntries(paths.map((path) => [path.name, work(path)])),
    numpy: async () => (await peer?.ask({ do: 'gram', seconds: turn })) ?? Number.NaN,
  });
  await peer?.ask({ do: 'forget' });
  const rate = (seconds: number) => `${((n * d * (d + 1)) / seconds / 1e9).toFixed(1)} GF/s`;
  return paths.map(({ name }) => {
    const speed = peer === undefined ? undefined : best.numpy! / best[name]!;
    const goal = GOALS[name]?.[d];
    return {
      what: `${n} × ${d}, ${name}`,
      ours: rate(best[name]!),
      peer: peer === undefined ? 'numpy: missing' : `numpy ${rate(best.numpy!)}`,
      ...(goal === undefined
        ? { ratio: speed === undefined ? '' : `${speed.toFixed(2)}×` }
        : held(speed, '≥', goal)),
    };
  });
}

/** One worker with all rows, compared with two that have half each. */
async function scaling({ quick }: Bench, n: number, d: number): Promise<Line> {
  const repeats = Math.max(1, Math.round((quick ? 2e9 : 1e10) / (n * d * d)));
  const one = await startGramWorkers(1, n, d);
  const two = await startGramWorkers(2, n / 2, d);
  const best = await inTurn(quick ? 3 : 12, {
    one: () => one.run(repeats),
    two: () => two.run(repeats),
  });
  await Promise.all([one.close(), two.close()]);
  const rate = (seconds: number) =>
    `${((repeats * n * d * (d + 1)) / seconds / 1e9).toFixed(1)} GF/s`;
  return {
    what: `${n} × ${d}, two workers`,
    ours: rate(best.two),
    peer: `one worker ${rate(best.one)}`,
    ...held(best.one / best.two, '≥', 1.8),
  };
}
