import { cholesky } from '../numeric/cholesky.ts';
import { type DdFactor, ddCholesky } from '../numeric/dd-cholesky.ts';
import { type DdArray, type DdMatrix, ddArray, ddAt, ddDot, ddSet } from '../numeric/dd-matrix.ts';
import { dd, ddAdd, ddSubtract } from '../numeric/double-double.ts';
import { createKernels } from '../numeric/kernels.ts';
import { moments, type NormalEquations } from './normal-equations.ts';
import { largestEigenvalue } from './power-iteration.ts';
import { refineExactly } from './refine.ts';
import { isRounding } from './rounding.ts';
import type { Solution, Unsolved } from './solution.ts';

/** Up to here everything is double-double; above, float64 kernels with double-double residuals. */
export const DOUBLE_DOUBLE_WIDTH = 256;
/** A singular matrix this wide is still worth a double-double factorisation to name its aliases. */
const PATIENT_WIDTH = 1500;

/**
 * Minimises ‖y − Xβ‖² + Σ penaltyⱼ βⱼ² from the normal equations (penalty in equilibrated units,
 * all zero for least squares). Aliased columns are left out and named, never pseudo-inverted.
 */
export function leastSquares(
  equations: NormalEquations,
  penalty: Float64Array,
): Solution | Unsolved {
  const { predictors } = equations;
  if (predictors > DOUBLE_DOUBLE_WIDTH) {
    const solution = solveInFloat(equations, penalty);
    if (solution !== undefined) return solution;
    if (predictors > PATIENT_WIDTH) {
      return {
        problem: `the ${predictors} columns are linearly dependent`,
        advice: 'drop the dependent terms or add a ridge (--ridge)',
      };
    }
  }
  return solveInDoubleDouble(equations, penalty);
}

function solveInDoubleDouble(equations: NormalEquations, penalty: Float64Array): Solution {
  const { predictors, matrix } = equations;
  const penalised = penalty.some((p) => p > 0);
  const factor = ddCholesky(
    withPenalty(matrix, penalty),
    predictors,
    penalised ? () => false : isRounding(equations),
  );
  const { kept, aliased } = factor;
  const inverse = factor.inverse();
  const condition = conditionNumber(equations, kept, inverse);
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
    inverse,
    residual,
    effectiveSlopes: effectiveSlopes(kept, inverse, penalty),
    condition,
    solverError: refine ? 2 ** -52 : Math.max(2 ** -53, solverError),
  };
}

/** The float64 kernels, refined by residuals taken in double-double; undefined when singular. */
function solveInFloat(equations: NormalEquations, penalty: Float64Array): Solution | undefined {
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
  const condition = conditionNumber(equations, kept, inverse);
  const contraction = 2 ** -50 * condition * condition;
  if (!(contraction < 2 ** -10)) return undefined;
  const coefficients: DdArray[] = [];
  const residual = ddArray(equations.responses);
  for (let r = 0; r < equations.responses; r++) {
    const b = moments(equations, kept, r);
    const beta = ddArray(predictors);
    for (let step = 0; step < 5; step++) {
      const rest = new Float64Array(predictors);
      for (let i = 0; i < predictors; i++) {
        const fitted = ddDot(regularised, i * matrix.width, beta, 0, predictors);
        rest[i] = ddSubtract(ddAt(b, i), fitted).hi;
      }
      const correction = outcome.factor.solve(rest);
      for (let i = 0; i < predictors; i++) ddSet(beta, i, ddAdd(ddAt(beta, i), dd(correction[i])));
    }
    coefficients.push(beta);
    ddSet(residual, r, quadraticResidual(equations, kept, beta, r));
  }
  return {
    kept,
    aliased: [],
    coefficients,
    inverse,
    residual,
    effectiveSlopes: effectiveSlopes(kept, inverse, penalty),
    condition,
    solverError: Math.max(2 ** -52, contraction * 2 ** -40),
  };
}

function withPenalty(matrix: DdMatrix, penalty: Float64Array): DdMatrix {
  const copy = { width: matrix.width, hi: matrix.hi.slice(), lo: matrix.lo.slice() };
  penalty.forEach((p, j) => {
    if (p > 0) ddSet(copy, j * matrix.width + j, ddAdd(ddAt(copy, j * matrix.width + j), dd(p)));
  });
  return copy;
}

/** yᵀy − ‖L⁻¹ Xᵀy‖²: backward stable, so a nearly perfect fit keeps its small residual. */
function leftOver(equations: NormalEquations, factor: DdFactor, b: DdArray, r: number) {
  const at = equations.predictors + r;
  const z = factor.forward(b);
  const square = ddAt(equations.matrix, at * equations.matrix.width + at);
  return nonNegative(ddSubtract(square, ddDot(z, 0, z, 0, factor.kept.length)));
}

/** yᵀy − 2βᵀXᵀy + βᵀXᵀXβ, which holds for any β. */
function quadraticResidual(
  equations: NormalEquations,
  kept: readonly number[],
  beta: DdArray,
  r: number,
) {
  const { matrix, predictors } = equations;
  const width = matrix.width;
  const full = ddArray(width);
  kept.forEach((column, k) => {
    ddSet(full, column, ddAt(beta, k));
  });
  ddSet(full, predictors + r, dd(-1));
  const image = ddArray(width);
  for (const i of [...kept, predictors + r])
    ddSet(image, i, ddDot(matrix, i * width, full, 0, width));
  return nonNegative(ddDot(full, 0, image, 0, width));
}

function nonNegative(value: { readonly hi: number; readonly lo: number }) {
  return value.hi > 0 ? value : dd(0);
}

function effectiveSlopes(
  kept: readonly number[],
  inverse: DdMatrix,
  penalty: Float64Array,
): number {
  return kept.reduce(
    (sum, column, k) => sum - penalty[column] * inverse.hi[k * inverse.width + k],
    kept.length,
  );
}

/** √(λmax(R) λmax(R⁻¹)) for R the kept part of the matrix scaled to a unit diagonal. */
function conditionNumber(
  equations: NormalEquations,
  kept: readonly number[],
  inverse: DdMatrix,
): number {
  const { matrix } = equations;
  const rank = kept.length;
  if (rank === 0) return 1;
  const size = kept.map((c) => Math.sqrt(matrix.hi[c * matrix.width + c]) || 1);
  const forward = largestEigenvalue(rank, (v) =>
    v.map((_, i) => {
      const row = kept[i] * matrix.width;
      let sum = 0;
      for (let j = 0; j < rank; j++) sum += (matrix.hi[row + kept[j]] * v[j]) / size[j];
      return sum / size[i];
    }),
  );
  const backward = largestEigenvalue(rank, (v) =>
    v.map((_, i) => {
      let sum = 0;
      for (let j = 0; j < rank; j++) sum += inverse.hi[i * rank + j] * v[j] * size[j];
      return sum * size[i];
    }),
  );
  return Math.max(1, Math.sqrt(forward * backward));
}
