import { cholesky } from '../numeric/cholesky.ts';
import { type DdArray, type DdMatrix, ddArray, ddSet } from '../numeric/dd-matrix.ts';
import { createKernels } from '../numeric/kernels.ts';
import { centredCondition } from './centred-condition.ts';
import { moments, type NormalEquations } from './normal-equations.ts';
import { effectiveSlopes, withPenalty } from './penalty.ts';
import { refineByResiduals } from './refine.ts';
import { quadraticResidual, type Solution } from './solution.ts';

/** The float64 kernels, refined with residuals in double-double; undefined if singular. */
export function solveInFloat(
  equations: NormalEquations,
  penalty: Float64Array,
): Solution | undefined {
  const { predictors, matrix } = equations;
  const regularised = withPenalty(matrix, penalty);
  const square = new Float64Array(predictors * predictors);
  for (let i = 0; i < predictors; i++) {
    const row = i * matrix.width;
    square.set(regularised.hi.subarray(row, row + predictors), i * predictors);
  }
  const outcome = cholesky(createKernels(), square, predictors);
  if ('indefiniteAt' in outcome) return undefined;
  const kept = Array.from({ length: predictors }, (_, i) => i);
  const inverse: DdMatrix = {
    width: predictors,
    hi: outcome.factor.inverse(),
    lo: new Float64Array(predictors * predictors),
  };
  const condition = centredCondition(equations, kept, inverse);
  const contraction = 2 ** -50 * condition * condition;
  if (!(contraction < 2 ** -10)) return undefined;
  const coefficients: DdArray[] = [];
  const residual = ddArray(equations.responses);
  for (let r = 0; r < equations.responses; r++) {
    const b = moments(equations, kept, r);
    const { solution } = refineByResiduals(regularised, b, outcome.factor.solve, 5);
    coefficients.push(solution);
    ddSet(residual, r, quadraticResidual(equations, kept, solution, r));
  }
  return {
    kept,
    aliased: [],
    coefficients,
    residual,
    factored: { inverse, effectiveSlopes: effectiveSlopes(kept, inverse, penalty), condition },
    solverError: Math.max(2 ** -52, contraction * 2 ** -40),
  };
}
