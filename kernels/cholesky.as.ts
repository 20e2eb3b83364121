// The steps of a right-looking blocked Cholesky factorisation A = RᵀR, row-major, upper; src/numeric/cholesky.ts runs
// them. The trailing update is the Gram kernel. Golub & Van Loan 2013, §4.2.6.
import { PANEL_ROW, multiplyPanels } from './gram.as';
import { addScaled } from './vector.as';

/** Factors a small diagonal block in place; returns −1, or the first pivot that is not positive. */
export function factorBlock(block: usize, stride: usize, size: i32): i32 {
  for (let i: i32 = 0; i < size; i++) {
    const row: usize = block + <usize>i * stride;
    const pivot: f64 = load<f64>(row + <usize>(i * 8));
    if (!(pivot > 0)) return i;
    const root: f64 = Math.sqrt(pivot);
    store<f64>(row + <usize>(i * 8), root);
    for (let j: i32 = i + 1; j < size; j++) {
      const at: usize = row + <usize>(j * 8);
      store<f64>(at, load<f64>(at) / root);
    }
    for (let k: i32 = i + 1; k < size; k++) {
      const from: usize = row + <usize>(k * 8);
      addScaled(block + <usize>k * stride + <usize>(k * 8), from, size - k, -load<f64>(from));
    }
  }
  return -1;
}

/**
 * Solves RᵀX = B in place on packed panels of B, `rows` (a multiple of 4) rows each; R packed the same way.
 * Four rows at a time: the Gram kernel subtracts the rows above, this code solves the 4 × 4 triangle.
 */
export function solvePanels(
  packedR: usize, panelStride: usize, rows: i32, packedB: usize, panels: i32, scratch: usize,
): void {
  for (let p: i32 = 0; p < panels; p++) {
    const x: usize = packedB + <usize>p * panelStride;
    for (let first: i32 = 0; first < rows; first += 4) {
      const r: usize = packedR + <usize>(first / 4) * panelStride;
      memory.fill(scratch, 0, 128);
      multiplyPanels(r, x, scratch, PANEL_ROW, first);
      solveFour(r + <usize>first * PANEL_ROW, x + <usize>first * PANEL_ROW, scratch);
    }
  }
}

// Pointers: the 4 × 4 triangle at r, the right-hand side at x, the part to subtract at known.
@inline
function solveFour(r: usize, x: usize, known: usize): void {
  for (let row: i32 = 0; row < 4; row++) {
    const at: usize = <usize>row * PANEL_ROW;
    let low = f64x2.sub(v128.load(x + at, 0), v128.load(known + at, 0));
    let high = f64x2.sub(v128.load(x + at, 16), v128.load(known + at, 16));
    for (let above: i32 = 0; above < row; above++) {
      const solved: usize = x + <usize>above * PANEL_ROW;
      const factor = v128.load64_splat(r + <usize>above * PANEL_ROW + <usize>(row * 8));
      low = f64x2.sub(low, f64x2.mul(factor, v128.load(solved, 0)));
      high = f64x2.sub(high, f64x2.mul(factor, v128.load(solved, 16)));
    }
    const pivot = v128.load64_splat(r + at + <usize>(row * 8));
    v128.store(x + at, f64x2.div(low, pivot), 0);
    v128.store(x + at, f64x2.div(high, pivot), 16);
  }
}

/** Writes panels back to a row-major matrix, times `sign`. */
export function unpackPanels(
  packed: usize, panelStride: usize, rows: i32, panels: i32, target: usize, stride: usize, sign: f64,
): void {
  const factor = f64x2.splat(sign);
  for (let p: i32 = 0; p < panels; p++) {
    let from: usize = packed + <usize>p * panelStride;
    let to: usize = target + <usize>p * PANEL_ROW;
    for (let r: i32 = 0; r < rows; r++) {
      v128.store(to, f64x2.mul(factor, v128.load(from, 0)), 0);
      v128.store(to, f64x2.mul(factor, v128.load(from, 16)), 16);
      from += PANEL_ROW;
      to += stride;
    }
  }
}

/** target = −source, `count` (even) float64. */
export function negate(source: usize, target: usize, count: i32): void {
  for (let k: i32 = 0; k < count; k += 2) {
    const at: usize = <usize>k * 8;
    v128.store(target + at, f64x2.neg(v128.load(source + at)));
  }
}
