import { twoSum } from './double-double.ts';
import {
  BLOCK_ROWS,
  checkRows,
  checkScale,
  columnTable,
  type GramAccumulator,
  type GramColumn,
  PANEL_BYTES,
  type PlainColumn,
  packedLength,
  panelCount,
} from './gram.ts';
import type { Kernels } from './kernels.ts';

/** Number of 22-bit slices of a value: the grid is 2^(−22·slices) of the column's scale. */
export type Slices = 1 | 2 | 3 | 4;

const SLICE_BITS = 22;
const TILE_ENTRIES = 16;

/** Slices of a packed block: two are followed by their sum (kernels/quantize.as.ts). */
export const packedSlices: Readonly<Record<Slices, number>> = { 1: 1, 2: 3, 3: 3, 4: 4 };

/** Rows of a packed block: the most for which the products of slices, or of such sums, stay below 2⁵³. */
const BLOCK_ROWS_OF: Readonly<Record<Slices, number>> = {
  1: BLOCK_ROWS,
  2: 224,
  3: BLOCK_ROWS,
  4: BLOCK_ROWS,
};

/** Most blocks whose sums fit a signed 64-bit plane: 2¹⁰ · 6·2⁵⁰ < 2⁶³. */
export const BLOCKS_PER_SPILL = 1024;

/**
 * 32-bit words of one entry of an exact Gram, little-endian two's complement: 96, 128, 192 or 256 bits. An entry of n rows is
 * at most n·2^(44·slices), so the sums of 2³⁹ rows fit at least.
 */
export function wordsPerEntry(slices: Slices): 3 | 4 | 6 | 8 {
  return ({ 1: 3, 2: 4, 3: 6, 4: 8 } as const)[slices];
}

/** The accumulator's memory, shared with the multiplier of its blocks; layouts as in kernels/exact.as.ts. */
export interface ExactBlock {
  readonly kernels: Kernels;
  readonly slices: Slices;
  readonly panels: number;
  /** Byte pointers: slices of the packed block, masks of its panels, 64-bit planes, space for one tile. */
  readonly packed: number;
  readonly masks: number;
  readonly planes: number;
  readonly scratch: number;
}

/** Prepares the products of packed blocks: the function it returns adds those of `rows` rows to the planes. */
export type ExactMultiplier = (block: ExactBlock) => (rows: number) => void;

const multiplyInKernel: ExactMultiplier =
  ({ kernels, slices, panels, packed, masks, planes, scratch }) =>
  (rows) => {
    const { multiplyExact } = kernels.call;
    multiplyExact(packed, masks, PANEL_BYTES, slices, rows, panels, planes, scratch);
  };

/** The error for a value that is too large for its column's scale. */
export function outsideScale(column: number): RangeError {
  return new RangeError(
    `a value of column ${column} lies outside its scale: |u| must be at most 1`,
  );
}

/**
 * Σ U Uᵀ exactly, in units of 2^(−44·slices), for the integers U that `gridValue` defines. Integer sums do not
 * depend on order or partition, so the bits are the same with and without fused arithmetic.
 * `add` throws a RangeError for a value outside its scale; after that the accumulator has no total.
 */
export function exactGram(
  kernels: Kernels,
  columns: readonly GramColumn[],
  capacity: number,
  slices: Slices,
  multiplier: ExactMultiplier = multiplyInKernel,
): GramAccumulator<Uint32Array> {
  const d = columns.length;
  const panels = panelCount(d);
  const tiles = packedLength(panels);
  const words = wordsPerEntry(slices);
  const limbs = Math.ceil(words / 2);
  const grid = 2 ** (SLICE_BITS * slices);
  const table = columnTable(kernels, columns, capacity, ({ scale }) => grid / scale);
  const packed = kernels.allocate(panels * packedSlices[slices] * PANEL_BYTES);
  const blockRows = BLOCK_ROWS_OF[slices];
  const masks = kernels.allocate(panels * 4);
  const scratch = kernels.allocate(TILE_ENTRIES * 8);
  const planes = zeroed(kernels, tiles * TILE_ENTRIES * (2 * slices - 1));
  const totals = zeroed(kernels, tiles * TILE_ENTRIES * limbs);
  const multiply = multiplier({ kernels, slices, panels, packed, masks, planes, scratch });
  let blocks = 0;
  let spoiledBy: RangeError | undefined;

  function spill(): void {
    kernels.call.spillPlanes(planes, totals, tiles, slices, limbs);
    blocks = 0;
  }

  return {
    add(rows) {
      checkRows(rows, capacity);
      const { packExact } = kernels.call;
      for (let first = 0; first < rows; first += blockRows) {
        const block = Math.min(blockRows, rows - first);
        const refused = packExact(table, panels, first, block, packed, PANEL_BYTES, slices, masks);
        if (refused >= 0) {
          spoiledBy = outsideScale(refused);
          throw spoiledBy;
        }
        multiply(block);
        if (++blocks === BLOCKS_PER_SPILL) spill();
      }
    },
    total() {
      if (spoiledBy) throw spoiledBy;
      spill();
      const wide = new Uint32Array(kernels.memory.buffer, totals, tiles * TILE_ENTRIES * 2 * limbs);
      return unpackTiles(wide, d, words);
    },
  };
}

