import { type DdMatrix, ddAt, ddSet } from '../numeric/dd-matrix.ts';
import { dd, ddAdd } from '../numeric/double-double.ts';

/** S + P: the matrix with the penalty on its diagonal; the matrix itself where there is none. */
export function withPenalty(matrix: DdMatrix, penalty: Float64Array): DdMatrix {
  if (penalty.every((p) => p === 0)) return matrix;
  const copy = { width: matrix.width, hi: matrix.hi.slice(), lo: matrix.lo.slice() };
  penalty.forEach((p, j) => {
    if (p > 0) ddSet(copy, j * matrix.width + j, ddAdd(ddAt(copy, j * matrix.width + j), dd(p)));
  });
  return copy;
}

/** tr((S + P)⁻¹ S) = rank − Σ Pⱼ (S + P)⁻¹ⱼⱼ. */
export function effectiveSlopes(
  kept: readonly number[],
  inverse: DdMatrix,
  penalty: Float64Array,
): number {
  return kept.reduce(
    (sum, column, k) => sum - penalty[column] * inverse.hi[k * inverse.width + k],
    kept.length,
  );
}
