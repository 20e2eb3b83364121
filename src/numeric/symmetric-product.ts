import { reproducibleKernels } from './kernels.ts';

/** out ← A v for a symmetric matrix A. */
export type SymmetricProduct = (v: Float64Array, out: Float64Array) => void;

/** From this width on the kernel is faster, its compilation included. */
const WORTH_KERNEL = 150;
/** From this width on the copy for the kernel takes longer than it saves, and much memory. */
const WORTH_NO_COPY = 1500;

/**
 * Products with the part of a symmetric row-major matrix that has the rows and columns `kept`, of which only the upper
 * triangle is read. The same bits on every engine, unless `useLeadingProduct` was called.
 */
export function symmetricProduct(
  matrix: Float64Array,
  stride: number,
  kept: readonly number[],
): SymmetricProduct {
  const d = kept.length;
  if (d < WORTH_KERNEL) return narrowProduct(matrix, stride, kept);
  const isLeading = kept[d - 1] === d - 1;
  return isLeading && d >= WORTH_NO_COPY
    ? chosen(matrix, stride, d)
    : kernelProduct(matrix, stride, kept);
}

/** Products with the leading d rows and columns, without a copy. */
export type LeadingProduct = (matrix: Float64Array, stride: number, d: number) => SymmetricProduct;

export const leadingProduct: LeadingProduct = (matrix, stride, d) => {
  return (v, out) => {
    out.fill(0);
    for (let i = 0; i < d; i++) {
      const row = matrix.subarray(i * stride, i * stride + d);
      const own = v[i];
      let [even, odd] = [row[i] * own, 0];
      let j = i + 1;
      for (; j + 1 < d; j += 2) {
        const [a, b] = [row[j], row[j + 1]];
        even += a * v[j];
        odd += b * v[j + 1];
        out[j] += a * own;
        out[j + 1] += b * own;
      }
      if (j < d) {
        even += row[j] * v[j];
        out[j] += row[j] * own;
      }
      out[i] += even + odd;
    }
  };
};

let chosen: LeadingProduct = leadingProduct;

/** Uses the platform's BLAS for wide matrices from now on. */
export function useLeadingProduct(native: LeadingProduct): void {
  chosen = native;
}

function narrowProduct(
  matrix: Float64Array,
  stride: number,
  kept: readonly number[],
): SymmetricProduct {
  const d = kept.length;
  const part = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    for (let j = i; j < d; j++) {
      part[i * d + j] = part[j * d + i] = matrix[kept[i] * stride + kept[j]];
    }
  }
  return (v, out) => {
    for (let i = 0; i < d; i++) {
      let sum = 0;
      for (let j = 0; j < d; j++) sum += part[i * d + j] * v[j];
      out[i] = sum;
    }
  };
}

/** By the kernel of the tridiagonal form, which multiplies while it updates; here the update is by zeros. */
export function kernelProduct(
  matrix: Float64Array,
  stride: number,
  kept: readonly number[],
): SymmetricProduct {
  const kernels = reproducibleKernels();
  const d = kept.length;
  const isWhole = kept[d - 1] === d - 1;
  const width = Math.ceil((d + 1) / 4) * 4;
  const a = kernels.allocate((d + 1) * width * 8);
  const square = kernels.f64(a, (d + 1) * width).fill(0);
  for (let i = 0; i < d; i++) {
    const row = kept[i] * stride;
    if (isWhole) square.set(matrix.subarray(row + i, row + d), i * width + i);
    else for (let j = i; j < d; j++) square[i * width + j] = matrix[row + kept[j]];
  }
  const [zero, input, product] = Array.from({ length: 3 }, () => {
    const pointer = kernels.allocate(width * 8);
    kernels.f64(pointer, width).fill(0);
    return pointer;
  }) as [number, number, number];
  return (v, out) => {
    kernels.f64(input, d).set(v);
    kernels.call.updateAndMultiply(a, width * 8, d, 0, zero, zero, input, product);
    out.set(kernels.f64(product, d));
  };
}
