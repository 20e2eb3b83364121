import type { Failure } from '../failure.ts';
import { linearModel } from '../model/linear-model.ts';
import { type DdArray, ddArray, ddSet } from '../numeric/dd-matrix.ts';
import { reproducibleKernels } from '../numeric/kernels.ts';
import { ridgeGrid } from '../solve/choose-curve.ts';
import { largestRidge, penaltyPaths } from '../solve/choose-gcv.ts';
import { ridgeCoefficients } from '../solve/choose-ridges.ts';
import { lambdaSequence, lassoPath, lassoProblem, lassoScale } from '../solve/lasso.ts';
import type { NormalEquations } from '../solve/normal-equations.ts';
import { unitPenalty } from '../solve/penalty.ts';
import { quadraticResidual } from '../solve/residual.ts';
import type { Solution } from '../solve/solution.ts';
import type { Evidence } from './evidence.ts';

/** Coefficients along the penalty, from strong to weak, with what each costs. */
export interface Path {
  readonly about: 'path';
  readonly kind: 'ridge' | 'lasso';
  /** Names of the slopes; the intercept is apart. */
  readonly terms: readonly string[];
  readonly points: readonly {
    /** The ridge, or glmnet's lambda. */
    readonly penalty: number;
    readonly intercept?: number;
    readonly coefficients: readonly number[];
    /** Effective degrees of freedom, the intercept among them; for the lasso, nonzero slopes + 1. */
    readonly edf: number;
    readonly 'r.squared': number;
    readonly gcv?: number;
  }[];
  /** SDs of the columns (population), so that a picture can show slopes per SD. */
  readonly scales: readonly number[];
}

/** The path of what was fitted: of a lasso where that was asked for, otherwise of ridges. */
export function pathAnswer(evidence: Evidence): Path | Failure {
  return evidence.fit.lasso === undefined ? ridgePathAnswer(evidence) : lassoPathAnswer(evidence);
}

/** A hundred ridges over twelve decades on the scale the study penalises. */
export function ridgePathAnswer(evidence: Evidence): Path | Failure {
  const { fit, response } = evidence;
  const refusal = withoutPath(evidence);
  if (refusal !== undefined) return refusal;
  const { equations } = fit;
  const unit = unitPenalty(equations, fit.penaltyScale ?? 'raw');
  const grid = ridgeGrid(largestRidge(equations, unit));
  const kernels = reproducibleKernels();
  const coefficients = ridgeCoefficients(kernels, equations.matrix, unit, grid, response);
  const path = penaltyPaths(equations, unit)[response];
  return answer('ridge', equations, response, grid, (penalty, l) => {
    const beta = ddArray(equations.predictors);
    for (let j = 0; j < equations.predictors; j++) beta.hi[j] = coefficients[j * grid.length + l];
    const { edf, gcv } = path.at(penalty);
    return { beta, edf, gcv };
  });
}

/** The lasso or elastic net along glmnet's sequence of lambdas; the lasso unless the study mixes. */
export function lassoPathAnswer(evidence: Evidence): Path | Failure {
  const { fit, response } = evidence;
  const refusal = withoutPath(evidence);
  if (refusal !== undefined) return refusal;
  const { equations } = fit;
  const mix = fit.lasso?.mix ?? 1;
  const scale = lassoScale(equations);
  const lambdas = lambdaSequence(equations, mix);
  if (!(lambdas[0] > 0)) {
    return {
      problem: 'no column goes with the response at all, so every slope is zero on all of the path',
      remedy: 'look at the means and correlations instead',
    };
  }
  const { matrix, predictors, layout } = equations;
  const problem = lassoProblem(scale, matrix, predictors + response, scale.weight);
  const unit = scale.responseUnits[response];
  const path = lassoPath(reproducibleKernels(), problem, lambdas, mix, unit);
  return answer('lasso', equations, response, lambdas, (_, l) => {
    const beta = ddArray(predictors);
    scale.kept.forEach((column, k) => {
      beta.hi[column] = path[l][k] / scale.deviations[k];
    });
    const nonzero = path[l].reduce((count, b) => count + (b === 0 ? 0 : 1), 0);
    return { beta, edf: nonzero + (layout.intercept ? 1 : 0) };
  });
}

/** What a path has no meaning for. */
function withoutPath({ fit, response }: Evidence): Failure | undefined {
  const { equations } = fit;
  if (fit.siteEffects !== undefined) {
    return {
      problem: 'a model with site effects has no penalty path',
      remedy: 'fit without site effects to see one',
    };
  }
  const { matrix, predictors } = equations;
  const varies = (column: number) => matrix.hi[column * matrix.width + column] > 0;
  if (!Array.from({ length: predictors }, (_, j) => j).some(varies)) {
    return {
      problem: 'no column varies, so there is nothing to shrink',
      remedy: 'add a term to the formula',
    };
  }
  if (varies(predictors + response)) return undefined;
  return {
    problem: 'the response is the same in every row, so nothing depends on the penalty',
    remedy: 'choose another response',
  };
}

function answer(
  kind: Path['kind'],
  equations: NormalEquations,
  response: number,
  penalties: readonly number[],
  at: (penalty: number, index: number) => { beta: DdArray; edf: number; gcv?: number },
): Path {
  const { layout, predictors, equilibration, matrix, weightSum } = equations;
  const everyone = Array.from({ length: predictors }, (_, j) => j);
  const weight = weightSum / (layout.weightScale ?? 1) ** 2;
  const points = penalties.map((penalty, index) => {
    const { beta, edf, gcv } = at(penalty, index);
    const model = linearModel(equations, alone(equations, response, everyone, beta), response);
    const estimates = Array.from(model.estimates);
    const [intercept, coefficients] = layout.intercept
      ? [estimates[0], estimates.slice(1)]
      : [undefined, estimates];
    const score = gcv === undefined ? Number.NaN : gcv * model.responseUnit ** 2;
    return {
      penalty,
      ...(intercept === undefined ? {} : { intercept }),
      coefficients,
      edf,
      'r.squared': 1 - model.residualSumOfSquares / model.totalSumOfSquares,
      ...(Number.isFinite(score) ? { gcv: score } : {}),
    };
  });
  return {
    about: 'path',
    kind,
    terms: everyone.map((j) => layout.columns[j + 1]),
    points,
    scales: everyone.map((j) => {
      const variance = matrix.hi[j * matrix.width + j] / weight;
      return (Math.sqrt(variance) / equilibration[j]) * layout.references[j + 1].scale;
    }),
  };
}

/** A solution that holds one response's coefficients; the others' are not asked for. */
function alone(
  equations: NormalEquations,
  response: number,
  kept: readonly number[],
  beta: DdArray,
): Solution {
  const residual = ddArray(equations.responses);
  ddSet(residual, response, quadraticResidual(equations, kept, beta, response));
  const coefficients = Array.from({ length: equations.responses }, () => beta);
  return { kept, aliased: [], coefficients, residual, solverError: 2 ** -52 };
}
