// The exact Gram: values as integers in 22-bit slices, products of slices by the float64 kernel, sums in 64-bit planes.
//
// Over a block of 256 rows every partial sum of slice products is an integer below 2⁵³, so float64 adds it without
// rounding, fused or not (Ozaki et al. 2012, Algorithm 3, with a fixed grid in place of row maxima):
// |top slice| ≤ 2²², |other slices| ≤ 2²¹(1 + 2⁻⁸), at most 6·2⁴² for the products of one weight and row.
import { COLUMN_BYTES, Column, PANEL_ROW, multiplyPanels } from './gram.as';

const SLICE: f64 = 4194304.0; // 2²²
const SLICE_BITS: i32 = 22;
const TILE_BYTES: usize = 128;
const REFUSED: i32 = 1 << 8;

// Panels of the right operand, over all slices, that stay in the second-level cache.
const CACHED_PANELS: i32 = 64;

@inline
function isNonzero(bits: v128): bool {
  return v128.any_true(v128.and(bits, i64x2.splat(0x7fffffffffffffff)));
}

@inline
function storeLanes(to: usize, x: v128): void {
  v128.store64_lane(to, x, 0, 0);
  v128.store64_lane(to, x, 1, 32);
}

// An odd last row is read twice: the copy goes to a panel row that is not used, and changes no flag.
@inline
function loadRows(from: usize, rowsLeft: i32): v128 {
  return rowsLeft > 1 ? v128.load(from) : v128.load64_splat(from);
}

// One slice in plain doubles: U = nearest((high − center [+ low])·factor). Returns 1 if it is not all zero.
function quantizeOne(column: Column, offset: usize, rows: i32, to: usize): i32 {
  const center = f64x2.splat(column.center), factor = f64x2.splat(column.factor), limit = f64x2.splat(SLICE);
  const high: usize = column.high + offset;
  const low: usize = column.low == 0 ? 0 : column.low + offset;
  let inside = i64x2.splat(-1), any = i64x2.splat(0);
  for (let r: i32 = 0; r < rows; r += 2) {
    const at: usize = <usize>r * 8;
    let x = f64x2.sub(loadRows(high + at, rows - r), center);
    if (low != 0) x = f64x2.add(x, loadRows(low + at, rows - r));
    const u = f64x2.nearest(f64x2.mul(x, factor));
    inside = v128.and(inside, f64x2.le(f64x2.abs(u), limit));
    any = v128.or(any, u);
    storeLanes(to, u);
    to += 2 * PANEL_ROW;
  }
  if (!i64x2.all_true(inside)) return REFUSED;
  return isNonzero(any) ? 1 : 0;
}

// Two slices in plain doubles: U = nearest((high − center [+ low])·factor). Returns which slices are not all zero.
function quantizeTwo(column: Column, offset: usize, rows: i32, to: usize, sliceStride: usize): i32 {
  const center = f64x2.splat(column.center), factor = f64x2.splat(column.factor);
  const limit = f64x2.splat(SLICE * SLICE);
  const slice = f64x2.splat(SLICE), perSlice = f64x2.splat(1.0 / SLICE);
  const high: usize = column.high + offset;
  const low: usize = column.low == 0 ? 0 : column.low + offset;
  let inside = i64x2.splat(-1), any0 = i64x2.splat(0), any1 = i64x2.splat(0);
  for (let r: i32 = 0; r < rows; r += 2) {
    const at: usize = <usize>r * 8;
    let x = f64x2.sub(loadRows(high + at, rows - r), center);
    if (low != 0) x = f64x2.add(x, loadRows(low + at, rows - r));
    const u = f64x2.nearest(f64x2.mul(x, factor));
    inside = v128.and(inside, f64x2.le(f64x2.abs(u), limit));
    const q0 = f64x2.nearest(f64x2.mul(u, perSlice));
    const q1 = f64x2.sub(u, f64x2.mul(q0, slice));
    any0 = v128.or(any0, q0);
    any1 = v128.or(any1, q1);
    storeLanes(to, q0);
    storeLanes(to + sliceStride, q1);
    to += 2 * PANEL_ROW;
  }
  if (!i64x2.all_true(inside)) return REFUSED;
  return (isNonzero(any0) ? 1 : 0) | (isNonzero(any1) ? 2 : 0);
}

