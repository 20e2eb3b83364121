import { type DdArray, type DdMatrix, ddArray, ddAt, ddSet } from '../numeric/dd-matrix.ts';
import { BLOCK_ROWS, PANEL_BYTES, panelCount } from '../numeric/gram.ts';
import type { Kernels } from '../numeric/kernels.ts';
import { formQ } from '../numeric/orthogonal.ts';
import { reduceToTridiagonal } from '../numeric/tridiagonal.ts';
import { withPenalty } from './penalty.ts';
import { refineByResiduals } from './refine.ts';

/** Ridge regressions of one response for many penalties: the weakest in double-double, the others as differences from it. */
export interface Ridges {
  /** β at the weakest ridge. */
  readonly weakest: DdArray;
  /** β − weakest: row j is predictor j along the ridges. */
  readonly differences: Float64Array;
}

/**
 * Ridge regressions of every response of a centred matrix, predictors first. Differences obey (S + λP)δ = (λ₀ − λ)Pβ₀, so
 * small differences keep their digits.
 */
export function ridges(
  kernels: Kernels,
  matrix: DdMatrix,
  unit: Float64Array,
  penalties: readonly number[],
): Ridges[] {
  const p = unit.length;
  const weakest = Math.min(...penalties);
  const solve = shiftedSolver(kernels, square(matrix, p), unit);
  const penalised = withPenalty(
    matrix,
    unit.map((u) => u * weakest),
  );
  return Array.from({ length: matrix.width - p }, (_, r) => {
    const moment = ddArray(p);
    for (let j = 0; j < p; j++) {
      if (unit[j] > 0) ddSet(moment, j, ddAt(matrix, (p + r) * matrix.width + j));
    }
    const { solution } = refineByResiduals(penalised, moment, (b) => solve([weakest], b), 4);
    const pull = unit.map((u, j) => u * solution.hi[j]);
    const target = spread(pull, penalties, (ridge) => weakest - ridge);
    return { weakest: solution, differences: solve(penalties, target) };
  });
}

/** β of one response for every penalty, each to full relative precision: row j is predictor j along the ridges. */
export function ridgeCoefficients(
  kernels: Kernels,
  matrix: DdMatrix,
  unit: Float64Array,
  penalties: readonly number[],
  response: number,
): Float64Array {
  const p = unit.length;
  const row = (p + response) * matrix.width;
  const moment = matrix.hi.slice(row, row + p);
  const solve = shiftedSolver(kernels, square(matrix, p), unit);
  return solve(
    penalties,
    spread(moment, penalties, () => 1),
  );
}

/** The matrix v·f(λ)ᵀ, row-major. */
function spread(
  v: Float64Array,
  penalties: readonly number[],
  f: (ridge: number) => number,
): Float64Array {
  const factors = penalties.map(f);
  const count = factors.length;
  const matrix = new Float64Array(v.length * count);
  for (let j = 0, at = 0; j < v.length; j++) {
    for (let l = 0; l < count; l++, at++) matrix[at] = v[j] * factors[l];
  }
  return matrix;
}

/** The leading p × p part, to double precision. */
export function square(matrix: DdMatrix, p: number): Float64Array {
  const leading = new Float64Array(p * p);
  for (let i = 0; i < p; i++) {
    leading.set(matrix.hi.subarray(i * matrix.width, i * matrix.width + p), i * p);
  }
  return leading;
}

/**
 * Gives (λ, B) ↦ (S + λP)⁻¹B, column l of B with the l-th λ, by one tridiagonalisation P^−½ S P^−½ = QTQᵀ (Eldén 1984) and
 * one step of refinement against S, because columns with very different penalties cost the tridiagonal form digits.
 * A column with no penalty gets 0.
 */
