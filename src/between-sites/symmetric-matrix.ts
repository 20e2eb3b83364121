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

/** R A R for symmetric row-major R and A. */
export function sandwiched(root: Float64Array, matrix: Float64Array, width: number): Float64Array {
  return times(times(root, matrix, width), root, width);
}

/** A B, row-major. */
export function times(a: Float64Array, b: Float64Array, width: number): Float64Array {
  const product = new Float64Array(width * width);
  for (let i = 0; i < width; i++) {
    const row = product.subarray(i * width, (i + 1) * width);
    for (let k = 0; k < width; k++) {
      const factor = a[i * width + k];
      const other = b.subarray(k * width, (k + 1) * width);
      for (let j = 0; j < width; j++) row[j] += factor * other[j];
    }
  }
  return product;
}

export function transposed(matrix: Float64Array, width: number): Float64Array {
  return matrix.map((_, at) => matrix[(at % width) * width + Math.floor(at / width)]);
}