// Three or four slices in double-double: high − center exactly, low added to its error, one rounding at the grid.
function quantizeMany(
  column: Column, offset: usize, rows: i32, to: usize, sliceStride: usize, slices: i32,
): i32 {
  const center = f64x2.splat(-column.center), factor = f64x2.splat(column.factor);
  let top: f64 = 1.0;
  for (let s: i32 = 1; s < slices; s++) top *= SLICE;
  const limit = f64x2.splat(top * SLICE), half = f64x2.splat(0.5), zero = f64x2.splat(0);
  const high: usize = column.high + offset;
  const low: usize = column.low == 0 ? 0 : column.low + offset;
  let inside = i64x2.splat(-1), any0 = zero, any1 = zero, any2 = zero, any3 = zero;
  for (let r: i32 = 0; r < rows; r += 2) {
    const at: usize = <usize>r * 8;
    const x = loadRows(high + at, rows - r);
    const difference = f64x2.add(x, center);
    const z = f64x2.sub(difference, x);
    let error = f64x2.add(f64x2.sub(x, f64x2.sub(difference, z)), f64x2.sub(center, z));
    if (low != 0) error = f64x2.add(error, loadRows(low + at, rows - r));
    const a0 = f64x2.mul(difference, factor), b0 = f64x2.mul(error, factor);
    let a = f64x2.add(a0, b0);
    let b = sumError(a0, b0, a);
    inside = v128.and(inside, f64x2.le(f64x2.abs(a), limit));
    let unit: f64 = top, slot: usize = to;
    for (let s: i32 = 0; s < slices - 1; s++) {
      const q = f64x2.nearest(f64x2.mul(a, f64x2.splat(1.0 / unit)));
      storeLanes(slot, q);
      if (s == 0) any0 = v128.or(any0, q);
      else if (s == 1) any1 = v128.or(any1, q);
      else any2 = v128.or(any2, q);
      // q·unit shares a's leading bits, so the difference is exact; the tail is added to the next head.
      const rest = f64x2.sub(a, f64x2.mul(q, f64x2.splat(unit)));
      a = f64x2.add(rest, b);
      b = sumError(rest, b, a);
      unit /= SLICE;
      slot += sliceStride;
    }
    // a + b to the nearest integer: the tail b decides only if a is half-way.
    const even = f64x2.nearest(a);
    const tied = v128.and(f64x2.eq(f64x2.abs(f64x2.sub(a, even)), half), f64x2.ne(b, zero));
    const toward = v128.bitselect(half, f64x2.neg(half), f64x2.gt(b, zero));
    const q = v128.bitselect(f64x2.add(a, toward), even, tied);
    storeLanes(slot, q);
    any3 = v128.or(any3, q);
    to += 2 * PANEL_ROW;
  }
  if (!i64x2.all_true(inside)) return REFUSED;
  return (isNonzero(any0) ? 1 : 0) | (isNonzero(any1) ? 2 : 0) | (isNonzero(any2) ? 4 : 0) |
    (isNonzero(any3) ? 1 << (slices - 1) : 0);
}

@inline
function sumError(a: v128, b: v128, sum: v128): v128 {
  const z = f64x2.sub(sum, a);
  return f64x2.add(f64x2.sub(a, f64x2.sub(sum, z)), f64x2.sub(b, z));
}

/**
 * Packs up to 256 rows as slices, most significant first: panel → slice → [row][4]. `masks` receives one i32 a panel,
 * bit s set where slice s is not all zero. Returns −1, or the first column with a value outside the grid.
 */
export function packExact(
  table: usize, panels: i32, first: i32, rows: i32, out: usize, sliceStride: usize, slices: i32, masks: usize,
): i32 {
  const offset: usize = <usize>first * 8;
  for (let p: i32 = 0; p < panels; p++) {
    const panel: usize = out + <usize>(p * slices) * sliceStride;
    let mask: i32 = 0;
    for (let c: i32 = 0; c < 4; c++) {
      const column = changetype<Column>(table + <usize>(p * 4 + c) * COLUMN_BYTES);
      const to: usize = panel + <usize>(c * 8);
      let found: i32;
      if (slices == 1) found = quantizeOne(column, offset, rows, to);
      else if (slices == 2) found = quantizeTwo(column, offset, rows, to, sliceStride);
      else found = quantizeMany(column, offset, rows, to, sliceStride, slices);
      if (found == REFUSED) return p * 4 + c;
      mask |= found;
    }
    store<i32>(masks + <usize>(p * 4), mask);
  }
  return -1;
}

/**
 * Adds the slice products of one block to the planes, upper tiles row by row: tile → plane → 4×4 of i64.
 * Plane w holds slices s and t with s + t = w. Slices that are all zero cost nothing.
 */
