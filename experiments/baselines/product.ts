import { panelCount } from '../../src/numeric/gram.ts';
import type { Kernels } from '../../src/numeric/kernels.ts';

/** v ↦ M v, for the matrix it was made of. Returns a new vector. */
export type Product = (v: Float64Array) => Float64Array;

/** Bytes of a row of a panel: four float64. */
const PANEL_ROW = 32;

/** Keeps a row-major symmetric d × d matrix in kernel memory, as long as the kernels live. */
export function productWith(kernels: Kernels, matrix: Float64Array, d: number): Product {
  return columnProduct(kernels, matrix, d, d);
}

/** v ↦ Mᵀ v for a row-major n × d matrix, which is kept in kernel memory likewise. */
export function columnProduct(
  kernels: Kernels,
  matrix: Float64Array,
  n: number,
  d: number,
): Product {
  const { panels, at, stride } = packed(kernels, matrix, n, d);
  // The vector is one panel whose other three columns are 0; only the first of the four product rows is used.
  const vector = kernels.allocate(stride);
  const width = panels * 4;
  const target = kernels.allocate(4 * width * 8);
  kernels.f64(vector, n * 4).fill(0);
  return (v) => {
    const panel = kernels.f64(vector, n * 4);
    for (let i = 0; i < n; i++) panel[4 * i] = v[i]!;
    kernels.f64(target, 4 * width).fill(0);
    kernels.call.multiplyAll!(vector, 1, at, panels, stride, target, width * 8, n);
    return kernels.f64(target, d).slice();
  };
}

/** A·B of symmetric d × d matrices, row-major. */
export function squareProduct(
  kernels: Kernels,
  a: Float64Array,
  b: Float64Array,
  d: number,
): Float64Array {
  return kernels.scoped(() => {
    const left = packed(kernels, a, d, d);
    const right = packed(kernels, b, d, d);
    const width = left.panels * 4;
    const target = kernels.allocate(width * width * 8);
    kernels.f64(target, width * width).fill(0);
    kernels.call.multiplyAll!(
      left.at,
      left.panels,
      right.at,
      right.panels,
      left.stride,
      target,
      width * 8,
      d,
    );
    const square = kernels.f64(target, width * width);
    const product = new Float64Array(d * d);
    for (let i = 0; i < d; i++) product.set(square.subarray(i * width, i * width + d), i * d);
    return product;
  });
}

function packed(kernels: Kernels, matrix: Float64Array, n: number, d: number) {
  const panels = panelCount(d);
  const stride = n * PANEL_ROW;
  const at = kernels.allocate(panels * stride);
  kernels.scoped(() => {
    const rows = kernels.allocate(n * d * 8);
    kernels.f64(rows, n * d).set(matrix);
    kernels.call.packRows!(rows, d * 8, n, d, at, stride);
  });
  return { panels, at, stride };
}

export function dotOf(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
