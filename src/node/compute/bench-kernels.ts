import { cholesky } from '../../numeric/cholesky.ts';
import { exactGram } from '../../numeric/exact-gram.ts';
import { floatGram, type GramAccumulator, type GramColumn } from '../../numeric/gram.ts';
import { canFuse, createKernels, type Kernels } from '../../numeric/kernels.ts';
import { csvReader } from '../../table/csv.ts';
import { sniff } from '../../table/dialect.ts';
import { type Blas, findBlas } from './blas.ts';

/** A way to multiply matrices: one of the two WASM builds, or the system's BLAS with the faster build. */
export interface KernelPath {
  readonly name: string;
  readonly fused: boolean;
  readonly blas?: Blas;
}

/** How fast one path is on this machine, on one thread. */
export interface PathSpeed {
  readonly path: string;
  /** Speed of reading CSV text of 17-digit numbers; absent for BLAS. */
  readonly 'csv.megabytesPerSecond'?: number;
  /** Speed of the float64 Gram, d(d+1) operations per row. */
  readonly 'gram100.gigaflops': number;
  readonly 'gram400.gigaflops': number;
  /** Time of the exact Gram on the 44-bit grid, divided by that of the float64 Gram, at d = 100. */
  readonly 'exact.ratio': number;
  /** Time to factor and solve at d = 500; absent if the BLAS has no LAPACK. */
  readonly 'cholesky500.milliseconds'?: number;
}

/** The paths this machine has; `fit` uses the faster WASM build. */
export async function findPaths(library?: string): Promise<readonly KernelPath[]> {
  const fused = canFuse();
  const blas = await findBlas({ library });
  return [
    { name: 'wasm-simd128', fused: false },
    ...(fused ? [{ name: 'wasm-fma', fused }] : []),
    ...(blas === undefined ? [] : [{ name: 'blas', fused, blas }]),
  ];
}

/** The shortest time of one call of `work`, over at least three calls and `atLeast` seconds. */
export function bestSeconds(work: () => void, atLeast: number): number {
  let best = Number.POSITIVE_INFINITY;
  const start = performance.now();
  for (let calls = 0; calls < 3 || performance.now() - start < atLeast * 1000; calls++) {
    const before = performance.now();
    work();
    best = Math.min(best, (performance.now() - before) / 1000);
  }
  return best;
}

/** Uniform numbers in [−1, 1) from a seed (mulberry32). */
export function noise(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) / 2 ** 31;
  };
}

/** d columns of n values from `value`, in kernel memory, with scale 1. */
export function placeNoise(
  kernels: Kernels,
  n: number,
  d: number,
  value: () => number,
): readonly GramColumn[] {
  return Array.from({ length: d }, () => {
    const hi = kernels.allocate(n * 8);
    const column = kernels.f64(hi, n);
    for (let r = 0; r < n; r++) column[r] = value();
    return { hi, lo: 0, center: 0, scale: 1 };
  });
}

/** The float64 and the exact Gram of one path over the same columns. */
export function gramsOf(
  { blas }: KernelPath,
  kernels: Kernels,
  columns: readonly GramColumn[],
  n: number,
): { readonly float: GramAccumulator<Float64Array>; readonly exact: GramAccumulator<Uint32Array> } {
  return {
    float: blas?.floatGram(kernels, columns, n) ?? floatGram(kernels, columns, n),
    exact: blas?.exactGram(kernels, columns, n, 2) ?? exactGram(kernels, columns, n, 2),
  };
}

/** A symmetric d × d matrix of noise with a diagonal that makes it positive definite. */
export function positiveMatrix(d: number): Float64Array {
  const next = noise(d);
  const matrix = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    matrix[i * d + i] = d;
    for (let j = i + 1; j < d; j++) matrix[i * d + j] = matrix[j * d + i] = next();
  }
  return matrix;
}

const MEASURE_SECONDS = 0.25;

/** Measures one path in about a second. */
export function measurePath(path: KernelPath): PathSpeed {
  const gigaflops = (d: number, seconds: number) => (ROWS * d * (d + 1)) / seconds / 1e9;
  const narrow = gramSeconds(path, 100);
  const wide = gramSeconds(path, 400);
  const solve = choleskySeconds(path, 500);
  return {
    path: path.name,
    ...(path.blas === undefined ? { 'csv.megabytesPerSecond': csvRate(path.fused) } : {}),
    'gram100.gigaflops': gigaflops(100, narrow.float),
    'gram400.gigaflops': gigaflops(400, wide.float),
    'exact.ratio': narrow.exact / narrow.float,
    ...(solve === undefined ? {} : { 'cholesky500.milliseconds': solve * 1000 }),
  };
}

const ROWS = 4096;

function gramSeconds(
  path: KernelPath,
  d: number,
): { readonly float: number; readonly exact: number } {
  const kernels = createKernels({ fused: path.fused });
  const grams = gramsOf(path, kernels, placeNoise(kernels, ROWS, d, noise(d)), ROWS);
  return {
    float: bestSeconds(() => grams.float.add(ROWS), MEASURE_SECONDS),
    exact: d > 100 ? Number.NaN : bestSeconds(() => grams.exact.add(ROWS), MEASURE_SECONDS),
  };
}

function choleskySeconds({ fused, blas }: KernelPath, d: number): number | undefined {
  const matrix = positiveMatrix(d);
  const b = new Float64Array(d).fill(1);
  if (blas !== undefined) {
    const { choleskySolve } = blas;
    return choleskySolve && bestSeconds(() => choleskySolve(matrix, d, b), MEASURE_SECONDS);
  }
  const kernels = createKernels({ fused });
  return bestSeconds(() => {
    const outcome = cholesky(kernels, matrix, d);
    if ('factor' in outcome) outcome.factor.solve(b);
  }, MEASURE_SECONDS);
}

/** Megabytes per second to parse CSV text that is in memory. */
function csvRate(fused: boolean): number {
  const text = csvText(8000, 20);
  const { dialect, header } = sniff(text, []);
  const columns = header.map((name) => ({ name, column: { type: 'number' } as const }));
  const seconds = bestSeconds(() => {
    const reader = csvReader({ file: 'bench', dialect, header, columns }, () => {}, { fused });
    for (let at = 0; at < text.length; ) {
      const space = reader.space();
      const piece = text.subarray(at, at + Math.min(space.length, 2 ** 18));
      space.set(piece);
      reader.commit(piece.length);
      at += piece.length;
    }
    reader.end();
  }, MEASURE_SECONDS);
  return text.length / seconds / 1e6;
}

function csvText(rows: number, width: number): Uint8Array {
  const next = noise(1);
  const lines = [Array.from({ length: width }, (_, j) => `x${j}`).join(',')];
  for (let r = 0; r < rows; r++) {
    lines.push(Array.from({ length: width }, () => next().toPrecision(17)).join(','));
  }
  return new TextEncoder().encode(`${lines.join('\n')}\n`);
}
