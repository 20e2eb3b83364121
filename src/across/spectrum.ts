import { type SymmetricEigen, symmetricEigen, symmetricEigenvalues } from '../numeric/eigen.ts';
import { reproducibleKernels } from '../numeric/kernels.ts';

/** Eigenvalues of a positive semidefinite matrix, ascending, to rounding of the largest and never below 0. */
export function spectrumOf(matrix: Float64Array, width: number): Float64Array {
  return atLeastZero(symmetricEigenvalues(reproducibleKernels(), matrix, width));
}

/** The same with eigenvectors. */
export function eigenOf(matrix: Float64Array, width: number): SymmetricEigen {
  const { values, vectors } = symmetricEigen(reproducibleKernels(), matrix, width);
  return { values: atLeastZero(values), vectors };
}

function atLeastZero(values: Float64Array): Float64Array {
  return values.map((value) => Math.max(0, value));
}
