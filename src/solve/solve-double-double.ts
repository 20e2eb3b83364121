import { type DdFactor, ddCholesky } from '../numeric/dd-cholesky.ts';
import { type DdArray, ddArray, ddAt, ddDot, ddSet } from '../numeric/dd-matrix.ts';
import { type DoubleDouble, ddSubtract } from '../numeric/double-double.ts';
import { centredCondition } from './centred-condition.ts';
import { moments, type NormalEquations } from './normal-equations.ts';
import { effectiveSlopes, withPenalty } from './penalty.ts';
import { refineExactly } from './refine.ts';
import { isRounding } from './rounding.ts';
import { atLeastNothing, quadraticResidual, type Solution } from './solution.ts';

/** Cholesky in double-double, refined with exact residuals if the condition number is large. */
export function solveInDoubleDouble(equations: NormalEquations, penalty: Float64Array): Solution {
  const { predictors, matrix } = equations;
  const penalised = penalty.some((p) => p > 0);
  const factor = ddCholesky(
    withPenalty(matrix, penalty),
    predictors,
    penalised ? () => false : isRounding(equations),
  );
  const { kept, aliased } = factor;
  const inverse = factor.inverse();
  const condition = centredCondition(equations, kept, inverse);
  const solverError = Math.min(1, 2 ** -100 * condition * condition);
  const refine = !penalised && solverError > 2 ** -60;
  const coefficients: DdArray[] = [];
  const residual = ddArray(equations.responses);
  for (let r = 0; r < equations.responses; r++) {
    const b = moments(equations, kept, r);
    let beta = factor.solve(b);
    if (refine) beta = refineExactly(equations, factor, beta, r);
    coefficients.push(beta);
    ddSet(
      residual,
      r,
      penalised ? quadraticResidual(equations, kept, beta, r) : leftOver(equations, factor, b, r),
    );
  }
  return {
    kept,
    aliased,
    coefficients,
    residual,
    factored: { inverse, effectiveSlopes: effectiveSlopes(kept, inverse, penalty), condition },
    solverError: refine ? 2 ** -52 : Math.max(2 ** -53, solverError),
  };
}

/** yᵀy − ‖L⁻¹ Xᵀy‖²: backward stable, so a nearly perfect fit keeps its small residual. */
function leftOver(
  equations: NormalEquations,
  factor: DdFactor,
  b: DdArray,
  r: number,
): DoubleDouble {
  const at = equations.predictors + r;
  const z = factor.forward(b);
  const square = ddAt(equations.matrix, at * equations.matrix.width + at);
  return atLeastNothing(ddSubtract(square, ddDot(z, 0, z, 0, factor.kept.length)), square);
}
