import { BLOCK_ROWS, PANEL_BYTES } from './gram.ts';
import type { Kernels } from './kernels.ts';

/** A positive definite matrix A = RᵀR, factored once for any number of right-hand sides. */
export interface CholeskyFactor {
  /** A⁻¹b. */
  solve(b: Float64Array): Float64Array;
  /** A⁻¹, full, row-major and symmetric to the bit. */
  inverse(): Float64Array;
  /** R⁻¹, row-major and upper triangular: A⁻¹ = R⁻¹R⁻ᵀ, and vᵀA⁻¹v = ‖vᵀR⁻¹‖². */
  inverseFactor(): Float64Array;
  /** ln det A. */
  logDeterminant(): number;
}

/** The factor, or the first row at which the matrix is not positive definite. */
export type Cholesky = { readonly factor: CholeskyFactor } | { readonly indefiniteAt: number };

// Columns of R that one trailing update applies.
const BLOCK = 128;
const BLOCK_PANEL_BYTES = BLOCK * 32;

/** Factors a symmetric d × d row-major matrix, of which only the upper triangle is read. */
export function cholesky(kernels: Kernels, matrix: Float64Array, d: number): Cholesky {
  const width = Math.ceil(d / 4) * 4;
  const outcome = kernels.scoped(() => {
    const a = placeSquare(kernels, d, (i, row) => row.set(matrix.subarray(i * d, (i + 1) * d)));
    const indefiniteAt = factorSquare(kernels, a, width);
    return indefiniteAt ?? kernels.f64(a, width * width).slice();
  });
  if (typeof outcome === 'number') return { indefiniteAt: outcome };
  return {
    factor: factorOf(outcome, width, d, {
      inverse: () => invert(kernels, outcome, width, d),
      inverseFactor: () => invertFactor(kernels, outcome, width, d),
    }),
  };
}

/** A matrix in kernel memory, padded to whole panels with an identity block, which no step changes; `fillRow` gets rows of d entries. */
export function placeSquare(
  kernels: Kernels,
  d: number,
  fillRow: (i: number, row: Float64Array) => void,
): number {
  const width = Math.ceil(d / 4) * 4;
  const pointer = kernels.allocate(width * width * 8);
  const square = kernels.f64(pointer, width * width);
  for (let i = 0; i < width; i++) {
    const row = square.subarray(i * width, (i + 1) * width);
    if (i < d) fillRow(i, row.subarray(0, d));
    row.fill(0, i < d ? d : 0);
    if (i >= d) row[i] = 1;
  }
  return pointer;
}

/** Factors a square of whole panels in place; returns the first row at which it is not positive definite. */
export function factorSquare(kernels: Kernels, a: number, width: number): number | undefined {
  const { call } = kernels;
  const stride = width * 8;
  const packedDiagonal = kernels.allocate(BLOCK * BLOCK * 8);
  const packed = kernels.allocate(width * BLOCK * 8);
  const negated = kernels.allocate(width * BLOCK * 8);
  const scratch = kernels.allocate(128);
  for (let first = 0; first < width; first += BLOCK) {
    const size = Math.min(BLOCK, width - first);
    const diagonal = a + first * stride + first * 8;
    const failed = call.factorBlock(diagonal, stride, size);
    if (failed >= 0) return first + failed;
    const rest = width - first - size;
    const panels = rest / 4;
    const right = diagonal + size * 8;
    call.packRows(diagonal, stride, size, size, packedDiagonal, BLOCK_PANEL_BYTES);
    call.packRows(right, stride, size, rest, packed, BLOCK_PANEL_BYTES);
    call.solvePanels(packedDiagonal, BLOCK_PANEL_BYTES, size, packed, panels, scratch);
    call.unpackPanels(packed, BLOCK_PANEL_BYTES, size, panels, right, stride, 1);
    call.negate(packed, negated, rest * BLOCK);
    const trailing = right + size * stride;
    call.multiplyUpper(negated, packed, BLOCK_PANEL_BYTES, trailing, stride, size, panels);
  }
  return undefined;
}

// M = R⁻ᵀ in kernel memory, one block of rows at a time, for R at r.
function placeInverse(kernels: Kernels, r: number, width: number): number {
  const { call } = kernels;
  const stride = width * 8;
  const m = kernels.allocate(width * stride);
  kernels.scoped(() => {
    kernels.f64(m, width * width).fill(0);
    const left = kernels.allocate((BLOCK / 4) * PANEL_BYTES);
    const right = kernels.allocate((width / 4) * PANEL_BYTES);
    const scratch = kernels.allocate(128);
    for (let first = 0; first < width; first += BLOCK) {
      const size = Math.min(BLOCK, width - first);
      const rows = m + first * stride;
      const identity = kernels.f64(m, width * width);
      for (let i = first; i < first + size; i++) identity[i * width + i] = -1;
      for (let above = 0; above < first; above += BLOCK_ROWS) {
        const count = Math.min(BLOCK_ROWS, first - above);
        const reach = above + count;
        call.packRows(r + above * stride + first * 8, stride, count, size, left, PANEL_BYTES);
        call.packRows(m + above * stride, stride, count, reach, right, PANEL_BYTES);
        call.multiplyAll(left, size / 4, right, reach / 4, PANEL_BYTES, rows, stride, count);
      }
      const panels = (first + size) / 4;
      call.packRows(r + first * stride + first * 8, stride, size, size, left, PANEL_BYTES);
      call.packRows(rows, stride, size, first + size, right, PANEL_BYTES);
      call.solvePanels(left, PANEL_BYTES, size, right, panels, scratch);
      call.unpackPanels(right, PANEL_BYTES, size, panels, rows, stride, -1);
    }
  });
  return m;
}

