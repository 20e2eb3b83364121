import { defined } from '../defined.ts';
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
import { quadraticResidual, type Solution } from '../solve/solution.ts';
import { alignDecimals, significant } from '../text/number-text.ts';
import { type Ink, layOut } from '../text/text-table.ts';
import type { QueryInput } from './query-input.ts';
import type { Topic } from './topic.ts';

/** Coefficients along the penalty, from strong to weak, with the fit of each. */
export interface Path {
  readonly about: 'path';
  readonly kind: 'ridge' | 'lasso';
  /** Names of the slopes, without the intercept. */
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
  /** Population SDs of the columns, for slopes per SD in figures. */
  readonly scales: readonly number[];
}

/** The path of the fitted model: lasso for a lasso, otherwise ridge. */
export function pathAnswer(input: QueryInput): Path | Failure {
  return input.fit.lasso === undefined ? ridgePathAnswer(input) : lassoPathAnswer(input);
}

/** A hundred ridges over twelve decades on the scale the study penalises. */
export function ridgePathAnswer(input: QueryInput): Path | Failure {
  const { fit, response } = input;
  const refusal = withoutPath(input);
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
export function lassoPathAnswer(input: QueryInput): Path | Failure {
  const { fit, response } = input;
  const refusal = withoutPath(input);
  if (refusal !== undefined) return refusal;
  const { equations } = fit;
  const mix = fit.lasso?.mix ?? 1;
  const scale = lassoScale(equations);
  const lambdas = lambdaSequence(equations, mix);
  if (!(lambdas[0] > 0)) {
    return {
      problem:
        'no column correlates with the response, so every slope is zero along the whole path',
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

/** Why a model has no path, if so. */
function withoutPath({ fit, response }: QueryInput): Failure | undefined {
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
  const columns = Array.from({ length: predictors }, (_, j) => j);
  const weight = weightSum / (layout.weightScale ?? 1) ** 2;
  const points = penalties.map((penalty, index) => {
    const { beta, edf, gcv } = at(penalty, index);
    const model = linearModel(
      equations,
      singleResponse(equations, response, columns, beta),
      response,
    );
    const estimates = Array.from(model.estimates);
    const [intercept, coefficients] = layout.intercept
      ? [estimates[0], estimates.slice(1)]
      : [undefined, estimates];
    const score = gcv === undefined ? Number.NaN : gcv * model.responseUnit ** 2;
    return {
      penalty,
      ...defined({ intercept }),
      coefficients,
      edf,
      'r.squared': 1 - model.residualSumOfSquares / model.totalSumOfSquares,
      ...(Number.isFinite(score) ? { gcv: score } : {}),
    };
  });
  return {
    about: 'path',
    kind,
    terms: columns.map((j) => layout.columns[j + 1]),
    points,
    scales: columns.map((j) => {
      const variance = matrix.hi[j * matrix.width + j] / weight;
      return (Math.sqrt(variance) / equilibration[j]) * layout.references[j + 1].scale;
    }),
  };
}

/** A solution for one response; the coefficients of the others are not used. */
function singleResponse(
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

const POINTS = 12;
const MOST_TERMS = 40;
const BARS = '▁▂▃▄▅▆▇█';

/** A dozen points of a path with their fit, and how each slope grows from the strong end to the weak. */
export function pathText({ kind, terms, points, scales }: Path, ink: Ink): string {
  const shown = Array.from(
    { length: Math.min(POINTS, points.length) },
    (_, k) => points[Math.round((k * (points.length - 1)) / Math.max(1, POINTS - 1))],
  );
  const column = (title: string, values: readonly number[], digits: number) => [
    title,
    ...alignDecimals(values.map((value) => significant(value, digits))),
  ];
  const costs = layOut(
    [
      [
        kind === 'ridge' ? 'ridge' : 'lambda',
        ...shown.map(({ penalty }) => penalty.toExponential(2)),
      ],
      kind === 'ridge'
        ? column(
            'edf',
            shown.map(({ edf }) => edf),
            4,
          )
        : ['coefficients', ...shown.map(({ edf }) => String(edf))],
      column(
        'R²',
        shown.map((point) => point['r.squared']),
        4,
      ),
      ...(shown.every(({ gcv }) => gcv !== undefined)
        ? [
            column(
              'GCV',
              shown.map(({ gcv }) => gcv as number),
              5,
            ),
          ]
        : []),
    ],
    ink,
  );
  const perSd = terms.map((_, j) => shown.map(({ coefficients }) => coefficients[j] * scales[j]));
  const highest = Math.max(...perSd.flat().map(Math.abs));
  const listed = terms.slice(0, MOST_TERMS);
  const growth = layOut(
    [
      ['slope per SD', ...listed],
      ['strong → weak', ...listed.map((_, j) => sparkline(perSd[j], highest))],
      column(
        'at the end',
        listed.map((_, j) => perSd[j][shown.length - 1]),
        4,
      ),
    ],
    ink,
  );
  const rest = terms.length - listed.length;
  const title = ink.bold(kind === 'ridge' ? 'Along the ridge' : 'Along the lasso’s lambda');
  return [
    title,
    ...costs,
    '',
    ...growth,
    ...(rest > 0 ? [ink.faint(`and ${rest} more`)] : []),
  ].join('\n');
}

/** Sizes against the largest of all slopes; a dot where a slope is zero. */
function sparkline(values: readonly number[], highest: number): string {
  return values
    .map((value) => {
      if (value === 0) return '·';
      return BARS[Math.min(BARS.length - 1, Math.floor((Math.abs(value) / highest) * BARS.length))];
    })
    .join('');
}

export const pathTopic: Topic<Path> = {
  about: 'path',
  needs: 'sums',
  sees: 'total',
  per: 'response',
  ask: pathAnswer,
  text: pathText,
};
