// The exact Gram: values as integers in 22-bit slices, products of slices by the float64 kernel, sums in 64-bit planes.
//
// Over a block of 256 rows every partial sum of slice products is an integer below 2⁵³, so float64 adds it without
// rounding, fused or not (Ozaki et al. 2012, Algorithm 3, with a fixed grid in place of row maxima):
// |top slice| ≤ 2²², |other slices| ≤ 2²¹(1 + 2⁻⁸), at most 6·2⁴² for the products of one weight and row.
//
// Two slices take three products where four would be expected (Karatsuba): a₀b₁ + a₁b₀ = (a₀ + a₁)(b₀ + b₁) − a₀b₀ − a₁b₁.
// |a₀ + a₁| ≤ 2²² + 2²¹, so that a block may have 227 rows: 227·(3·2²¹)² < 2⁵³.
import { PANEL_ROW, multiplyPanels } from './gram.as';
import { slotsOf } from './quantize.as';

const SLICE_BITS: i32 = 22;
const TILE_BYTES: usize = 128;

// Panels of the right operand, over all slices, that stay in the second-level cache.
const CACHED_PANELS: i32 = 64;

/**
 * Adds the slice products of one block to the planes, upper tiles row by row: tile → plane → 4×4 of i64.
 * Plane w holds slices s and t with s + t = w. Slices that are all zero cost nothing.
 */
export function multiplyExact(
  packed: usize, masks: usize, sliceStride: usize, slices: i32, rows: i32, panels: i32, planes: usize, scratch: usize,
): void {
  const slots = slotsOf(slices);
  const panelStride: usize = <usize>slots * sliceStride;
  const planeCount: i32 = 2 * slices - 1;
  const cached: i32 = max(1, CACHED_PANELS / slices);
  for (let first: i32 = 0; first < panels; first += cached) {
    const last: i32 = min(first + cached, panels);
    // Product by product, so that the left panel stays in the first-level cache.
    for (let w: i32 = 0; w < planeCount; w++) {
      for (let i: i32 = 0; i < last; i++) {
        const leftMask = load<i32>(masks + <usize>(i * 4));
        if (leftMask == 0) continue;
        const left: usize = packed + <usize>i * panelStride;
        const tileRow: i32 = i * panels - i * (i + 1) / 2;
        for (let j: i32 = max(i, first); j < last; j++) {
          const rightMask = load<i32>(masks + <usize>(j * 4));
          const right: usize = packed + <usize>j * panelStride;
          const target: usize = planes + <usize>(tileRow + j) * <usize>planeCount * TILE_BYTES;
          const isWhole = slices == 2 && (leftMask & rightMask) == 3;
          if (isWhole) {
            const slot: usize = w == 1 ? 2 * sliceStride : <usize>(w >> 1) * sliceStride;
            clearTile(scratch);
            multiplyPanels(left + slot, right + slot, scratch, 32, rows);
            if (w == 1) addTile(target + TILE_BYTES, scratch);
            else moveTile(target + <usize>w * TILE_BYTES, target + TILE_BYTES, scratch);
            continue;
          }
          let empty = true;
          for (let s: i32 = max(0, w - slices + 1); s <= min(w, slices - 1); s++) {
            const t: i32 = w - s;
            if (((leftMask >> s) & (rightMask >> t) & 1) == 0) continue;
            if (empty) clearTile(scratch);
            empty = false;
            multiplyPanels(left + <usize>s * sliceStride, right + <usize>t * sliceStride, scratch, 32, rows);
          }
          if (!empty) addTile(target + <usize>w * TILE_BYTES, scratch);
        }
      }
    }
  }
}

@inline
function clearTile(tile: usize): void {
  const zero = f64x2.splat(0);
  for (let at: usize = 0; at < TILE_BYTES; at += 32) {
    v128.store(tile + at, zero, 0);
    v128.store(tile + at, zero, 16);
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

// Adds a tile to one plane and takes it from another.
function moveTile(plane: usize, other: usize, tile: usize): void {
  const end: usize = tile + TILE_BYTES;
  while (tile < end) {
    const first = <i64>load<f64>(tile, 0), second = <i64>load<f64>(tile, 8);
    store<i64>(plane, load<i64>(plane, 0) + first, 0);
    store<i64>(plane, load<i64>(plane, 8) + second, 8);
    store<i64>(other, load<i64>(other, 0) - first, 0);
    store<i64>(other, load<i64>(other, 8) - second, 8);
    plane += 16;
    other += 16;
    tile += 16;
  }
}

/**
 * Adds a row-major matrix of integers, computed elsewhere, to plane `plane` of every upper tile, and takes it from plane
 * `less` unless that is negative.
 */
export function addSquare(
  square: usize, stride: usize, panels: i32, planes: usize, planeCount: i32, plane: i32, less: i32,
): void {
  let tile: usize = planes;
  for (let i: i32 = 0; i < panels; i++) {
    for (let j: i32 = i; j < panels; j++) {
      const row: usize = square + <usize>(i * 4) * stride + <usize>j * PANEL_ROW;
      addRows(tile + <usize>plane * TILE_BYTES, row, stride, 1);
      if (less >= 0) addRows(tile + <usize>less * TILE_BYTES, row, stride, -1);
      tile += <usize>planeCount * TILE_BYTES;
    }
  }
}

@inline
function addRows(at: usize, row: usize, stride: usize, sign: i64): void {
  for (let r: i32 = 0; r < 4; r++) {
    store<i64>(at, load<i64>(at, 0) + sign * <i64>load<f64>(row, 0), 0);
    store<i64>(at, load<i64>(at, 8) + sign * <i64>load<f64>(row, 8), 8);
    store<i64>(at, load<i64>(at, 16) + sign * <i64>load<f64>(row, 16), 16);
    store<i64>(at, load<i64>(at, 24) + sign * <i64>load<f64>(row, 24), 24);
    row += stride;
    at += PANEL_ROW;
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