/** The upper triangle of A⁻¹ = MᵀM, the Gram of M's rows, in place of R; what is below it is left over. */
export function invertSquare(kernels: Kernels, r: number, width: number): void {
  kernels.scoped(() => {
    const { call } = kernels;
    const stride = width * 8;
    const m = placeInverse(kernels, r, width);
    kernels.f64(r, width * width).fill(0);
    const right = kernels.allocate((width / 4) * PANEL_BYTES);
    for (let first = 0; first < width; first += BLOCK_ROWS) {
      const count = Math.min(BLOCK_ROWS, width - first);
      const panels = (first + count) / 4;
      call.packRows(m + first * stride, stride, count, first + count, right, PANEL_BYTES);
      call.multiplyUpper(right, right, PANEL_BYTES, r, stride, count, panels);
    }
  });
}

/** R in kernel memory again. */
function placeFactor(kernels: Kernels, upper: Float64Array, width: number): number {
  const r = kernels.allocate(width * width * 8);
  kernels.f64(r, width * width).set(upper);
  return r;
}

function invert(kernels: Kernels, upper: Float64Array, width: number, d: number): Float64Array {
  return kernels.scoped(() => {
    const r = placeFactor(kernels, upper, width);
    invertSquare(kernels, r, width);
    return mirror(kernels.f64(r, width * width), width, d);
  });
}

function invertFactor(
  kernels: Kernels,
  upper: Float64Array,
  width: number,
  d: number,
): Float64Array {
  return kernels.scoped(() => {
    const placed = placeInverse(kernels, placeFactor(kernels, upper, width), width);
    const m = kernels.f64(placed, width * width);
    const inverse = new Float64Array(d * d);
    for (let i = 0; i < d; i++) {
      for (let j = i; j < d; j++) inverse[i * d + j] = m[j * width + i]!;
    }
    return inverse;
  });
}

function mirror(upper: Float64Array, width: number, d: number): Float64Array {
  const full = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    full.set(upper.subarray(i * width + i, i * width + d), i * d + i);
    for (let j = i + 1; j < d; j++) full[j * d + i] = full[i * d + j]!;
  }
  return full;
}

function factorOf(
  upper: Float64Array,
  width: number,
  d: number,
  inverses: Pick<CholeskyFactor, 'inverse' | 'inverseFactor'>,
): CholeskyFactor {
  return {
    ...inverses,
    solve: (b) => solveUpper(upper, width, d, b),
    logDeterminant() {
      let sum = 0;
      for (let i = 0; i < d; i++) sum += 2 * Math.log(upper[i * width + i]!);
      return sum;
    },
  };
}

/** (RᵀR)⁻¹b for an upper triangular R, row-major with rows of `width`. */
export function solveUpper(
  upper: Float64Array,
  width: number,
  d: number,
  b: Float64Array,
): Float64Array {
  if (b.length !== d) throw new RangeError(`b must have ${d} entries: ${b.length}`);
  const x = Float64Array.from(b);
  for (let i = 0; i < d; i++) {
    const row = upper.subarray(i * width, i * width + d);
    const value = x[i]! / row[i]!;
    x[i] = value;
    for (let j = i + 1; j < d; j++) x[j]! -= row[j]! * value;
  }
  for (let i = d - 1; i >= 0; i--) {
    const row = upper.subarray(i * width, i * width + d);
    let sum = x[i]!;
    for (let j = i + 1; j < d; j++) sum -= row[j]! * x[j]!;
    x[i] = sum / row[i]!;
  }
  return x;
}

/** The same as `cholesky`, one row at a time: its specification. */
export function choleskyTwin(matrix: Float64Array, d: number): Cholesky {
  const upper = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    for (let j = i; j < d; j++) {
      let sum = matrix[i * d + j]!;
      for (let k = 0; k < i; k++) sum -= upper[k * d + i]! * upper[k * d + j]!;
      if (i === j && !(sum > 0)) return { indefiniteAt: i };
      upper[i * d + j] = i === j ? Math.sqrt(sum) : sum / upper[i * d + i]!;
    }
  }
  const factor = factorOf(upper, d, d, {
    inverse() {
      const full = new Float64Array(d * d);
      for (let j = 0; j < d; j++) {
        const column = factor.solve(Float64Array.from({ length: d }, (_, i) => (i === j ? 1 : 0)));
        for (let i = 0; i <= j; i++) full[i * d + j] = full[j * d + i] = column[i]!;
      }
      return full;
    },
    inverseFactor() {
      const inverse = new Float64Array(d * d);
      for (let j = 0; j < d; j++) {
        for (let i = j; i >= 0; i--) {
          let sum = i === j ? 1 : 0;
          for (let k = i + 1; k <= j; k++) sum -= upper[i * d + k]! * inverse[k * d + j]!;
          inverse[i * d + j] = sum / upper[i * d + i]!;
        }
      }
      return inverse;
    },
  });
  return { factor };
}
