import type { Kernels } from './kernels.ts';

/** A design column in kernel memory: value r is (hi[r] + lo[r] − center) / scale, at most 1 in size; scale a power of two. */
export interface GramColumn {
  /** Byte pointer to float64[capacity]. */
  readonly hi: number;
  /** Byte pointer to float64[capacity], or 0 when the column has no low part. */
  readonly lo: number;
  readonly center: number;
  readonly scale: number;
}

/** The same column in plain arrays, for the functions that specify the kernels. */
export interface PlainColumn {
  readonly hi: Float64Array;
  readonly lo?: Float64Array;
  readonly center: number;
  readonly scale: number;
}

/** A running Σ u uᵀ over rows: `add` consumes rows 0 … rows−1 of the column buffers, `total` reads the sum so far. */
export interface GramAccumulator<T> {
  add(rows: number): void;
  total(): T;
}

/** Rows that one pass of a kernel takes: the most for which exact slice products stay below 2⁵³. */
export const BLOCK_ROWS = 256;

const PANEL_ROW_BYTES = 32;
const COLUMN_BYTES = 32;

/** Bytes of one packed panel: 256 rows of 4 columns. */
export const PANEL_BYTES: number = BLOCK_ROWS * PANEL_ROW_BYTES;

/** Entries of the packed upper triangle of a d × d matrix; row-major, (i, j) with i ≤ j at i·d − i(i−1)/2 + (j−i). */
export function packedLength(d: number): number {
  return (d * (d + 1)) / 2;
}

/** A packed upper triangle as a full matrix. */
export function unpacked(packed: Float64Array, width: number): Float64Array {
  const matrix = new Float64Array(width * width);
  for (let i = 0, entry = 0; i < width; i++) {
    for (let j = i; j < width; j++, entry++) {
      matrix[i * width + j] = packed[entry];
      matrix[j * width + i] = packed[entry];
    }
  }
  return matrix;
}

/** Panels of four columns that cover d columns. */
export function panelCount(d: number): number {
  return Math.ceil(d / 4);
}

/** Refuses more rows than the column buffers hold. */
export function checkRows(rows: number, capacity: number): void {
  if (!Number.isInteger(rows) || rows < 0 || rows > capacity) {
    throw new RangeError(`rows must be a whole number from 0 to ${capacity}: ${rows}`);
  }
}

/** Refuses a scale by which a float64 cannot be divided exactly: a power of two from 2⁻⁸⁰⁰ to 2⁸⁰⁰. */
export function checkScale(column: { readonly scale: number }, index: number): void {
  const exponent = Math.log2(column.scale);
  if (!Number.isInteger(exponent) || Math.abs(exponent) > 800 || 2 ** exponent !== column.scale) {
    throw new RangeError(
      `the scale of column ${index} must be a power of two from 2^-800 to 2^800: ${column.scale}`,
    );
  }
}

/** Writes the column table that the packing kernels read, padded with columns of zeros to whole panels. */
export function columnTable(
  kernels: Kernels,
  columns: readonly GramColumn[],
  capacity: number,
  factor: (column: GramColumn) => number,
): number {
  const padded = panelCount(columns.length) * 4;
  let zeros = 0;
  if (padded > columns.length) {
    zeros = kernels.allocate(capacity * 8);
    kernels.f64(zeros, capacity).fill(0);
  }
  const table = kernels.allocate(padded * COLUMN_BYTES);
  const view = new DataView(kernels.memory.buffer, table, padded * COLUMN_BYTES);
  for (let j = 0; j < padded; j++) {
    const column = columns[j] ?? { hi: zeros, lo: 0, center: 0, scale: 1 };
    checkScale(column, j);
    const at = j * COLUMN_BYTES;
    view.setUint32(at, column.hi, true);
    view.setUint32(at + 4, column.lo, true);
    view.setFloat64(at + 8, column.center, true);
    view.setFloat64(at + 16, factor(column), true);
  }
  return table;
}

