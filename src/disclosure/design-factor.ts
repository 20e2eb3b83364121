import { cholesky } from '../numeric/cholesky.ts';
import { ddCholesky } from '../numeric/dd-cholesky.ts';
import { createKernels } from '../numeric/kernels.ts';
import { type NormalEquations, normalEquations } from '../solve/normal-equations.ts';
import { isRounding } from '../solve/rounding.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';

/** The predictors of a statistic, factored once: rank and leverage come from it. */
export interface DesignFactor {
  readonly equations: NormalEquations;
  /** Predictors that do not follow from others; indices start after the constant. */
  readonly kept: readonly number[];
  /** Predictors that vary, but follow from those before them. */
  readonly dependent: readonly string[];
  /** Inverse of the kept predictors' matrix, centred and equilibrated; row-major. */
  readonly inverse: Float64Array;
  /** Upper bound of the rank of the model matrix, the constant included. */
  readonly rank: number;
}

/** Up to this width dependent columns are distinguished from nearly dependent ones. */
const EXACT_WIDTH = 256;
/** Above it, each diagonal entry grows by this share; leverages become smaller by about the same share. */
const WIDE_RIDGE = 2 ** -30;

const factors = new WeakMap<LinearStatistic, DesignFactor>();
const wholeFactors = new WeakMap<LinearStatistic, DesignFactor>();

/** The factor of a statistic, computed once and then reused. */
export function designFactor(statistic: LinearStatistic): DesignFactor {
  const known = factors.get(statistic);
  if (known !== undefined) return known;
  const equations = normalEquations(statistic);
  const factor = factored(equations, equations.predictors);
  factors.set(statistic, factor);
  return factor;
}

/**
 * The same with the responses after the predictors, for those who combine them; undefined where the statistic has no
 * products of the response.
 */
export function wholeFactor(statistic: LinearStatistic): DesignFactor | undefined {
  if (statistic.layout.family !== undefined) return undefined;
  const known = wholeFactors.get(statistic);
  if (known !== undefined) return known;
  const { equations } = designFactor(statistic);
  const factor = factored(equations, equations.predictors + equations.responses);
  wholeFactors.set(statistic, factor);
  return factor;
}

/** Factors the leading `count` columns. */
function factored(equations: NormalEquations, count: number): DesignFactor {
  const { layout, matrix } = equations;
  const constant = layout.intercept ? 1 : 0;
  if (count <= EXACT_WIDTH) {
    const { kept, aliased, inverse } = ddCholesky(matrix, count, isRounding(equations));
    const dependent = aliased
      .filter((column) => matrix.hi[column * (matrix.width + 1)] > 0)
      .map((column) => layout.columns[column + 1]);
    return { equations, kept, dependent, inverse: inverse().hi, rank: kept.length + constant };
  }
  const all = Array.from({ length: count }, (_, k) => k);
  const kept = all.filter((column) => matrix.hi[column * (matrix.width + 1)] > 0);
  const square = new Float64Array(kept.length * kept.length);
  kept.forEach((i, k) => {
    kept.forEach((j, l) => {
      const ridge = k === l ? 1 + WIDE_RIDGE : 1;
      square[k * kept.length + l] = ridge * matrix.hi[i * matrix.width + j];
    });
  });
  const outcome = cholesky(createKernels(), square, kept.length);
  // A real statistic is positive semidefinite, but this one may be invented.
  const inverse =
    'factor' in outcome
      ? outcome.factor.inverse()
      : new Float64Array(square.length).fill(Number.POSITIVE_INFINITY);
  return { equations, kept, dependent: [], inverse, rank: kept.length + constant };
}
