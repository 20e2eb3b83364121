import { type SymmetricEigen, symmetricEigen, symmetricEigenvalues } from '../numeric/eigen.ts';
import { reproducibleKernels } from '../numeric/kernels.ts';

/**
 * Eigenvalues of a positive semidefinite matrix, ascending, to rounding of the largest: lifted off zero first, where QL
 * takes the rounding of a low rank for numbers and may not settle.
 */
export function spectrumOf(matrix: Float64Array, width: number): Float64Array {
  const { lifted, lift } = liftedOff(matrix, width);
  const values = symmetricEigenvalues(reproducibleKernels(), lifted, width);
  return values.map((value) => Math.max(0, value - lift));
}

/** The same with eigenvectors. */
export function eigenOf(matrix: Float64Array, width: number): SymmetricEigen {
  const { lifted, lift } = liftedOff(matrix, width);
  const { values, vectors } = symmetricEigen(reproducibleKernels(), lifted, width);
  return { values: values.map((value) => Math.max(0, value - lift)), vectors };
}

function liftedOff(matrix: Float64Array, width: number): { lifted: Float64Array; lift: number } {
  let lift = 0;
  for (let i = 0; i < width; i++) lift = Math.max(lift, matrix[i * (width + 1)]);
  const lifted = matrix.slice();
  for (let i = 0; i < width; i++) lifted[i * (width + 1)] += lift;
  return { lifted, lift };
}
