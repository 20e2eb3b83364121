import { conjugateGradient } from '../numeric/conjugate-gradient.ts';
import { type DdArray, ddArray, ddSet } from '../numeric/dd-matrix.ts';
import { moments, type NormalEquations } from './normal-equations.ts';
import { refineByResiduals } from './refine.ts';
import { quadraticResidual, type Solution } from './solution.ts';

/**
 * Conjugate gradients for problems too wide to factor, refined by double-double residuals. There is no
 * inverse, so no standard errors, effective degrees of freedom or condition number.
 */
export function solveWide(equations: NormalEquations, penalty: Float64Array): Solution {
  const { predictors, matrix } = equations;
  const diagonal = Float64Array.from(
    { length: predictors },
    (_, i) => matrix.hi[i * (matrix.width + 1)] + penalty[i],
  );
  const multiply = (v: Float64Array): Float64Array =>
    v.map((_, i) => {
      const row = i * matrix.width;
      let sum = penalty[i] * v[i];
      for (let j = 0; j < predictors; j++) sum += matrix.hi[row + j] * v[j];
      return sum;
    });
  const byDiagonal = (v: Float64Array) => v.map((value, i) => value / diagonal[i]);
  const solve = (rest: Float64Array) => conjugateGradient(multiply, byDiagonal, rest, 1e-10).x;
  const kept = Array.from({ length: predictors }, (_, i) => i);
  const coefficients: DdArray[] = [];
  const residual = ddArray(equations.responses);
  let solverError = 0;
  for (let r = 0; r < equations.responses; r++) {
    const b = moments(equations, kept, r);
    const { solution, changes } = refineByResiduals(matrix, b, solve, { steps: 3, penalty });
    solverError = Math.max(solverError, changes[changes.length - 1]);
    coefficients.push(solution);
    ddSet(residual, r, quadraticResidual(equations, kept, solution, r));
  }
  return { kept, aliased: [], coefficients, residual, solverError };
}
