import type { DdMatrix } from '../numeric/dd-matrix.ts';
import type { NormalEquations } from './normal-equations.ts';

/** Accurate enough for the number of lost digits; every further step is a pass over the matrix. */
const TOLERANCE = 1e-3;

/** About √(λmax(R) λmax(R⁻¹)) for R the kept part of the matrix scaled to a unit diagonal. */
export function centredCondition(
  equations: NormalEquations,
  kept: readonly number[],
  inverse: DdMatrix,
): number {
  const { matrix } = equations;
  const rank = kept.length;
  if (rank === 0) return 1;
  const size = kept.map((c) => Math.sqrt(matrix.hi[c * matrix.width + c]) || 1);
  const timesMatrix = (v: Float64Array): Float64Array => {
    const scaled = v.map((value, j) => value / size[j]);
    return v.map((_, i) => {
      const row = kept[i] * matrix.width;
      let sum = 0;
      for (let j = 0; j < rank; j++) sum += matrix.hi[row + kept[j]] * scaled[j];
      return sum / size[i];
    });
  };
  const timesInverse = (v: Float64Array): Float64Array => {
    const scaled = v.map((value, j) => value * size[j]);
    return v.map((_, i) => {
      let sum = 0;
      for (let j = 0; j < rank; j++) sum += inverse.hi[i * rank + j] * scaled[j];
      return sum * size[i];
    });
  };
  const forward = largestEigenvalue(rank, timesMatrix, TOLERANCE);
  const backward = largestEigenvalue(rank, timesInverse, TOLERANCE);
  return Math.max(1, Math.sqrt(forward * backward));
}

/**
 * The largest eigenvalue of a symmetric positive semidefinite matrix given as v ↦ A v, by power iteration: stops when the
 * relative change of a step is below `tolerance`. Approached from below.
 */
export function largestEigenvalue(
  width: number,
  multiply: (v: Float64Array) => Float64Array,
  tolerance: number,
): number {
  let v: Float64Array = Float64Array.from(
    { length: width },
    (_, i) => 1 + ((i * 7919) % 101) / 101,
  );
  let previous = 0;
  for (let step = 0; step < 500; step++) {
    const norm = Math.hypot(...v) || 1;
    v = multiply(v.map((x) => x / norm));
    const value = Math.hypot(...v);
    if (Math.abs(value - previous) <= tolerance * value) return value;
    previous = value;
  }
  return previous;
}
