import { type ExactMultiplier, exactGram, type Slices } from '../../numeric/exact-gram.ts';
import {
  BLOCK_ROWS,
  type FloatMultiplier,
  floatGram,
  type GramAccumulator,
  type GramColumn,
  PANEL_BYTES,
  packedLength,
} from '../../numeric/gram.ts';
import type { Kernels } from '../../numeric/kernels.ts';
import { type BlasCalls, openBlas } from './blas-library.ts';

/** The system's BLAS with the interfaces of the embedded kernels. */
export interface Blas {
  /** The file that was loaded. */
  readonly name: string;
  /** XᵀX of a row-major n × d matrix, as a packed upper triangle. */
  gram(rows: Float64Array, n: number, d: number): Float64Array;
  /** `floatGram` by dsyrk: the same sum up to rounding. */
  floatGram(
    kernels: Kernels,
    columns: readonly GramColumn[],
    capacity: number,
  ): GramAccumulator<Float64Array>;
  /** `exactGram` by dsyrk and dsyr2k on slices: the same bits, because every partial sum is a whole number below 2⁵³. */
  exactGram(
    kernels: Kernels,
    columns: readonly GramColumn[],
    capacity: number,
    slices: Slices,
  ): GramAccumulator<Uint32Array>;
  /** A⁻¹b for a symmetric d × d row-major matrix (its upper triangle); undefined if the library has no LAPACK. */
  readonly choleskySolve:
    | ((matrix: Float64Array, d: number, b: Float64Array) => BlasSolution)
    | undefined;
}

/** The solution, or the first row at which the matrix is not positive definite. */
export type BlasSolution = { readonly solution: Float64Array } | { readonly indefiniteAt: number };

/**
 * The system's BLAS, or undefined if koffi or a library is missing. SUFFICE_BLAS names a library, or is `none`.
 * It runs on one thread unless `threads` is given.
 */
export async function findBlas(
  options: { readonly threads?: number; readonly library?: string | undefined } = {},
): Promise<Blas | undefined> {
  const library = options.library ?? process.env.SUFFICE_BLAS;
  if (library === 'none') return undefined;
  const calls = await openBlas(library, options.threads ?? 1);
  return calls && blasOf(calls);
}

function blasOf(calls: BlasCalls): Blas {
  const { solvePositive } = calls;
  return {
    name: calls.name,
    gram(rows, n, d) {
      if (rows.length < n * d) {
        throw new RangeError(`${n} × ${d} rows need ${n * d} values: ${rows.length}`);
      }
      const square = new Float64Array(d * d);
      if (d > 0) calls.multiplySelf(rows, n, d, square, 0);
      const packed = new Float64Array(packedLength(d));
      for (let i = 0, at = 0; i < d; at += d - i, i++) {
        packed.set(square.subarray(i * d + i, (i + 1) * d), at);
      }
      return packed;
    },
    floatGram: (kernels, columns, capacity) =>
      floatGram(kernels, columns, capacity, floatMultiplier(calls)),
    exactGram: (kernels, columns, capacity, slices) =>
      exactGram(kernels, columns, capacity, slices, exactMultiplier(calls)),
    choleskySolve:
      solvePositive &&
      ((matrix, d, b) => {
        if (b.length !== d) throw new RangeError(`b must have ${d} entries: ${b.length}`);
        const solution = Float64Array.from(b);
        const failed = d === 0 ? 0 : solvePositive(matrix.slice(0, d * d), d, solution);
        return failed > 0 ? { indefiniteAt: failed - 1 } : { solution };
      }),
  };
}

// BLAS needs plain rows, but the kernels have panels: each block is copied to rows first.
function floatMultiplier(calls: BlasCalls): FloatMultiplier {
  return ({ kernels, panels, packed, sum }) => {
    const width = panels * 4;
    const block = kernels.allocate(BLOCK_ROWS * width * 8);
    return (rows) => {
      kernels.call.unpackPanels(packed, PANEL_BYTES, rows, panels, block, width * 8, 1);
      const square = kernels.f64(sum, width * width);
      calls.multiplySelf(kernels.f64(block, rows * width), rows, width, square, 1);
    };
  };
}

/** Blocks multiplied at once: with one or two slices 2·256·2⁴⁴ = 2⁵³ is still exact, with more slices only one block is. */
const BLOCKS_AT_ONCE: Readonly<Record<Slices, number>> = { 1: 2, 2: 2, 3: 1, 4: 1 };

function exactMultiplier(calls: BlasCalls): ExactMultiplier {
  return ({ kernels, slices, panels, packed, masks, planes }) => {
    const width = panels * 4;
    const stride = width * 8;
    const sliceBytes = BLOCKS_AT_ONCE[slices] * BLOCK_ROWS * stride;
    const rowMajor = kernels.allocate(slices * sliceBytes);
    const product = kernels.allocate(width * stride);
    // BLAS does not write the lower triangle. It is added to unused entries, so it must not be NaN.
    kernels.f64(product, width * width).fill(0);
    const planeCount = 2 * slices - 1;
    let rows = 0;
    let blocks = 0;
    let present = 0;
    const has = (s: number) => ((present >> s) & 1) === 1;

    const flush = () => {
      if (rows === 0) return;
      const square = kernels.f64(product, width * width);
      const slice = (s: number) => kernels.f64(rowMajor + s * sliceBytes, rows * width);
      for (let plane = 0; plane < planeCount; plane++) {
        let beta: 0 | 1 = 0;
        for (let s = Math.max(0, plane - slices + 1); 2 * s <= plane; s++) {
          const t = plane - s;
          if (!has(s) || !has(t)) continue;
          if (s === t) calls.multiplySelf(slice(s), rows, width, square, beta);
          else calls.multiplyBoth(slice(s), slice(t), rows, width, square, beta);
          beta = 1;
        }
        if (beta === 1) {
          kernels.call.addSquare(product, stride, panels, planes, planeCount, plane);
        }
      }
      rows = 0;
      blocks = 0;
      present = 0;
    };

    const take = (count: number) => {
      const inBlock = new Int32Array(kernels.memory.buffer, masks, panels).reduce(
        (all, mask) => all | mask,
        0,
      );
      for (let s = 0; s < slices; s++) {
        const [from, to] = [packed + s * PANEL_BYTES, rowMajor + s * sliceBytes + rows * stride];
        if (((inBlock >> s) & 1) === 1) {
          // A slice that is first present in this block was zero in the rows before.
          if (!has(s)) kernels.f64(rowMajor + s * sliceBytes, rows * width).fill(0);
          kernels.call.unpackPanels(from, slices * PANEL_BYTES, count, panels, to, stride, 1);
        } else if (has(s)) {
          kernels.f64(to, count * width).fill(0);
        }
      }
      present |= inBlock;
      rows += count;
      blocks++;
      if (blocks === BLOCKS_AT_ONCE[slices]) flush();
    };
    return { take, flush };
  };
}
