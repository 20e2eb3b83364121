import { type DdArray, type DdMatrix, ddArray, ddSet } from '../numeric/dd-matrix.ts';
import { positiveFactor } from '../numeric/positive-factor.ts';
import { centredCondition } from './centred-condition.ts';
import { moments, type NormalEquations } from './normal-equations.ts';
import { effectiveSlopes } from './penalty.ts';
import { refineByResiduals } from './refine.ts';
import { quadraticResidual, type Solution } from './solution.ts';

const STEPS = 5;
/** A relative change after which a further step would change no digit of a double. */
const ENOUGH = 2 ** -80;

/**
 * Cholesky and the inverse in float64, refined with residuals in double-double; undefined if singular. Beside the matrix there is
 * one array of its size: the factor, which becomes the inverse.
 */
export function solveInFloat(
  equations: NormalEquations,
  penalty: Float64Array,
): Solution | undefined {
  const { predictors, matrix } = equations;
  const outcome = positiveFactor(predictors, (i, row) => {
    const start = i * matrix.width;
    row.set(matrix.hi.subarray(start + i, start + predictors), i);
    row[i] += penalty[i];
  });
  if ('indefiniteAt' in outcome) return undefined;
  const { factor } = outcome;
  const kept = Array.from({ length: predictors }, (_, i) => i);
  const coefficients: DdArray[] = [];
  const residual = ddArray(equations.responses);
  const terms = { steps: STEPS, enough: ENOUGH, penalty };
  for (let r = 0; r < equations.responses; r++) {
    const b = moments(equations, kept, r);
    const { solution } = refineByResiduals(matrix, b, factor.solve, terms);
    coefficients.push(solution);
    ddSet(residual, r, quadraticResidual(equations, kept, solution, r));
  }
  const inverse: DdMatrix = {
    width: predictors,
    hi: factor.invert(),
    lo: new Float64Array(predictors * predictors),
  };
  const condition = centredCondition(equations, kept, inverse);
  const contraction = 2 ** -50 * condition * condition;
  if (!(contraction < 2 ** -10)) return undefined;
  return {
    kept,
    aliased: [],
    coefficients,
    residual,
    factored: { inverse, effectiveSlopes: effectiveSlopes(kept, inverse, penalty), condition },
    solverError: Math.max(2 ** -52, contraction * 2 ** -40),
  };
}
