// Float64 products of packed panels. A panel is 4 columns wide and stored row by row: [row][4], 32 bytes a row.
// In a Gram both operands are the same columns, so one packing serves both sides.
import { multiplyAdd } from './arithmetic.as';

/** Bytes of one panel row: four float64. */
export const PANEL_ROW: usize = 32;

// Panels of the right operand that one pass keeps in the second-level cache: 64 × 256 rows × 32 bytes = 512 KiB.
const CACHED_PANELS: i32 = 64;

/**
 * target[4×4] += leftᵀ·right over `rows` rows; rows of the target lie `stride` bytes apart.
 * Never inline it: V8 has no on-stack replacement, so a loop inside a long call would stay in the baseline tier.
 * Eight accumulators and six operands are 14 of V8's 15 registers; a wider tile or an unrolled loop spills.
 */
export function multiplyPanels(left: usize, right: usize, target: usize, stride: usize, rows: usize): void {
  let c00 = f64x2.splat(0), c01 = f64x2.splat(0);
  let c10 = f64x2.splat(0), c11 = f64x2.splat(0);
  let c20 = f64x2.splat(0), c21 = f64x2.splat(0);
  let c30 = f64x2.splat(0), c31 = f64x2.splat(0);
  const end: usize = left + rows * PANEL_ROW;
  while (left < end) {
    const b0 = v128.load(right, 0), b1 = v128.load(right, 16);
    const a0 = v128.load64_splat(left, 0);
    c00 = multiplyAdd(a0, b0, c00);
    c01 = multiplyAdd(a0, b1, c01);
    const a1 = v128.load64_splat(left, 8);
    c10 = multiplyAdd(a1, b0, c10);
    c11 = multiplyAdd(a1, b1, c11);
    const a2 = v128.load64_splat(left, 16);
    c20 = multiplyAdd(a2, b0, c20);
    c21 = multiplyAdd(a2, b1, c21);
    const a3 = v128.load64_splat(left, 24);
    c30 = multiplyAdd(a3, b0, c30);
    c31 = multiplyAdd(a3, b1, c31);
    left += PANEL_ROW;
    right += PANEL_ROW;
  }
  addPair(target, c00, c01);
  addPair(target + stride, c10, c11);
  addPair(target + 2 * stride, c20, c21);
  addPair(target + 3 * stride, c30, c31);
}

@inline
function addPair(target: usize, low: v128, high: v128): void {
  v128.store(target, f64x2.add(v128.load(target, 0), low), 0);
  v128.store(target, f64x2.add(v128.load(target, 16), high), 16);
}

/** Upper tiles of target += leftᵀ·right, both `panels` panels whose starts lie `panelStride` bytes apart. */
export function multiplyUpper(
  left: usize, right: usize, panelStride: usize, target: usize, stride: usize, rows: i32, panels: i32,
): void {
  for (let first: i32 = 0; first < panels; first += CACHED_PANELS) {
    const last: i32 = min(first + CACHED_PANELS, panels);
    for (let i: i32 = 0; i < last; i++) {
      const a: usize = left + <usize>i * panelStride;
      const row: usize = target + <usize>(i * 4) * stride;
      for (let j: i32 = max(i, first); j < last; j++) {
        multiplyPanels(a, right + <usize>j * panelStride, row + <usize>j * PANEL_ROW, stride, rows);
      }
    }
  }
}

/** All tiles of target += leftᵀ·right. */
export function multiplyAll(
  left: usize, leftPanels: i32, right: usize, rightPanels: i32, panelStride: usize,
  target: usize, stride: usize, rows: i32,
): void {
  for (let first: i32 = 0; first < rightPanels; first += CACHED_PANELS) {
    const last: i32 = min(first + CACHED_PANELS, rightPanels);
    for (let i: i32 = 0; i < leftPanels; i++) {
      const a: usize = left + <usize>i * panelStride;
      const row: usize = target + <usize>(i * 4) * stride;
      for (let j: i32 = first; j < last; j++) {
        multiplyPanels(a, right + <usize>j * panelStride, row + <usize>j * PANEL_ROW, stride, rows);
      }
    }
  }
}

/** Packs `rows` rows of a row-major matrix, `width` columns wide; columns that fill the last panel are zero. */
export function packRows(source: usize, stride: usize, rows: i32, width: i32, out: usize, panelStride: usize): void {
  const whole: i32 = width / 4;
  // Eight rows at a time: 256 bytes go to a panel before the next panel.
  for (let first: i32 = 0; first < rows; first += 8) {
    const last: i32 = min(first + 8, rows);
    for (let p: i32 = 0; p < whole; p++) {
      let from: usize = source + <usize>first * stride + <usize>p * PANEL_ROW;
      let to: usize = out + <usize>p * panelStride + <usize>first * PANEL_ROW;
      for (let r: i32 = first; r < last; r++) {
        v128.store(to, v128.load(from, 0), 0);
        v128.store(to, v128.load(from, 16), 16);
        from += stride;
        to += PANEL_ROW;
      }
    }
  }
  const rest: i32 = width - whole * 4;
  if (rest == 0) return;
  let from: usize = source + <usize>whole * PANEL_ROW;
  let to: usize = out + <usize>whole * panelStride;
  memory.fill(to, 0, <usize>rows * PANEL_ROW);
  for (let r: i32 = 0; r < rows; r++) {
    for (let c: i32 = 0; c < rest; c++) store<f64>(to + <usize>(c * 8), load<f64>(from + <usize>(c * 8)));
    from += stride;
    to += PANEL_ROW;
  }
}

// The column table that src/numeric/gram.ts writes; 32 bytes a column, padded to whole panels with a column of zeros.
@unmanaged
export class Column {
  high: u32;
  low: u32; // 0 if the column has no low part
  center: f64;
  factor: f64;
  reserved: f64;
}

export const COLUMN_BYTES: usize = 32;

/** Packs rows first … first+rows−1 of the table's columns as (high − center)·factor. */
export function packColumns(
  table: usize, panels: i32, first: i32, rows: i32, out: usize, panelStride: usize,
): void {
  const offset: usize = <usize>first * 8;
  for (let p: i32 = 0; p < panels; p++) {
    const base: usize = table + <usize>(p * 4) * COLUMN_BYTES;
    const to: usize = out + <usize>p * panelStride;
    packPair(changetype<Column>(base), changetype<Column>(base + COLUMN_BYTES), offset, rows, to);
    packPair(
      changetype<Column>(base + 2 * COLUMN_BYTES), changetype<Column>(base + 3 * COLUMN_BYTES), offset, rows, to + 16,
    );
  }
}

// Two columns side by side. An odd last row is read together with the eight bytes after it; these go to a panel row that is
// not used.
function packPair(left: Column, right: Column, offset: usize, rows: i32, to: usize): void {
  const center0 = f64x2.splat(left.center), factor0 = f64x2.splat(left.factor);
  const center1 = f64x2.splat(right.center), factor1 = f64x2.splat(right.factor);
  let from0: usize = left.high + offset, from1: usize = right.high + offset;
  const end: usize = from0 + <usize>rows * 8;
  while (from0 < end) {
    const x = f64x2.mul(f64x2.sub(v128.load(from0), center0), factor0);
    const y = f64x2.mul(f64x2.sub(v128.load(from1), center1), factor1);
    v128.store(to, i64x2.shuffle(x, y, 0, 2), 0);
    v128.store(to, i64x2.shuffle(x, y, 1, 3), 32);
    from0 += 16;
    from1 += 16;
    to += 64;
  }
}
