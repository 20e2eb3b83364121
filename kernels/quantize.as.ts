// Values as integers in 22-bit slices: what exact.as.ts multiplies.
import { COLUMN_BYTES, Column, PANEL_ROW } from './gram.as';

const SLICE: f64 = 4194304.0; // 2²²
const REFUSED: i32 = 1 << 8;

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

// Two slices and their sum, of two columns side by side: U = nearest((high − center [+ low])·factor). Returns which slices are
// not all zero.
function quantizeTwo(left: Column, right: Column, offset: usize, rows: i32, to: usize, sliceStride: usize): i32 {
  const center0 = f64x2.splat(left.center), factor0 = f64x2.splat(left.factor);
  const center1 = f64x2.splat(right.center), factor1 = f64x2.splat(right.factor);
  // Squares tell |u| ≤ 2⁴⁴ as well, in fewer instructions.
  const limit = f64x2.splat(SLICE * SLICE * SLICE * SLICE);
  const slice = f64x2.splat(SLICE), perSlice = f64x2.splat(1.0 / SLICE);
  let high0: usize = left.high + offset, high1: usize = right.high + offset;
  const low0: usize = left.low == 0 ? 0 : left.low - left.high, low1: usize = right.low == 0 ? 0 : right.low - right.high;
  let second: usize = to + sliceStride, sum: usize = to + 2 * sliceStride;
  let inside = i64x2.splat(-1), any0 = i64x2.splat(0), any1 = i64x2.splat(0);
  for (let r: i32 = rows; r > 0; r -= 2) {
    let x0 = f64x2.sub(loadRows(high0, r), center0), x1 = f64x2.sub(loadRows(high1, r), center1);
    if (low0 != 0) x0 = f64x2.add(x0, loadRows(high0 + low0, r));
    if (low1 != 0) x1 = f64x2.add(x1, loadRows(high1 + low1, r));
    const u0 = f64x2.nearest(f64x2.mul(x0, factor0)), u1 = f64x2.nearest(f64x2.mul(x1, factor1));
    inside = v128.and(inside, v128.and(f64x2.le(f64x2.mul(u0, u0), limit), f64x2.le(f64x2.mul(u1, u1), limit)));
    const q00 = f64x2.nearest(f64x2.mul(u0, perSlice)), q01 = f64x2.nearest(f64x2.mul(u1, perSlice));
    const q10 = f64x2.sub(u0, f64x2.mul(q00, slice)), q11 = f64x2.sub(u1, f64x2.mul(q01, slice));
    any0 = v128.or(any0, v128.or(q00, q01));
    any1 = v128.or(any1, v128.or(q10, q11));
    storePairs(to, q00, q01);
    storePairs(second, q10, q11);
    storePairs(sum, f64x2.add(q00, q10), f64x2.add(q01, q11));
    high0 += 16;
    high1 += 16;
    to += 2 * PANEL_ROW;
    second += 2 * PANEL_ROW;
    sum += 2 * PANEL_ROW;
  }
  if (!i64x2.all_true(inside)) return REFUSED;
  return (isNonzero(any0) ? 1 : 0) | (isNonzero(any1) ? 2 : 0);
}

@inline
function storePairs(to: usize, left: v128, right: v128): void {
  v128.store(to, i64x2.shuffle(left, right, 0, 2), 0);
  v128.store(to, i64x2.shuffle(left, right, 1, 3), 32);
}

// Whether two slices hold every value of the column.
function isInside(column: Column, offset: usize, rows: i32): bool {
  const low: usize = column.low == 0 ? 0 : column.low + offset;
  for (let r: i32 = 0; r < rows; r++) {
    const at: usize = <usize>r * 8;
    let x = load<f64>(column.high + offset + at) - column.center;
    if (low != 0) x += load<f64>(low + at);
    if (!(abs(nearest(x * column.factor)) <= SLICE * SLICE)) return false;
  }
  return true;
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
 * Packs rows as slices, most significant first: panel → slice → [row][4]; up to 256 rows, or up to 227 rows of two slices,
 * whose sum follows as a third. `masks` receives one i32 a panel, bit s set where slice s is not all zero. Returns −1, or the
 * first column with a value outside the grid.
 */
export function packExact(
  table: usize, panels: i32, first: i32, rows: i32, out: usize, sliceStride: usize, slices: i32, masks: usize,
): i32 {
  const offset: usize = <usize>first * 8;
  const panelStride = <usize>slotsOf(slices) * sliceStride;
  for (let p: i32 = 0; p < panels; p++) {
    const panel: usize = out + <usize>p * panelStride;
    const step = slices == 2 ? 2 : 1;
    let mask: i32 = 0;
    for (let c: i32 = 0; c < 4; c += step) {
      const at = table + <usize>(p * 4 + c) * COLUMN_BYTES;
      const column = changetype<Column>(at);
      const to: usize = panel + <usize>(c * 8);
      let found: i32;
      if (slices == 1) found = quantizeOne(column, offset, rows, to);
      else if (slices > 2) found = quantizeMany(column, offset, rows, to, sliceStride, slices);
      else found = quantizeTwo(column, changetype<Column>(at + COLUMN_BYTES), offset, rows, to, sliceStride);
      if (found == REFUSED) return p * 4 + c + i32(slices == 2 && isInside(column, offset, rows));
      mask |= found;
    }
    store<i32>(masks + <usize>(p * 4), mask);
  }
  return -1;
}

// Slices as they are packed: two are followed by their sum.
@inline
export function slotsOf(slices: i32): i32 {
  return slices == 2 ? 3 : slices;
}
