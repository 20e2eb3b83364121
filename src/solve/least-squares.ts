import type { Failure } from '../failure.ts';
import type { NormalEquations } from './normal-equations.ts';
import type { Solution } from './solution.ts';
import { solveInDoubleDouble } from './solve-double-double.ts';
import { solveInFloat } from './solve-float.ts';
import { solveWide } from './solve-wide.ts';

/** Up to this width everything is double-double; above it, float64 kernels with double-double residuals. */
const DOUBLE_DOUBLE_WIDTH = 256;
/** Up to this width a singular matrix gets a double-double factorisation, to name its aliases. */
const PATIENT_WIDTH = 1500;
/** Above this width a penalised problem that float64 cannot factor is iterated. */
const ITERATED_WIDTH = 5000;

/**
 * Minimises ‖y − Xβ‖² + Σ penaltyⱼ βⱼ² from the normal equations (penalty in equilibrated units,
 * all zero for least squares). Aliased columns are left out and named, never pseudo-inverted.
 */
export function leastSquares(
  equations: NormalEquations,
  penalty: Float64Array,
): Solution | Failure {
  const { predictors } = equations;
  if (predictors <= DOUBLE_DOUBLE_WIDTH) return solveInDoubleDouble(equations, penalty);
  const penalised = penalty.every((p) => p > 0);
  const solution = solveInFloat(equations, penalty);
  if (solution !== undefined) return solution;
  if (predictors > ITERATED_WIDTH && penalised) return solveWide(equations, penalty);
  if (predictors <= PATIENT_WIDTH) return solveInDoubleDouble(equations, penalty);
  if (equations.rows <= predictors) {
    return {
      problem: `there are ${equations.rows} rows and ${predictors} columns: many models fit the rows exactly`,
      remedy:
        'add a ridge, rows, or use fewer terms; the dual form, which needs rows × rows numbers, needs the rows themselves',
      option: { name: 'ridge' },
    };
  }
  return {
    problem: `the ${predictors} columns are linearly dependent, or nearly so`,
    remedy: 'drop the dependent terms or add a ridge',
    option: { name: 'ridge' },
  };
}
