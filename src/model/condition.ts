import { type DdMatrix, ddArray, ddDot } from '../numeric/dd-matrix.ts';
import { symmetricEigenvalues } from '../numeric/eigen.ts';
import { reproducibleKernels } from '../numeric/kernels.ts';
import { largestEigenvalue } from '../solve/centred-condition.ts';
import type { NormalEquations } from '../solve/normal-equations.ts';

/** Above this width the extreme eigenvalues come from power iteration, to two or three digits. */
const FULL_SPECTRUM = 1000;
const TOLERANCE = 1e-4;

/**
 * Largest over smallest singular value of the design as the user wrote it, the intercept included,
 * with every column scaled to unit length (Belsley, Kuh & Welsch 1980, §3.2). Both ends of the
 * spectrum are taken from the top of a matrix, of XᵀX and of its inverse, so neither is lost.
 */
export function conditionNumber(
  equations: NormalEquations,
  kept: readonly number[],
  inverse: DdMatrix,
): number {
  const { layout, matrix, equilibration, means, weightSum } = equations;
  const rank = kept.length;
  const first = layout.intercept ? 1 : 0;
  const width = rank + first;
  const weightScale = layout.weightScale ?? 1;
  // Per kept column, in equilibrated units: √W·mean, and the length of the uncentred column.
  const drift = ddArray(rank);
  const lengths = kept.map((column, k) => {
    const { center, scale } = layout.references[column + 1];
    const mean = first * (center + scale * means.hi[column]);
    drift.hi[k] = (mean * equilibration[column] * Math.sqrt(weightSum)) / (scale * weightScale);
    return Math.sqrt(matrix.hi[column * matrix.width + column] + drift.hi[k] ** 2) || 1;
  });
  const forward = new Float64Array(width * width);
  const backward = new Float64Array(width * width);
  const put = (target: Float64Array, i: number, j: number, value: number) => {
    target[i * width + j] = value;
    target[j * width + i] = value;
  };
  if (first === 1) {
    const response = kept.map((_, i) => ddDot(inverse, i * rank, drift, 0, rank));
    const leverage = response.reduce((sum, value, i) => sum + value.hi * drift.hi[i], 0);
    put(forward, 0, 0, 1);
    put(backward, 0, 0, 1 + leverage);
    for (let i = 0; i < rank; i++) {
      put(forward, 0, i + 1, drift.hi[i] / lengths[i]);
      put(backward, 0, i + 1, -response[i].hi * lengths[i]);
    }
  }
  for (let i = 0; i < rank; i++) {
    for (let j = i; j < rank; j++) {
      const product = matrix.hi[kept[i] * matrix.width + kept[j]] + drift.hi[i] * drift.hi[j];
      put(forward, i + first, j + first, product / (lengths[i] * lengths[j]));
      put(backward, i + first, j + first, inverse.hi[i * rank + j] * lengths[i] * lengths[j]);
    }
  }
  return Math.sqrt(topEigenvalue(forward, width) * topEigenvalue(backward, width));
}

function topEigenvalue(matrix: Float64Array, width: number): number {
  if (width <= 1) return matrix[0] ?? 1;
  if (width <= FULL_SPECTRUM)
    return symmetricEigenvalues(reproducibleKernels(), matrix, width)[width - 1];
  const multiply = (v: Float64Array): Float64Array =>
    v.map((_, i) => {
      let sum = 0;
      for (let j = 0; j < width; j++) sum += matrix[i * width + j] * v[j];
      return sum;
    });
  return largestEigenvalue(width, multiply, TOLERANCE);
}
