import type { GramColumn, PlainColumn } from '../src/numeric/gram.ts';
import type { Kernels } from '../src/numeric/kernels.ts';

/** Buffers in kernel memory for plain columns, and a way to load rows first … first+rows−1 into them. */
export function placeColumns(
  kernels: Kernels,
  columns: readonly PlainColumn[],
  capacity: number,
): { readonly placed: readonly GramColumn[]; load(first: number, rows: number): void } {
  const placed = columns.map(({ lo, center, scale }) => ({
    hi: kernels.allocate(capacity * 8),
    lo: lo ? kernels.allocate(capacity * 8) : 0,
    center,
    scale,
  }));
  return {
    placed,
    load(first, rows) {
      columns.forEach(({ hi, lo }, j) => {
        kernels.f64(placed[j]!.hi, rows).set(hi.subarray(first, first + rows));
        if (lo) kernels.f64(placed[j]!.lo, rows).set(lo.subarray(first, first + rows));
      });
    },
  };
}