export function multiplyExact(
  packed: usize, masks: usize, sliceStride: usize, slices: i32, rows: i32, panels: i32, planes: usize, scratch: usize,
): void {
  const panelStride: usize = <usize>slices * sliceStride;
  const planeCount: i32 = 2 * slices - 1;
  const cached: i32 = max(1, CACHED_PANELS / slices);
  for (let first: i32 = 0; first < panels; first += cached) {
    const last: i32 = min(first + cached, panels);
    for (let i: i32 = 0; i < last; i++) {
      const leftMask = load<i32>(masks + <usize>(i * 4));
      if (leftMask == 0) continue;
      const left: usize = packed + <usize>i * panelStride;
      const tileRow: i32 = i * panels - i * (i + 1) / 2;
      for (let j: i32 = max(i, first); j < last; j++) {
        const rightMask = load<i32>(masks + <usize>(j * 4));
        const right: usize = packed + <usize>j * panelStride;
        const target: usize = planes + <usize>(tileRow + j) * <usize>planeCount * TILE_BYTES;
        for (let w: i32 = 0; w < planeCount; w++) {
          let empty = true;
          for (let s: i32 = max(0, w - slices + 1); s <= min(w, slices - 1); s++) {
            const t: i32 = w - s;
            if (((leftMask >> s) & (rightMask >> t) & 1) == 0) continue;
            if (empty) memory.fill(scratch, 0, TILE_BYTES);
            empty = false;
            multiplyPanels(left + <usize>s * sliceStride, right + <usize>t * sliceStride, scratch, 32, rows);
          }
          if (!empty) addTile(target + <usize>w * TILE_BYTES, scratch);
        }
      }
    }
  }
}

function addTile(plane: usize, tile: usize): void {
  const end: usize = tile + TILE_BYTES;
  while (tile < end) {
    store<i64>(plane, load<i64>(plane, 0) + <i64>load<f64>(tile, 0), 0);
    store<i64>(plane, load<i64>(plane, 8) + <i64>load<f64>(tile, 8), 8);
    plane += 16;
    tile += 16;
  }
}

/** Adds a row-major matrix of integers, computed elsewhere, to plane `plane` of every upper tile. */
export function addSquare(
  square: usize, stride: usize, panels: i32, planes: usize, planeCount: i32, plane: i32,
): void {
  let target: usize = planes + <usize>plane * TILE_BYTES;
  for (let i: i32 = 0; i < panels; i++) {
    for (let j: i32 = i; j < panels; j++) {
      let row: usize = square + <usize>(i * 4) * stride + <usize>j * PANEL_ROW;
      let at: usize = target;
      for (let r: i32 = 0; r < 4; r++) {
        store<i64>(at, load<i64>(at, 0) + <i64>load<f64>(row, 0), 0);
        store<i64>(at, load<i64>(at, 8) + <i64>load<f64>(row, 8), 8);
        store<i64>(at, load<i64>(at, 16) + <i64>load<f64>(row, 16), 16);
        store<i64>(at, load<i64>(at, 24) + <i64>load<f64>(row, 24), 24);
        row += stride;
        at += PANEL_ROW;
      }
      target += <usize>planeCount * TILE_BYTES;
    }
  }
}

/** Moves the planes of `tiles` tiles into their wide totals (tile → entry → `limbs` of u64) and clears them. */
export function spillPlanes(planes: usize, totals: usize, tiles: i32, slices: i32, limbs: i32): void {
  const planeCount: i32 = 2 * slices - 1;
  for (let tile: i32 = 0; tile < tiles; tile++) {
    for (let entry: i32 = 0; entry < 16; entry++) {
      for (let w: i32 = 0; w < planeCount; w++) {
        const plane: usize = planes + <usize>w * TILE_BYTES + <usize>(entry * 8);
        addShifted(totals, limbs, load<i64>(plane), SLICE_BITS * (planeCount - 1 - w));
        store<i64>(plane, 0);
      }
      totals += <usize>(limbs * 8);
    }
    planes += <usize>planeCount * TILE_BYTES;
  }
}

// total += value·2^shift in two's complement.
function addShifted(total: usize, limbs: i32, value: i64, shift: i32): void {
  const start: i32 = shift >> 6, bits: i64 = shift & 63;
  const sign: u64 = <u64>(value >> 63);
  let carry: u64 = 0;
  for (let k: i32 = start; k < limbs; k++) {
    let addend: u64 = sign;
    if (k == start) addend = <u64>value << bits;
    else if (k == start + 1 && bits != 0) addend = <u64>(value >> (64 - bits));
    const at: usize = total + <usize>(k * 8);
    const sum: u64 = load<u64>(at) + addend;
    const withCarry: u64 = sum + carry;
    carry = (sum < addend ? 1 : 0) | (withCarry < sum ? 1 : 0);
    store<u64>(at, withCarry);
  }
}
