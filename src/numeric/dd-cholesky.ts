import { type DdArray, type DdMatrix, ddArray, ddAt, ddDot, ddMatrix, ddSet } from './dd-matrix.ts';
import { type DoubleDouble, dd, ddDivide, ddNegate, ddSqrt, ddSubtract } from './double-double.ts';

/** The rest of a column after removing the kept columns before it, and the row of L it would become. */
export interface Remainder {
  readonly column: number;
  readonly pivot: DoubleDouble;
  /** The coefficients of the column on the kept ones, in order; costs a triangular solve. */
  coefficients(): Float64Array;
}

/**
 * A = L Lᵀ over the kept columns, in order. A column without a remainder is skipped (aliased), as in
 * R's limited pivoting.
 */
export interface DdFactor {
  readonly kept: readonly number[];
  readonly aliased: readonly number[];
  /** L⁻¹ b for b over the kept columns: ‖L⁻¹ b‖² is the sum of squares they explain. */
  forward(b: DdArray): DdArray;
  /** Solves A x = b for b given over the kept columns. */
  solve(b: DdArray): DdArray;
  /** A⁻¹ over the kept columns. */
  inverse(): DdMatrix;
  /** L⁻ᵀ over the kept columns, upper triangular: vᵀA⁻¹v = ‖vᵀL⁻ᵀ‖². */
  inverseFactor(): DdMatrix;
}

/** Cholesky by rows of the leading `count` columns of a symmetric matrix, in double-double. */
export function ddCholesky(
  matrix: DdMatrix,
  count: number,
  isNothing: (rest: Remainder) => boolean,
): DdFactor {
  const lower = ddMatrix(count);
  const kept: number[] = [];
  const aliased: number[] = [];
  for (let column = 0; column < count; column++) {
    const rank = kept.length;
    const row = rank * count;
    for (let j = 0; j < rank; j++) {
      const dot = ddDot(lower, row, lower, j * count, j);
      const rest = ddSubtract(ddAt(matrix, column * matrix.width + kept[j]), dot);
      ddSet(lower, row + j, ddDivide(rest, ddAt(lower, j * count + j)));
    }
    const diagonal = ddAt(matrix, column * matrix.width + column);
    const pivot = ddSubtract(diagonal, ddDot(lower, row, lower, row, rank));
    const coefficients = () => backSubstitute(lower, rank, row);
    if (!(pivot.hi > 0) || isNothing({ column, pivot, coefficients })) {
      aliased.push(column);
    } else {
      ddSet(lower, row + rank, ddSqrt(pivot));
      kept.push(column);
    }
  }
  const rank = kept.length;
  let cached: DdMatrix | undefined;
  const inverseFactor = () => {
    cached ??= invertLower(lower, rank);
    return cached;
  };
  return {
    kept,
    aliased,
    forward: (b) => forwardSubstitute(lower, rank, b),
    solve: (b) => timesInverseTransposed(inverseFactor(), forwardSubstitute(lower, rank, b)),
    inverse: () => gramOfRows(inverseFactor()),
    inverseFactor,
  };
}

/** Solves Lᵀ c = row `row` of L in plain doubles: accurate enough to estimate rounding. */
function backSubstitute(lower: DdMatrix, rank: number, row: number): Float64Array {
  const c = lower.hi.slice(row, row + rank);
  for (let i = rank - 1; i >= 0; i--) {
    c[i] /= lower.hi[i * lower.width + i];
    for (let j = 0; j < i; j++) c[j] -= lower.hi[i * lower.width + j] * c[i];
  }
  return c;
}

/** W with W[j][k] = (L⁻¹)ₖⱼ: columns of L⁻¹ stored as rows, so that every dot product is contiguous. */
function invertLower(lower: DdMatrix, rank: number): DdMatrix {
  const w = ddMatrix(rank);
  const one = dd(1);
  for (let j = 0; j < rank; j++) {
    ddSet(w, j * rank + j, ddDivide(one, ddAt(lower, j * lower.width + j)));
    for (let k = j + 1; k < rank; k++) {
      const row = k * lower.width;
      const dot = ddDot(lower, row + j, w, j * rank + j, k - j);
      ddSet(w, j * rank + k, ddDivide(ddNegate(dot), ddAt(lower, row + k)));
    }
  }
  return w;
}

function forwardSubstitute(lower: DdMatrix, rank: number, b: DdArray): DdArray {
  const z = ddArray(rank);
  for (let k = 0; k < rank; k++) {
    const row = k * lower.width;
    const rest = ddSubtract(ddAt(b, k), ddDot(lower, row, z, 0, k));
    ddSet(z, k, ddDivide(rest, ddAt(lower, row + k)));
  }
  return z;
}

/** L⁻ᵀ z. */
function timesInverseTransposed(w: DdMatrix, z: DdArray): DdArray {
  const rank = w.width;
  const x = ddArray(rank);
  for (let j = 0; j < rank; j++) ddSet(x, j, ddDot(w, j * rank + j, z, j, rank - j));
  return x;
}

/** W Wᵀ = L⁻ᵀ L⁻¹. */
function gramOfRows(w: DdMatrix): DdMatrix {
  const rank = w.width;
  const inverse = ddMatrix(rank);
  for (let i = 0; i < rank; i++) {
    for (let j = i; j < rank; j++) {
      const value = ddDot(w, i * rank + j, w, j * rank + j, rank - j);
      ddSet(inverse, i * rank + j, value);
      ddSet(inverse, j * rank + i, value);
    }
  }
  return inverse;
}
