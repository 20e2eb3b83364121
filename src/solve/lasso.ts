import type { Failure } from '../failure.ts';
import { cholesky } from '../numeric/cholesky.ts';
import {
  type DdArray,
  type DdMatrix,
  ddArray,
  ddAt,
  ddMatrix,
  ddSet,
} from '../numeric/dd-matrix.ts';
import { dd, ddAdd } from '../numeric/double-double.ts';
import { type Kernels, reproducibleKernels } from '../numeric/kernels.ts';
import { type LassoProblem, lassoDescent } from './lasso-descent.ts';
import { moments, type NormalEquations } from './normal-equations.ts';
import { refineByResiduals } from './refine.ts';
import { isRounding } from './rounding.ts';
import { quadraticResidual, type Solution } from './solution.ts';

/** glmnet's lambda and alpha. */
export interface ElasticNet {
  readonly lambda: number;
  readonly mix: number;
}

/** Scales that a study's lasso shares along its path and over its folds. */
export interface LassoScale {
  /** Indices of the predictors that vary. */
  readonly kept: readonly number[];
  /** Population SDs of the kept predictors in equilibrated units; root mean squares without an intercept. */
  readonly deviations: Float64Array;
  /** One equilibrated unit of each response, in the user's units. */
  readonly responseUnits: Float64Array;
  /** Sum of the weights in the statistic's units. */
  readonly weight: number;
}

export function lassoScale(equations: NormalEquations): LassoScale {
  const { matrix, predictors, responses, layout, equilibration, weightSum } = equations;
  const weight = weightSum / (layout.weightScale ?? 1) ** 2;
  const diagonal = (j: number) => ddAt(matrix, j * matrix.width + j);
  const constant = isRounding(equations);
  const kept = Array.from({ length: predictors }, (_, j) => j).filter(
    (column) =>
      diagonal(column).hi > 0 &&
      !constant({ column, pivot: diagonal(column), coefficients: () => new Float64Array(0) }),
  );
  return {
    kept,
    deviations: Float64Array.from(kept, (j) => Math.sqrt(diagonal(j).hi / weight)),
    responseUnits: Float64Array.from(
      { length: responses },
      (_, r) => layout.references[predictors + r + 1].scale / equilibration[predictors + r],
    ),
    weight,
  };
}

/** Correlations and moments of the kept predictors, each over its SD, for one response of a centred matrix. */
export function lassoProblem(
  { kept, deviations }: LassoScale,
  matrix: DdMatrix,
  response: number,
  weight: number,
): LassoProblem {
  const d = kept.length;
  const gram = new Float64Array(d * d);
  kept.forEach((i, k) => {
    kept.forEach((j, l) => {
      gram[k * d + l] = matrix.hi[i * matrix.width + j] / (deviations[k] * deviations[l] * weight);
    });
  });
  const moment = Float64Array.from(
    kept,
    (j, k) => matrix.hi[response * matrix.width + j] / (deviations[k] * weight),
  );
  return { gram, moment };
}

const PATH_POINTS = 100;
const PATH_SPAN = 1e-4;
const LEAST_MIX = 1e-3; // as in glmnet: a pure ridge has no lambda at which everything is zero

/** glmnet's sequence: from the lambda at which every slope is zero, in every response, down to 1e-4 of it. */
export function lambdaSequence(equations: NormalEquations, mix: number): number[] {
  const scale = lassoScale(equations);
  const { matrix, predictors, responses } = equations;
  let largest = 0;
  for (let r = 0; r < responses; r++) {
    scale.kept.forEach((j, k) => {
      const moment = matrix.hi[(predictors + r) * matrix.width + j] / scale.deviations[k];
      const size = (Math.abs(moment) / scale.weight) * scale.responseUnits[r];
      largest = Math.max(largest, size / Math.max(mix, LEAST_MIX));
    });
  }
  return Array.from(
    { length: PATH_POINTS },
    (_, k) => largest * PATH_SPAN ** (k / (PATH_POINTS - 1)),
  );
}

