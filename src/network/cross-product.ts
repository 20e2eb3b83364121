import type { Kernels } from '../numeric/kernels.ts';

/** A matrix in kernel memory: bytes of its first number, and numbers of a row, a multiple of 4. */
export interface KernelMatrix {
  readonly at: number;
  readonly width: number;
}

/** What a cross product does with its target; a sum of symmetric ones needs the upper triangle alone. */
export type CrossTarget = 'set' | 'add' | 'add-upper';

/** leftᵀ·right of matrices with `rows` rows, into a target as wide as the right one. `panel` is the workspace's. */
export function crossProduct(
  { kernels, panel }: { readonly kernels: Kernels; readonly panel: number },
  rows: number,
  left: KernelMatrix,
  right: KernelMatrix,
  target: number,
  what: CrossTarget,
): void {
  kernels.call.transposedProduct(
    ...[left.width, right.width, rows, left.at, left.width, right.at, right.width],
    ...[target, right.width, Number(what === 'add-upper'), Number(what !== 'set'), panel],
  );
}
