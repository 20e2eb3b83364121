import type { Kernels } from './kernels.ts';
import { formQ, type OrthogonalMatrix } from './orthogonal.ts';
import { checkSymmetric, reduceToTridiagonal } from './tridiagonal.ts';

/** A = VΛVᵀ: values ascending; vectors row-major d × d, column j belonging to value j. */
export interface SymmetricEigen {
  readonly values: Float64Array;
  readonly vectors: Float64Array;
}

// Rotations between two passes over Q: 256 KiB, which stays in the second-level cache.
const ROTATIONS = 16384;
const STRIP = 8;

/** Eigenvalues and vectors of a symmetric d × d row-major matrix, of which only the upper triangle is read. */
export function symmetricEigen(kernels: Kernels, matrix: Float64Array, d: number): SymmetricEigen {
  const scale = powerOfTwoOf(matrix, d);
  const { diagonal, offDiagonal, reflectors } = reduceToTridiagonal(
    kernels,
    scaled(matrix, 1 / scale),
    d,
  );
  return kernels.scoped(() => {
    const strips = toStrips(kernels, formQ(kernels, reflectors, d), d);
    const values = iterate(kernels, diagonal, offDiagonal, Math.max(ROTATIONS, d), (record) => {
      for (let s = 0; s < Math.ceil(d / STRIP); s++) {
        const strip = strips + s * STRIP * d * 8;
        kernels.call.rotateStrip(strip, record.rotations, record.sweeps, record.count);
      }
    });
    const order = Array.from(values.keys()).sort((i, j) => values[i]! - values[j]!);
    return {
      values: Float64Array.from(order, (j) => values[j]! * scale),
      vectors: fromStrips(kernels, strips, order),
    };
  });
}

/** Eigenvalues only, ascending: much faster than with vectors. */
export function symmetricEigenvalues(
  kernels: Kernels,
  matrix: Float64Array,
  d: number,
): Float64Array {
  const scale = powerOfTwoOf(matrix, d);
  const { diagonal, offDiagonal } = reduceToTridiagonal(kernels, scaled(matrix, 1 / scale), d);
  const values = kernels.scoped(() => iterate(kernels, diagonal, offDiagonal, 0, () => {}));
  return values.map((value) => value * scale).sort();
}

// Squares of entries must neither overflow nor underflow, so QL works on a matrix whose largest entry is about 1.
function powerOfTwoOf(matrix: Float64Array, d: number): number {
  checkSymmetric(matrix, d);
  let largest = 0;
  for (let i = 0; i < d; i++) {
    for (let j = i; j < d; j++) largest = Math.max(largest, Math.abs(matrix[i * d + j]!));
  }
  return largest === 0 ? 1 : 2 ** Math.min(1000, Math.max(-1000, Math.floor(Math.log2(largest))));
}

function scaled(matrix: Float64Array, factor: number): Float64Array {
  return factor === 1 ? matrix : matrix.map((x) => x * factor);
}

interface Rotations {
  readonly rotations: number;
  readonly sweeps: number;
  readonly count: number;
}

// Runs QL to the end; calls `apply` whenever the records are full.
function iterate(
  kernels: Kernels,
  diagonal: Float64Array,
  offDiagonal: Float64Array,
  capacity: number,
  apply: (record: Rotations) => void,
): Float64Array {
  const d = diagonal.length;
  const values = kernels.allocate((d + 1) * 8);
  const couplings = kernels.allocate((d + 1) * 8);
  const rotations = kernels.allocate(capacity * 16);
  const sweeps = kernels.allocate(capacity * 12);
  const state = kernels.allocate(8);
  kernels.f64(values, d).set(diagonal);
  kernels
    .f64(couplings, d + 1)
    .fill(0)
    .set(offDiagonal);
  const progress = new Int32Array(kernels.memory.buffer, state, 2).fill(0);
  while (progress[0] !== d) {
    kernels.call.iterateQl(values, couplings, d, rotations, capacity, sweeps, state);
    if (progress[0] === -1) throw new Error(`QL did not converge on ${d} × ${d}`);
    apply({ rotations, sweeps, count: progress[1]! });
  }
  return kernels.f64(values, d).slice();
}