function zeroed(kernels: Kernels, doubles: number): number {
  const pointer = kernels.allocate(doubles * 8);
  kernels.f64(pointer, doubles).fill(0);
  return pointer;
}

// Upper tiles row by row, 4 × 4 entries of whole 64-bit limbs each → packed upper triangle.
function unpackTiles(tiles: Uint32Array, d: number, words: number): Uint32Array {
  const panels = panelCount(d);
  const packed = new Uint32Array(packedLength(d) * words);
  const stored = words + (words & 1);
  let at = 0;
  for (let i = 0; i < d; i++) {
    const tileRow = (i >> 2) * panels - ((i >> 2) * ((i >> 2) + 1)) / 2;
    for (let j = i; j < d; j++) {
      const entry = (tileRow + (j >> 2)) * TILE_ENTRIES + (i & 3) * 4 + (j & 3);
      for (let w = 0; w < words; w++) packed[at++] = tiles[entry * stored + w]!;
    }
  }
  return packed;
}

/**
 * The grid integer U of row r: u·2^(22·slices) to the nearest, ties to even.
 * One or two slices: u from hi − center (then + lo), each rounded to float64.
 * Three or four: hi − center = difference + error exactly, low = error + lo rounded to float64, and the sum
 * difference + low is rounded once, at the grid.
 * Refused when u, rounded to the grid (one, two slices) or to float64 (three, four), exceeds 1 in size.
 */
export function gridValue(column: PlainColumn, r: number, slices: Slices): bigint | undefined {
  const grid = 2 ** (SLICE_BITS * slices);
  const factor = grid / column.scale;
  const lo = column.lo?.[r] ?? 0;
  if (slices <= 2) {
    const value = (column.hi[r]! - column.center + lo) * factor;
    const integer = Number.isFinite(value) ? roundSum(value, 0) : undefined;
    return integer !== undefined && Math.abs(Number(integer)) <= grid ? integer : undefined;
  }
  const difference = twoSum(column.hi[r]!, -column.center);
  const high = difference.hi * factor;
  const low = (difference.lo + lo) * factor;
  return Math.abs(high + low) <= grid ? roundSum(high, low) : undefined;
}

// a + b to the nearest integer, ties to even.
function roundSum(a: number, b: number): bigint {
  const sum = fixedPoint(a) + fixedPoint(b);
  const floor = sum >> 1074n;
  const twiceFraction = (sum - (floor << 1074n)) << 1n;
  const one = 1n << 1074n;
  const up = twiceFraction > one || (twiceFraction === one && (floor & 1n) === 1n);
  return up ? floor + 1n : floor;
}

// x·2¹⁰⁷⁴, which is whole for every finite float64.
function fixedPoint(x: number): bigint {
  const bits = new BigUint64Array(Float64Array.of(x).buffer)[0]!;
  const exponent = (bits >> 52n) & 0x7ffn;
  const fraction = bits & 0xfffffffffffffn;
  const size = exponent === 0n ? fraction : (fraction | (1n << 52n)) << (exponent - 1n);
  return x < 0 ? -size : size;
}

/** The same as `exactGram`, in big integers: its specification. */
export function exactGramTwin(
  columns: readonly PlainColumn[],
  rows: number,
  slices: Slices,
): Uint32Array {
  columns.forEach(checkScale);
  const words = wordsPerEntry(slices);
  const values = columns.map((column, index) =>
    Array.from({ length: rows }, (_, r) => {
      const value = gridValue(column, r, slices);
      if (value === undefined) throw outsideScale(index);
      return value;
    }),
  );
  const packed = new Uint32Array(packedLength(columns.length) * words);
  let at = 0;
  for (const [i, left] of values.entries()) {
    for (const right of values.slice(i)) {
      let sum = 0n;
      for (let r = 0; r < rows; r++) sum += left[r]! * right[r]!;
      for (let w = 0; w < words; w++)
        packed[at++] = Number(BigInt.asUintN(32, sum >> BigInt(32 * w)));
    }
  }
  return packed;
}
