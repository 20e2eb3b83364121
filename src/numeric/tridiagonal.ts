import type { Kernels } from './kernels.ts';

/** A symmetric matrix as A = QTQᵀ with T tridiagonal and Q orthogonal, a product of Householder reflections. */
export interface Tridiagonal {
  /** d entries. */
  readonly diagonal: Float64Array;
  /** d − 1 entries; entry k couples k and k+1. */
  readonly offDiagonal: Float64Array;
  applyQt(vector: Float64Array): Float64Array;
  applyQ(vector: Float64Array): Float64Array;
}

/** The reflections H_k = I − τ_k·u uᵀ of Q = H₀H₁…: u is row k of `rows` from column k+1 on, with u₀ = 1. */
export interface Reflectors {
  readonly rows: Float64Array;
  readonly width: number;
  readonly tau: Float64Array;
}

/** Refuses a matrix with too few entries, or with an entry of the upper triangle that is not finite. */
export function checkSymmetric(matrix: Float64Array, d: number): void {
  if (matrix.length < d * d) {
    throw new RangeError(`a ${d} × ${d} matrix needs ${d * d} entries: ${matrix.length}`);
  }
  for (let i = 0; i < d; i++) {
    for (let j = i; j < d; j++) {
      if (!Number.isFinite(matrix[i * d + j]!)) {
        throw new RangeError(`entry (${i}, ${j}) must be finite: ${matrix[i * d + j]}`);
      }
    }
  }
}

/** Tridiagonalises a symmetric d × d row-major matrix, of which only the upper triangle is read. */
export function tridiagonalize(kernels: Kernels, matrix: Float64Array, d: number): Tridiagonal {
  const { diagonal, offDiagonal, reflectors } = reduceToTridiagonal(kernels, matrix, d);
  return {
    diagonal,
    offDiagonal,
    applyQt(vector) {
      const x = Float64Array.from(vector);
      for (let k = 0; k < d - 1; k++) reflect(reflectors, k, d, x);
      return x;
    },
    applyQ(vector) {
      const x = Float64Array.from(vector);
      for (let k = d - 2; k >= 0; k--) reflect(reflectors, k, d, x);
      return x;
    },
  };
}

function reflect({ rows, width, tau }: Reflectors, k: number, d: number, x: Float64Array): void {
  const row = k * width;
  let sum = 0;
  for (let j = k + 1; j < d; j++) sum += rows[row + j]! * x[j]!;
  sum *= tau[k]!;
  for (let j = k + 1; j < d; j++) x[j]! -= sum * rows[row + j]!;
}

/** T and the reflectors of Q, without the functions that apply them. */
export function reduceToTridiagonal(
  kernels: Kernels,
  matrix: Float64Array,
  d: number,
): {
  readonly diagonal: Float64Array;
  readonly offDiagonal: Float64Array;
  readonly reflectors: Reflectors;
} {
  checkSymmetric(matrix, d);
  return kernels.scoped(() => {
    const { call } = kernels;
    // One extra row and column of zeros: the kernel takes rows and columns in pairs.
    const width = Math.ceil((d + 1) / 4) * 4;
    const stride = width * 8;
    const a = kernels.allocate((d + 1) * stride);
    const square = kernels.f64(a, (d + 1) * width).fill(0);
    for (let i = 0; i < d; i++) {
      square.set(matrix.subarray(i * d + i, (i + 1) * d), i * width + i);
    }
    const [diagonal, offDiagonal, tau, w, product, ...pair] = Array.from({ length: 7 }, () => {
      const pointer = kernels.allocate(stride);
      kernels.f64(pointer, width).fill(0);
      return pointer;
    }) as [number, number, number, number, number, number, number];
    let [v, next] = pair;
    for (let k = 0; k < d; k++) {
      call.reflectRow(a, stride, d, k, v, w, next, diagonal, offDiagonal, tau);
      call.updateAndMultiply(a, stride, d, k + 1, v, w, next, product);
      call.finishReflection(next, product, w, d, k + 1, kernels.f64(tau, d)[k]!);
      [v, next] = [next, v];
    }
    return {
      diagonal: kernels.f64(diagonal, d).slice(),
      offDiagonal: kernels.f64(offDiagonal, Math.max(0, d - 1)).slice(),
      reflectors: {
        rows: kernels.f64(a, d * width).slice(),
        width,
        tau: kernels.f64(tau, d).slice(),
      },
    };
  });
}