function shiftedSolver(
  kernels: Kernels,
  slopes: Float64Array,
  unit: Float64Array,
): (penalties: readonly number[], b: Float64Array) => Float64Array {
  const p = unit.length;
  const root = unit.map((u) => (u > 0 ? 1 / Math.sqrt(u) : 0));
  const gram = new Float64Array(p * p);
  for (let i = 0, at = 0; i < p; i++) {
    for (let j = 0; j < p; j++, at++) gram[at] = slopes[at] * root[i] * root[j];
  }
  const { diagonal, offDiagonal, reflectors } = reduceToTridiagonal(kernels, gram, p);
  const q = new Float64Array(p * p);
  const turned = new Float64Array(p * p);
  kernels.scoped(() => {
    const { pointer, width } = formQ(kernels, reflectors, p);
    const wide = kernels.f64(pointer, width * width);
    for (let i = 0; i < p; i++) {
      for (let j = 0; j < p; j++) q[i * p + j] = turned[j * p + i] = wide[i * width + j];
    }
  });
  const scale = (b: Float64Array, count: number) => {
    const scaled = new Float64Array(b.length);
    for (let j = 0, at = 0; j < p; j++) {
      for (let l = 0; l < count; l++, at++) scaled[at] = b[at] * root[j];
    }
    return scaled;
  };
  const once = (penalties: readonly number[], b: Float64Array) => {
    const y = transposedProduct(kernels, q, scale(b, penalties.length), p);
    solveTridiagonal(diagonal, offDiagonal, penalties, y);
    return scale(transposedProduct(kernels, turned, y, p), penalties.length);
  };
  return (penalties, b) => {
    const x = once(penalties, b);
    const rest = transposedProduct(kernels, slopes, x, p);
    for (let j = 0, at = 0; j < p; j++) {
      for (const ridge of penalties) {
        rest[at] = b[at] - rest[at] - ridge * unit[j] * x[at];
        at++;
      }
    }
    const correction = once(penalties, rest);
    for (let at = 0; at < x.length; at++) x[at] += correction[at];
    return x;
  };
}

/** Y ← (T + λI)⁻¹Y in place, column l with the l-th λ, by LDLᵀ. */
function solveTridiagonal(
  diagonal: Float64Array,
  offDiagonal: Float64Array,
  penalties: readonly number[],
  y: Float64Array,
): void {
  const d = diagonal.length;
  const count = penalties.length;
  const pivots = new Float64Array(d);
  penalties.forEach((ridge, l) => {
    for (let i = 0, at = l; i < d; i++, at += count) {
      const ratio = i === 0 ? 0 : offDiagonal[i - 1] / pivots[i - 1];
      pivots[i] = diagonal[i] + ridge - (i === 0 ? 0 : ratio * offDiagonal[i - 1]);
      if (i > 0) y[at] -= ratio * y[at - count];
    }
    for (let i = d - 1, at = l + (d - 1) * count; i >= 0; i--, at -= count) {
      y[at] = (y[at] - (i === d - 1 ? 0 : offDiagonal[i] * y[at + count])) / pivots[i];
    }
  });
}

/** AᵀB by the Gram kernel; A, B and the result are row-major. */
export function transposedProduct(
  kernels: Kernels,
  a: Float64Array,
  b: Float64Array,
  rows: number,
): Float64Array {
  if (rows === 0) return new Float64Array(0);
  const [m, n] = [a.length / rows, b.length / rows];
  return kernels.scoped(() => {
    const [left, right] = [panelCount(m), panelCount(n)];
    const width = right * 4;
    const sum = kernels.allocate(left * 4 * width * 8);
    const packedLeft = kernels.allocate(left * PANEL_BYTES);
    const packedRight = kernels.allocate(right * PANEL_BYTES);
    const staged = kernels.allocate(BLOCK_ROWS * Math.max(m, n) * 8);
    kernels.f64(sum, left * 4 * width).fill(0);
    for (let first = 0; first < rows; first += BLOCK_ROWS) {
      const count = Math.min(BLOCK_ROWS, rows - first);
      const pack = (source: Float64Array, columns: number, target: number) => {
        kernels
          .f64(staged, count * columns)
          .set(source.subarray(first * columns, (first + count) * columns));
        kernels.call.packRows(staged, columns * 8, count, columns, target, PANEL_BYTES);
      };
      pack(a, m, packedLeft);
      pack(b, n, packedRight);
      const { multiplyAll } = kernels.call;
      multiplyAll(packedLeft, left, packedRight, right, PANEL_BYTES, sum, width * 8, count);
    }
    const wide = kernels.f64(sum, m * width);
    const product = new Float64Array(m * n);
    for (let i = 0; i < m; i++) product.set(wide.subarray(i * width, i * width + n), i * n);
    return product;
  });
}