/** Coefficients per SD along decreasing lambdas, each started from the one before; equilibrated units of the response. */
export function lassoPath(
  kernels: Kernels,
  problem: LassoProblem,
  lambdas: readonly number[],
  mix: number,
  responseUnit: number,
): Float64Array[] {
  let b = new Float64Array(problem.moment.length);
  return lambdas.map((lambda) => {
    const l1 = (lambda * mix) / responseUnit;
    b = lassoDescent(kernels, problem, l1, lambda * (1 - mix), b).coefficients.slice();
    return b;
  });
}

/**
 * Minimises RSS/(2Σw) + λ(½(1 − mix)‖b‖² + mix‖b‖₁) for each response, b being slopes per population SD (root mean square
 * without an intercept), the intercept free: glmnet's objective and sklearn's Lasso and ElasticNet on standardised
 * columns. glmnet itself divides the response by its SD first, which changes the share of the ridge part: its fit at
 * (λ, mix) is this one where mix = 1 or the response has unit SD.
 */
export function lasso(equations: NormalEquations, { lambda, mix }: ElasticNet): Solution | Failure {
  if (!(lambda >= 0)) throw new RangeError(`lambda must not be negative: ${lambda}`);
  if (!(mix >= 0 && mix <= 1)) throw new RangeError(`mix must be from 0 to 1: ${mix}`);
  const { matrix, predictors, responses } = equations;
  const scale = lassoScale(equations);
  const { kept, deviations, weight, responseUnits } = scale;
  const kernels = reproducibleKernels();
  const residual = ddArray(responses);
  let solverError = 2 ** -52;
  const coefficients = Array.from({ length: responses }, (_, r) => {
    const problem = lassoProblem(scale, matrix, predictors + r, weight);
    const [l1, l2] = [(lambda * mix) / responseUnits[r], lambda * (1 - mix)];
    const optimum = lassoDescent(kernels, problem, l1, l2, new Float64Array(kept.length));
    solverError = Math.max(solverError, optimum.violation);
    const perUnit = optimum.coefficients.map((b, k) => b / deviations[k]);
    const exact = polished(kernels, equations, scale, r, perUnit, l1, l2);
    ddSet(residual, r, quadraticResidual(equations, kept, exact, r));
    return exact;
  });
  return {
    kept,
    aliased: Array.from({ length: predictors }, (_, j) => j).filter((j) => !kept.includes(j)),
    coefficients,
    residual,
    solverError,
  };
}

/** Solves again for the nonzero coefficients, (S + w·l2·SD²)β = h − w·l1·SD·sign, with residuals in double-double. */
function polished(
  kernels: Kernels,
  equations: NormalEquations,
  { kept, deviations, weight }: LassoScale,
  response: number,
  found: Float64Array,
  l1: number,
  l2: number,
): DdArray {
  const { matrix } = equations;
  const result: DdArray = { hi: found.slice(), lo: new Float64Array(found.length) };
  const active = Array.from(found.keys()).filter((k) => found[k] !== 0);
  const a = active.length;
  const part = ddMatrix(a);
  active.forEach((k, i) => {
    active.forEach((l, j) => {
      const entry = ddAt(matrix, kept[k] * matrix.width + kept[l]);
      const penalty = i === j ? weight * l2 * deviations[k] ** 2 : 0;
      ddSet(part, i * a + j, penalty > 0 ? ddAdd(entry, dd(penalty)) : entry);
    });
  });
  const outcome = cholesky(kernels, part.hi, a);
  if (a === 0 || 'indefiniteAt' in outcome) return result;
  const target = moments(
    equations,
    active.map((k) => kept[k]),
    response,
  );
  active.forEach((k, i) => {
    const pull = weight * l1 * deviations[k] * Math.sign(found[k]);
    ddSet(target, i, ddAdd(ddAt(target, i), dd(-pull)));
  });
  const { solution } = refineByResiduals(part, target, outcome.factor.solve, { steps: 4 });
  if (active.some((k, i) => !(solution.hi[i] * found[k] > 0))) return result;
  active.forEach((k, i) => {
    ddSet(result, k, ddAt(solution, i));
  });
  return result;
}
