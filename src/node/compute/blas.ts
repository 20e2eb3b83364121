import {
  type ExactMultiplier,
  exactGram,
  packedSlices,
  type Slices,
} from '../../numeric/exact-gram.ts';
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
  const { positive } = calls;
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
      positive &&
      ((matrix, d, b) => {
        if (b.length !== d) throw new RangeError(`b must have ${d} entries: ${b.length}`);
        const solution = Float64Array.from(b);
        if (d === 0) return { solution };
        const square = matrix.slice(0, d * d);
        const failed = positive.factor(square, d);
        if (failed > 0) return { indefiniteAt: failed - 1 };
        positive.solve(square, d, solution);
        return { solution };
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

function exactMultiplier(calls: BlasCalls): ExactMultiplier {
  return ({ kernels, slices, panels, packed, masks, planes }) => {
    const width = panels * 4;
    const stride = width * 8;
    const slots = packedSlices[slices];
    const sliceBytes = BLOCK_ROWS * stride;
    const rowMajor = kernels.allocate(slots * sliceBytes);
    const product = kernels.allocate(width * stride);
    // BLAS does not write the lower triangle. It is added to unused entries, so it must not be NaN.
    kernels.f64(product, width * width).fill(0);
    const planeCount = 2 * slices - 1;

    return (rows) => {
      const present = new Int32Array(kernels.memory.buffer, masks, panels).reduce(
        (all, mask) => all | mask,
        0,
      );
      const has = (s: number) => ((present >> s) & 1) === 1;
      const square = kernels.f64(product, width * width);
      const slot = (s: number) => kernels.f64(rowMajor + s * sliceBytes, rows * width);
      const unpack = (s: number) => {
        const [from, to] = [packed + s * PANEL_BYTES, rowMajor + s * sliceBytes];
        kernels.call.unpackPanels(from, slots * PANEL_BYTES, rows, panels, to, stride, 1);
      };
      const add = (plane: number, less: number) =>
        kernels.call.addSquare(product, stride, panels, planes, planeCount, plane, less);

      if (slices === 2 && has(0) && has(1)) {
        for (const [s, plane, less] of THREE_PRODUCTS) {
          unpack(s);
          calls.multiplySelf(slot(s), rows, width, square, 0);
          add(plane, less);
        }
        return;
      }
      for (let s = 0; s < slices; s++) if (has(s)) unpack(s);
      for (let plane = 0; plane < planeCount; plane++) {
        let beta: 0 | 1 = 0;
        for (let s = Math.max(0, plane - slices + 1); 2 * s <= plane; s++) {
          const t = plane - s;
          if (!has(s) || !has(t)) continue;
          if (s === t) calls.multiplySelf(slot(s), rows, width, square, beta);
          else calls.multiplyBoth(slot(s), slot(t), rows, width, square, beta);
          beta = 1;
        }
        if (beta === 1) add(plane, NONE);
      }
    };
  };
}

const NONE = -1;
/** Of two slices and their sum: the slot, the plane of its product, and the plane from which the product is taken. */
const THREE_PRODUCTS = [
  [0, 0, 1],
  [1, 2, 1],
  [2, 1, NONE],
] as const;