// Q as strips of eight rows, each stored column by column, so that a rotation touches whole vectors.
function toStrips(kernels: Kernels, { pointer, width }: OrthogonalMatrix, d: number): number {
  const count = Math.ceil(d / STRIP);
  const strips = kernels.allocate(count * STRIP * d * 8);
  const target = kernels.f64(strips, count * STRIP * d).fill(0);
  const q = kernels.f64(pointer, width * width);
  for (let i = 0; i < d; i++) {
    const strip = (i >> 3) * STRIP * d + (i & 7);
    for (let j = 0; j < d; j++) target[strip + j * STRIP] = q[i * width + j]!;
  }
  return strips;
}

function fromStrips(kernels: Kernels, strips: number, order: readonly number[]): Float64Array {
  const d = order.length;
  const source = kernels.f64(strips, Math.ceil(d / STRIP) * STRIP * d);
  const vectors = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    const strip = (i >> 3) * STRIP * d + (i & 7);
    for (let j = 0; j < d; j++) vectors[i * d + j] = source[strip + order[j]! * STRIP]!;
  }
  return vectors;
}

/** The same as `symmetricEigen`, by cyclic Jacobi rotations (Golub & Van Loan 2013, §8.5.3): its specification. */
export function symmetricEigenTwin(matrix: Float64Array, d: number): SymmetricEigen {
  checkSymmetric(matrix, d);
  const a = Float64Array.from({ length: d * d }, (_, at) => {
    const [i, j] = [Math.floor(at / d), at % d];
    return matrix[Math.min(i, j) * d + Math.max(i, j)]!;
  });
  const vectors = new Float64Array(d * d);
  for (let i = 0; i < d; i++) vectors[i * d + i] = 1;
  for (let sweep = 0, rotated = true; rotated && sweep < 60; sweep++) {
    rotated = false;
    for (let p = 0; p < d; p++) {
      for (let q = p + 1; q < d; q++) rotated = jacobiRotation(a, vectors, d, p, q) || rotated;
    }
  }
  const order = Array.from({ length: d }, (_, i) => i);
  order.sort((i, j) => a[i * d + i]! - a[j * d + j]!);
  return {
    values: Float64Array.from(order, (i) => a[i * d + i]!),
    vectors: vectors.map((_, at) => vectors[Math.floor(at / d) * d + order[at % d]!]!),
  };
}

// Rotates rows and columns p and q of a so that entry (p, q) becomes zero; false if it already counts as zero.
function jacobiRotation(
  a: Float64Array,
  vectors: Float64Array,
  d: number,
  p: number,
  q: number,
): boolean {
  const apq = a[p * d + q]!;
  const size = Math.sqrt(Math.abs(a[p * d + p]!)) * Math.sqrt(Math.abs(a[q * d + q]!));
  if (Math.abs(apq) <= Number.EPSILON * size || Math.abs(apq) < 1e-300) return false;
  const slope = (a[q * d + q]! - a[p * d + p]!) / (2 * apq);
  const t = (slope >= 0 ? 1 : -1) / (Math.abs(slope) + Math.hypot(slope, 1));
  const cosine = 1 / Math.hypot(t, 1);
  const sine = t * cosine;
  const turn = (m: Float64Array, first: number, second: number) => {
    const [x, y] = [m[first]!, m[second]!];
    m[first] = cosine * x - sine * y;
    m[second] = sine * x + cosine * y;
  };
  for (let k = 0; k < d; k++) turn(a, k * d + p, k * d + q);
  for (let k = 0; k < d; k++) turn(a, p * d + k, q * d + k);
  for (let k = 0; k < d; k++) turn(vectors, k * d + p, k * d + q);
  a[p * d + q] = a[q * d + p] = 0;
  return true;
}
