import { type DdArray, ddArray, ddAt, ddDot, ddSet } from '../numeric/dd-matrix.ts';
import { dd, ddAdd, ddSubtract } from '../numeric/double-double.ts';
import { conjugateGradient } from './conjugate-gradient.ts';
import { moments, type NormalEquations } from './normal-equations.ts';
import { withPenalty } from './penalty-matrix.ts';
import { quadraticResidual } from './residual.ts';
import type { Solution } from './solution.ts';

/**
 * Conjugate gradients for problems too wide to factor, refined by double-double residuals. There is no
 * inverse, so no standard errors, effective degrees of freedom or condition number.
 */
export function solveWide(equations: NormalEquations, penalty: Float64Array): Solution {
  const { predictors, matrix } = equations;
  const regularised = withPenalty(matrix, penalty);
  const diagonal = Float64Array.from(
    { length: predictors },
    (_, i) => regularised.hi[i * (matrix.width + 1)],
  );
  const multiply = (v: Float64Array): Float64Array =>
    v.map((_, i) => {
      const row = i * matrix.width;
      let sum = 0;
      for (let j = 0; j < predictors; j++) sum += regularised.hi[row + j] * v[j];
      return sum;
    });
  const kept = Array.from({ length: predictors }, (_, i) => i);
  const coefficients: DdArray[] = [];
  const residual = ddArray(equations.responses);
  let solverError = 0;
  for (let r = 0; r < equations.responses; r++) {
    const b = moments(equations, kept, r);
    const beta = ddArray(predictors);
    for (let step = 0; step < 3; step++) {
      const rest = Float64Array.from({ length: predictors }, (_, i) => {
        const fitted = ddDot(regularised, i * matrix.width, beta, 0, predictors);
        return ddSubtract(ddAt(b, i), fitted).hi;
      });
      const { x } = conjugateGradient(multiply, diagonal, rest, 1e-10);
      for (let i = 0; i < predictors; i++) ddSet(beta, i, ddAdd(ddAt(beta, i), dd(x[i])));
      const size = Math.hypot(...beta.hi);
      solverError = size > 0 ? Math.hypot(...x) / size : 0;
    }
    coefficients.push(beta);
    ddSet(residual, r, quadraticResidual(equations, kept, beta, r));
  }
  return { kept, aliased: [], coefficients, residual, solverError };
}
