import type { Kernels } from '../numeric/kernels.ts';
import { formQ } from '../numeric/orthogonal.ts';
import { transposedProduct } from '../numeric/transposed-product.ts';
import { reduceToTridiagonal } from '../numeric/tridiagonal.ts';

/** Solutions of (S + λP)x = v for many λ. A column with no penalty gets 0. */
export interface ShiftedSolver {
  /** (S + λP)⁻¹v for one λ. */
  one(ridge: number, v: Float64Array): Float64Array;
  /** (S + λP)⁻¹v times the share of λ, for each λ: row j is predictor j along the ridges. */
  many: SolveMany;
  /** The same, with one step of refinement against S: columns with very different penalties cost the tridiagonal form digits. */
  refined: SolveMany;
}

type SolveMany = (
  penalties: readonly number[],
  v: Float64Array,
  shares: readonly number[],
) => Float64Array;

/** Factors once: the tridiagonal form P^−½ S P^−½ = QTQᵀ (Eldén 1984) is good for every λ. */
export function shiftedSolver(
  kernels: Kernels,
  slopes: Float64Array,
  unit: Float64Array,
): ShiftedSolver {
  const p = unit.length;
  const root = unit.map((u) => (u > 0 ? 1 / Math.sqrt(u) : 0));
  const gram = new Float64Array(p * p);
  for (let i = 0, at = 0; i < p; i++) {
    for (let j = 0; j < p; j++, at++) gram[at] = slopes[at] * root[i] * root[j];
  }
  const { diagonal, offDiagonal, reflectors } = reduceToTridiagonal(kernels, gram, p);
  const turned = transposedQ(kernels, reflectors, p);

  // Qᵀ P^−½ v, and P^−½ Q y.
  const rotate = (v: Float64Array): Float64Array => {
    const y = new Float64Array(p);
    for (let j = 0, at = 0; j < p; j++) {
      let sum = 0;
      for (let i = 0; i < p; i++, at++) sum += turned[at] * root[i] * v[i];
      y[j] = sum;
    }
    return y;
  };
  const rotateBack = (y: Float64Array): Float64Array => {
    const x = new Float64Array(p);
    for (let j = 0, at = 0; j < p; j++) {
      for (let i = 0; i < p; i++, at++) x[i] += turned[at] * y[j];
    }
    return x.map((value, i) => value * root[i]);
  };
  const solveRotated = (penalties: readonly number[], y: Float64Array): Float64Array => {
    solveTridiagonal(diagonal, offDiagonal, penalties, y);
    return scaleRows(transposedProduct(kernels, turned, y, p), root, penalties.length);
  };
  const many: SolveMany = (penalties, v, shares) =>
    solveRotated(penalties, outerProduct(rotate(v), shares));

  return {
    one(ridge, v) {
      const y = rotate(v);
      solveTridiagonal(diagonal, offDiagonal, [ridge], y);
      return rotateBack(y);
    },
    many,
    refined(penalties, v, shares) {
      const x = many(penalties, v, shares);
      const rest = transposedProduct(kernels, slopes, x, p);
      for (let j = 0, at = 0; j < p; j++) {
        for (let l = 0; l < penalties.length; l++, at++) {
          rest[at] = v[j] * shares[l] - rest[at] - penalties[l] * unit[j] * x[at];
        }
      }
      const scaled = scaleRows(rest, root, penalties.length);
      const rotated = transposedProduct(kernels, transposed(turned, p), scaled, p);
      const correction = solveRotated(penalties, rotated);
      for (let at = 0; at < x.length; at++) x[at] += correction[at];
      return x;
    },
  };
}

/** Qᵀ, row-major. */
function transposedQ(
  kernels: Kernels,
  reflectors: Parameters<typeof formQ>[1],
  p: number,
): Float64Array {
  const turned = new Float64Array(p * p);
  kernels.scoped(() => {
    const { pointer, width } = formQ(kernels, reflectors, p);
    const q = kernels.f64(pointer, width * width);
    for (let i = 0; i < p; i++) {
      for (let j = 0; j < p; j++) turned[j * p + i] = q[i * width + j];
    }
  });
  return turned;
}

function transposed(matrix: Float64Array, p: number): Float64Array {
  const result = new Float64Array(p * p);
  for (let i = 0; i < p; i++) {
    for (let j = 0; j < p; j++) result[j * p + i] = matrix[i * p + j];
  }
  return result;
}

/** The matrix v·sharesᵀ, row-major. */
function outerProduct(v: Float64Array, shares: readonly number[]): Float64Array {
  const matrix = new Float64Array(v.length * shares.length);
  for (let j = 0, at = 0; j < v.length; j++) {
    for (let l = 0; l < shares.length; l++, at++) matrix[at] = v[j] * shares[l];
  }
  return matrix;
}

/** Multiplies row j by the j-th factor, in place. */
function scaleRows(matrix: Float64Array, factors: Float64Array, count: number): Float64Array {
  for (let j = 0, at = 0; j < factors.length; j++) {
    for (let l = 0; l < count; l++, at++) matrix[at] *= factors[j];
  }
  return matrix;
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
  const pivots = new Float64Array(d * count);
  for (let i = 0, at = 0; i < d; i++) {
    const [entry, coupling] = [diagonal[i], i === 0 ? 0 : offDiagonal[i - 1]];
    for (let l = 0; l < count; l++, at++) {
      const ratio = i === 0 ? 0 : coupling / pivots[at - count];
      pivots[at] = entry + penalties[l] - (i === 0 ? 0 : ratio * coupling);
      if (i > 0) y[at] -= ratio * y[at - count];
    }
  }
  for (let i = d - 1; i >= 0; i--) {
    const coupling = i === d - 1 ? 0 : offDiagonal[i];
    for (let l = 0, at = i * count; l < count; l++, at++) {
      y[at] = (y[at] - (i === d - 1 ? 0 : coupling * y[at + count])) / pivots[at];
    }
  }
}
