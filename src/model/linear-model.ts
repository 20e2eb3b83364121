import { type DdMatrix, ddArray, ddAt, ddDot, ddSet } from '../numeric/dd-matrix.ts';
import {
  type DoubleDouble,
  dd,
  ddAdd,
  ddMultiply,
  ddScale,
  ddSubtract,
} from '../numeric/double-double.ts';
import type { NormalEquations } from '../solve/normal-equations.ts';
import type { Solution } from '../solve/solution.ts';

/**
 * A fitted linear model in the user's units: references and equilibration are undone here and
 * nowhere else. Coefficients start with the intercept where there is one.
 */
export interface LinearModel {
  readonly response: string;
  readonly terms: readonly string[];
  readonly estimates: Float64Array;
  /** Diagonal of (XᵀWX)⁻¹: squared standard errors over σ²; NaN where unknown. */
  readonly unscaledVariances: Float64Array;
  /** One equilibrated unit of the response, in the user's units. */
  readonly responseUnit: number;
  /** How much collinearity inflates each variance; NaN for the intercept. */
  readonly varianceInflation: Float64Array;
  readonly residualSumOfSquares: number;
  /** About the mean with an intercept, about zero without. */
  readonly totalSumOfSquares: number;
  readonly rows: number;
  readonly logWeightSum: number;
  readonly intercept: boolean;
  /** Effective degrees of freedom of the slopes; fractional under a ridge, NaN where unknown. */
  readonly effectiveSlopes: number;
}

/** The model of one response. */
export function linearModel(
  equations: NormalEquations,
  solution: Solution,
  response: number,
): LinearModel {
  return modelOf(equations, solution, response, sharedPart(equations, solution));
}

/** The models of all responses. What depends on the predictors alone is computed once. */
export function linearModels(equations: NormalEquations, solution: Solution): LinearModel[] {
  const shared = sharedPart(equations, solution);
  return Array.from({ length: equations.responses }, (_, r) =>
    modelOf(equations, solution, r, shared),
  );
}

type SharedPart = Pick<LinearModel, 'terms' | 'unscaledVariances' | 'varianceInflation'> & {
  /** Means of the kept columns, in the user's units. */
  readonly means: readonly DoubleDouble[];
};

function sharedPart(equations: NormalEquations, { kept, factored }: Solution): SharedPart {
  const { layout, equilibration, matrix } = equations;
  const weightScale = layout.weightScale ?? 1;
  const toUser = kept.map((i) => equilibration[i] / (layout.references[i + 1].scale * weightScale));
  const diagonal = (k: number) => factored?.inverse.hi[k * kept.length + k] ?? Number.NaN;
  const variances = kept.map((_, k) => diagonal(k) * toUser[k] ** 2);
  const inflation = kept.map((i, k) => matrix.hi[i * matrix.width + i] * diagonal(k));
  const means = kept.map((i) => userMean(equations, i));
  const terms = kept.map((i) => layout.columns[i + 1]);
  if (layout.intercept) {
    const leverage =
      factored === undefined
        ? Number.NaN
        : quadraticForm(
            factored.inverse,
            means.map((mean, k) => ddScale(mean, toUser[k])),
          );
    terms.unshift('(Intercept)');
    variances.unshift(1 / equations.weightSum + leverage);
    inflation.unshift(Number.NaN);
  }
  return {
    terms,
    unscaledVariances: Float64Array.from(variances),
    varianceInflation: Float64Array.from(inflation),
    means,
  };
}

/** The mean of a column in the user's units. */
function userMean({ layout, means }: NormalEquations, i: number): DoubleDouble {
  const { center, scale } = layout.references[i + 1];
  return ddAdd(dd(center), ddScale(ddAt(means, i), scale));
}

function modelOf(
  equations: NormalEquations,
  solution: Solution,
  response: number,
  { means, ...shared }: SharedPart,
): LinearModel {
  const { layout, equilibration, predictors, matrix } = equations;
  const { kept, factored } = solution;
  const target = predictors + response;
  const scaleOf = (i: number) => layout.references[i + 1].scale;
  const weightScale = layout.weightScale ?? 1;
  const beta = solution.coefficients[response];
  const slopes = kept.map((i, k) =>
    ddScale(
      ddScale(ddAt(beta, k), equilibration[i] / equilibration[target]),
      scaleOf(target) / scaleOf(i),
    ),
  );
  const estimates = slopes.map((b) => b.hi);
  if (layout.intercept) {
    let level = userMean(equations, target);
    let size = Math.abs(level.hi);
    slopes.forEach((slope, k) => {
      const part = ddMultiply(slope, means[k]);
      level = ddSubtract(level, part);
      size += Math.abs(part.hi);
    });
    estimates.unshift(Math.abs(level.hi) > size * 2 ** -98 ? level.hi : 0); // else it is all rounding
  }
  const responseUnit = (scaleOf(target) * weightScale) / equilibration[target];
  return {
    response: layout.columns[target + 1],
    ...shared,
    estimates: Float64Array.from(estimates),
    responseUnit,
    residualSumOfSquares: solution.residual.hi[response] * responseUnit ** 2,
    totalSumOfSquares: matrix.hi[target * matrix.width + target] * responseUnit ** 2,
    rows: equations.rows,
    logWeightSum: equations.logWeightSum,
    intercept: layout.intercept,
    effectiveSlopes: factored?.effectiveSlopes ?? Number.NaN,
  };
}

/** From this width on a row at a time is summed without objects. */
const WIDE = 256;

/** vᵀ A v, in double-double because the terms cancel when columns are nearly collinear. */
function quadraticForm(matrix: DdMatrix, v: readonly DoubleDouble[]): number {
  let sum = dd(0);
  if (v.length > WIDE) {
    const vector = ddArray(v.length);
    for (const [k, value] of v.entries()) ddSet(vector, k, value);
    for (const [i, value] of v.entries()) {
      sum = ddAdd(sum, ddMultiply(value, ddDot(matrix, i * v.length, vector, 0, v.length)));
    }
    return sum.hi;
  }
  for (let i = 0, at = 0; i < v.length; i++) {
    for (let j = 0; j < v.length; j++, at++) {
      sum = ddAdd(sum, ddMultiply(ddMultiply(v[i], ddAt(matrix, at)), v[j]));
    }
  }
  return sum.hi;
}
