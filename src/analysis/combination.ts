import { defined } from '../defined.ts';
import { isPenalised } from '../model/errors.ts';
import type { Fit } from '../model/fit.ts';
import { type DdArray, ddArray, ddAt, ddDot, ddSet } from '../numeric/dd-matrix.ts';
import {
  type DoubleDouble,
  dd,
  ddAdd,
  ddMultiply,
  ddScale,
  ddSubtract,
  twoProduct,
} from '../numeric/double-double.ts';

/** Linear combinations of a model's coefficients and, where they may be tested, their covariance. */
export interface Combinations {
  readonly estimates: Float64Array;
  readonly errors?: {
    /** Row-major over the combinations, in the user's units. */
    readonly covariance: Float64Array;
    readonly freedom: number;
  };
}

/**
 * Lb for rows of L over the model's terms. The intercept is written as ȳ − Σ b x̄ and taken together with the slopes in
 * double-double, so that a combination near the data loses no digits to an intercept far from them.
 */
export function combinations(
  fit: Fit,
  response: number,
  rows: readonly (readonly number[])[],
): Combinations {
  const { equations } = fit;
  const { layout, equilibration, predictors } = equations;
  const centred = rows.map((row) => centredRow(fit, row));
  const target = predictors + response;
  const { center, scale } = layout.references[target + 1];
  const mean = ddAdd(dd(center), ddScale(ddAt(equations.means, target), scale));
  const beta = fit.solution.coefficients[response];
  const estimates = Float64Array.from(centred, ({ level, slopes }) => {
    const sum = ddDot(slopes, 0, beta, 0, beta.hi.length);
    return ddAdd(ddScale(sum, scale / equilibration[target]), ddMultiply(mean, dd(level))).hi;
  });
  const errors = isPenalised(fit) ? undefined : covarianceOf(fit, response, rows, centred);
  return { estimates, ...defined({ errors }) };
}

interface CentredRow {
  /** Weight of the response's mean. */
  readonly level: number;
  /** Weights of the equilibrated slopes. */
  readonly slopes: DdArray;
}

function centredRow({ equations, solution }: Fit, row: readonly number[]): CentredRow {
  const { layout, equilibration, means } = equations;
  const first = layout.intercept ? 1 : 0;
  const level = first === 1 ? row[0] : 0;
  const slopes = ddArray(solution.kept.length);
  solution.kept.forEach((column, k) => {
    const { center, scale } = layout.references[column + 1];
    const mean = ddAdd(dd(center), ddScale(ddAt(means, column), scale));
    const away = ddSubtract(dd(row[k + first]), ddMultiply(mean, dd(level)));
    ddSet(slopes, k, ddScale(away, equilibration[column] / scale));
  });
  return { level, slopes };
}

function covarianceOf(
  fit: Fit,
  response: number,
  rows: readonly (readonly number[])[],
  centred: readonly CentredRow[],
): Combinations['errors'] {
  const model = fit.models[response];
  const given = fit.errors?.[response];
  const freedom = given?.freedom ?? model.rows - model.terms.length;
  if (!(freedom > 0)) return undefined;
  const entry =
    given === undefined
      ? classicalEntry(fit, response, centred)
      : (i: number, j: number) => bilinear(given.covariance, rows[i], rows[j]);
  if (entry === undefined) return undefined;
  const covariance = new Float64Array(rows.length ** 2);
  for (let i = 0; i < rows.length; i++) {
    for (let j = i; j < rows.length; j++) {
      const value = entry(i, j);
      covariance[i * rows.length + j] = value;
      covariance[j * rows.length + i] = value;
    }
  }
  return { covariance, freedom };
}

/** σ²(l₀l₀'/Σw + dᵀ S⁻¹ d'). */
function classicalEntry(
  fit: Fit,
  response: number,
  centred: readonly CentredRow[],
): ((i: number, j: number) => number) | undefined {
  const model = fit.models[response];
  const variance = model.residualSumOfSquares / (model.rows - model.terms.length);
  const unscaled = leverageForm(fit, centred);
  if (unscaled === undefined) return undefined;
  return (i, j) => variance * unscaled(i, j);
}

function leverageForm(
  { equations, solution }: Pick<Fit, 'equations' | 'solution'>,
  centred: readonly CentredRow[],
): ((i: number, j: number) => number) | undefined {
  const { factored, kept } = solution;
  if (factored === undefined) return undefined;
  const { inverse } = factored;
  const rank = kept.length;
  const weightScale = equations.layout.weightScale ?? 1;
  const turned = centred.map(({ slopes }) => {
    const product = ddArray(rank);
    for (let k = 0; k < rank; k++) ddSet(product, k, ddDot(inverse, k * rank, slopes, 0, rank));
    return product;
  });
  return (i, j) => {
    const level = (centred[i].level * centred[j].level) / equations.weightSum;
    return ddDot(turned[i], 0, centred[j].slopes, 0, rank).hi / weightScale ** 2 + level;
  };
}

/** x(XᵀWX)⁻¹xᵀ of one row over the terms of a least squares fit: its leverage before any weight. */
export function leverage(fit: Fit, row: readonly number[]): number | undefined {
  return leverageForm(fit, [centredRow(fit, row)])?.(0, 0);
}

function bilinear(
  covariance: Float64Array,
  left: readonly number[],
  right: readonly number[],
): number {
  const width = left.length;
  let sum: DoubleDouble = dd(0);
  for (let i = 0; i < width; i++) {
    if (left[i] === 0) continue;
    for (let j = 0; j < width; j++) {
      if (right[j] === 0) continue;
      const product = twoProduct(left[i], right[j]);
      sum = ddAdd(sum, ddMultiply(product, dd(covariance[i * width + j])));
    }
  }
  return sum.hi;
}
