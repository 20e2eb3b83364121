import type { Kernels } from './kernels.ts';
import type { Reflectors } from './tridiagonal.ts';

/** A row-major width × width matrix in kernel memory; outside the leading d × d it is the identity. */
export interface OrthogonalMatrix {
  readonly pointer: number;
  readonly width: number;
}

// Reflections that enter Q together, as I − VTVᵀ.
const BLOCK = 32;
// Rows of V and Q that one product contracts.
const ROWS = 256;
const PANEL_BYTES = ROWS * 32;

/**
 * Q = H₀H₁… written out, last block of reflections first: Q ← Q − V·T·(VᵀQ), all products by the Gram kernel.
 * Compact WY form after Schreiber & Van Loan 1989. The result lives in the caller's scope.
 */
export function formQ(kernels: Kernels, reflectors: Reflectors, d: number): OrthogonalMatrix {
  const width = Math.ceil(d / 4) * 4;
  const pointer = kernels.allocate(width * width * 8);
  const q = kernels.f64(pointer, width * width).fill(0);
  for (let i = 0; i < width; i++) q[i * width + i] = 1;
  kernels.scoped(() => {
    const space = {
      v: kernels.allocate(width * BLOCK * 8),
      vt: kernels.allocate(BLOCK * width * 8),
      gram: kernels.allocate(BLOCK * BLOCK * 8),
      minusT: kernels.allocate(BLOCK * BLOCK * 8),
      product: kernels.allocate(BLOCK * width * 8),
      turned: kernels.allocate(BLOCK * width * 8),
      left: kernels.allocate((Math.max(width, BLOCK) / 4) * PANEL_BYTES),
      right: kernels.allocate((width / 4) * PANEL_BYTES),
    };
    const last = Math.floor(Math.max(0, d - 2) / BLOCK) * BLOCK;
    for (let first = last; first >= 0; first -= BLOCK) {
      applyBlock(kernels, reflectors, d, first, pointer, width, space);
    }
  });
  return { pointer, width };
}

type Space = Readonly<
  Record<'v' | 'vt' | 'gram' | 'minusT' | 'product' | 'turned' | 'left' | 'right', number>
>;

// Q₂₂ −= V·T·VᵀQ₂₂, where Q₂₂ starts at the last multiple of four at or before first + 1.
function applyBlock(
  kernels: Kernels,
  reflectors: Reflectors,
  d: number,
  first: number,
  q: number,
  width: number,
  space: Space,
): void {
  const { call } = kernels;
  const corner = (first + 1) & ~3;
  const m = width - corner;
  const stride = width * 8;
  const q22 = q + corner * stride + corner * 8;
  const zero = (pointer: number, count: number) => kernels.f64(pointer, count).fill(0);
  const v = zero(space.v, m * BLOCK);
  const vt = zero(space.vt, BLOCK * m);
  for (let t = 0; t < BLOCK && first + t < d - 1; t++) {
    for (let j = first + t + 1; j < d; j++) {
      const entry = reflectors.rows[(first + t) * reflectors.width + j]!;
      v[(j - corner) * BLOCK + t] = entry;
      vt[t * m + j - corner] = entry;
    }
  }
  zero(space.gram, BLOCK * BLOCK);
  zero(space.product, BLOCK * m);
  zero(space.turned, BLOCK * m);
  const panels = m / 4;
  for (let row = 0; row < m; row += ROWS) {
    const rows = Math.min(ROWS, m - row);
    call.packRows(space.v + row * BLOCK * 8, BLOCK * 8, rows, BLOCK, space.left, PANEL_BYTES);
    call.packRows(q22 + row * stride, stride, rows, m, space.right, PANEL_BYTES);
    const { left, right, gram, product } = space;
    call.multiplyUpper(left, left, PANEL_BYTES, gram, BLOCK * 8, rows, BLOCK / 4);
    call.multiplyAll(left, BLOCK / 4, right, panels, PANEL_BYTES, product, m * 8, rows);
  }
  writeMinusT(kernels, space, reflectors.tau.subarray(first));
  call.packRows(space.minusT, BLOCK * 8, BLOCK, BLOCK, space.left, PANEL_BYTES);
  call.packRows(space.product, m * 8, BLOCK, m, space.right, PANEL_BYTES);
  const { left, right } = space;
  call.multiplyAll(left, BLOCK / 4, right, panels, PANEL_BYTES, space.turned, m * 8, BLOCK);
  call.packRows(space.vt, m * 8, BLOCK, m, left, PANEL_BYTES);
  call.packRows(space.turned, m * 8, BLOCK, m, right, PANEL_BYTES);
  call.multiplyAll(left, panels, right, panels, PANEL_BYTES, q22, stride, BLOCK);
}

// −Tᵀ, row-major: column t of T is τ_t above its diagonal times −T·Vᵀu_t (Golub & Van Loan 2013, §5.1.7).
function writeMinusT(kernels: Kernels, space: Space, tau: Float64Array): void {
  const gram = kernels.f64(space.gram, BLOCK * BLOCK);
  const minusT = kernels.f64(space.minusT, BLOCK * BLOCK).fill(0);
  for (let t = 0; t < BLOCK; t++) {
    const factor = tau[t] ?? 0;
    for (let s = 0; s < t; s++) {
      let sum = 0;
      for (let k = s; k < t; k++) sum += minusT[k * BLOCK + s]! * gram[k * BLOCK + t]!;
      minusT[t * BLOCK + s] = -factor * sum;
    }
    minusT[t * BLOCK + t] = -factor;
  }
}