/** The accumulator's memory, shared with the multiplier of its blocks: byte pointers to packed panels and a square sum. */
export interface FloatBlock {
  readonly kernels: Kernels;
  readonly panels: number;
  readonly packed: number;
  /** Row-major, 4·panels wide; only the upper triangle counts. */
  readonly sum: number;
}

/** Prepares the products of packed blocks: the function it returns adds those of `rows` rows to the sum. */
export type FloatMultiplier = (block: FloatBlock) => (rows: number) => void;

const multiplyInKernel: FloatMultiplier =
  ({ kernels, panels, packed, sum }) =>
  (rows) => {
    const stride = panels * PANEL_ROW_BYTES;
    kernels.call.multiplyUpper(packed, packed, PANEL_BYTES, sum, stride, rows, panels);
  };

/** Σ u uᵀ in float64 with u = (hi − center) / scale, as a packed upper triangle; low parts are not read. */
export function floatGram(
  kernels: Kernels,
  columns: readonly GramColumn[],
  capacity: number,
  multiplier: FloatMultiplier = multiplyInKernel,
): GramAccumulator<Float64Array> {
  const d = columns.length;
  const panels = panelCount(d);
  const table = columnTable(kernels, columns, capacity, ({ scale }) => 1 / scale);
  const packed = kernels.allocate(panels * PANEL_BYTES);
  const sum = zeroSquare(kernels, panels);
  const multiply = multiplier({ kernels, panels, packed, sum });
  return {
    add(rows) {
      checkRows(rows, capacity);
      for (let first = 0; first < rows; first += BLOCK_ROWS) {
        const block = Math.min(BLOCK_ROWS, rows - first);
        kernels.call.packColumns(table, panels, first, block, packed, PANEL_BYTES);
        multiply(block);
      }
    },
    total: () => packUpper(kernels, sum, d),
  };
}

/** XᵀX of a row-major n × d matrix in float64, as a packed upper triangle. */
export function gramRows(kernels: Kernels, rows: Float64Array, n: number, d: number): Float64Array {
  if (rows.length < n * d) {
    throw new RangeError(`${n} × ${d} rows need ${n * d} values: ${rows.length}`);
  }
  return kernels.scoped(() => {
    const panels = panelCount(d);
    const sum = zeroSquare(kernels, panels);
    const packed = kernels.allocate(panels * PANEL_BYTES);
    const multiply = multiplyInKernel({ kernels, panels, packed, sum });
    const staged = kernels.allocate(BLOCK_ROWS * d * 8);
    const stage = kernels.f64(staged, BLOCK_ROWS * d);
    for (let first = 0; first < n; first += BLOCK_ROWS) {
      const block = Math.min(BLOCK_ROWS, n - first);
      stage.set(rows.subarray(first * d, (first + block) * d));
      kernels.call.packRows(staged, d * 8, block, d, packed, PANEL_BYTES);
      multiply(block);
    }
    return packUpper(kernels, sum, d);
  });
}

function zeroSquare(kernels: Kernels, panels: number): number {
  const sum = kernels.allocate((panels * 4) ** 2 * 8);
  kernels.f64(sum, (panels * 4) ** 2).fill(0);
  return sum;
}

function packUpper(kernels: Kernels, sum: number, d: number): Float64Array {
  const width = panelCount(d) * 4;
  const square = kernels.f64(sum, width * width);
  const packed = new Float64Array(packedLength(d));
  for (let i = 0, at = 0; i < d; at += d - i, i++) {
    packed.set(square.subarray(i * width + i, i * width + d), at);
  }
  return packed;
}

/** The same as `floatGram`, row by row: its specification. */
export function floatGramTwin(columns: readonly PlainColumn[], rows: number): Float64Array {
  const d = columns.length;
  const packed = new Float64Array(packedLength(d));
  for (let r = 0; r < rows; r++) {
    const u = columns.map(({ hi, center, scale }) => (hi[r]! - center) / scale);
    for (let i = 0, at = 0; i < d; i++) {
      for (let j = i; j < d; j++) packed[at++]! += u[i]! * u[j]!;
    }
  }
  return packed;
}
