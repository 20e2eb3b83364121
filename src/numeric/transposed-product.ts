import { BLOCK_ROWS, PANEL_BYTES, panelCount } from './gram.ts';
import type { Kernels } from './kernels.ts';

/** AᵀB by the Gram kernel; A, B and the result are row-major. */
export function transposedProduct(
  kernels: Kernels,
  a: Float64Array,
  b: Float64Array,
  rows: number,
): Float64Array {
  if (rows === 0) return new Float64Array(0);
  const [m, n] = [a.length / rows, b.length / rows];
  return kernels.scoped(() => {
    const [left, right] = [panelCount(m), panelCount(n)];
    const width = right * 4;
    const sum = kernels.allocate(left * 4 * width * 8);
    const packedLeft = kernels.allocate(left * PANEL_BYTES);
    const packedRight = kernels.allocate(right * PANEL_BYTES);
    const staged = kernels.allocate(BLOCK_ROWS * Math.max(m, n) * 8);
    kernels.f64(sum, left * 4 * width).fill(0);
    for (let first = 0; first < rows; first += BLOCK_ROWS) {
      const count = Math.min(BLOCK_ROWS, rows - first);
      const pack = (source: Float64Array, columns: number, target: number) => {
        kernels
          .f64(staged, count * columns)
          .set(source.subarray(first * columns, (first + count) * columns));
        kernels.call.packRows(staged, columns * 8, count, columns, target, PANEL_BYTES);
      };
      pack(a, m, packedLeft);
      pack(b, n, packedRight);
      const { multiplyAll } = kernels.call;
      multiplyAll(packedLeft, left, packedRight, right, PANEL_BYTES, sum, width * 8, count);
    }
    const wide = kernels.f64(sum, m * width);
    const product = new Float64Array(m * n);
    for (let i = 0; i < m; i++) product.set(wide.subarray(i * width, i * width + n), i * n);
    return product;
  });
}
