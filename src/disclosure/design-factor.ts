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
  /** Whether dependent columns were distinguished from nearly dependent ones. */
  readonly exact: boolean;
  /** Upper bound of the rank of the model matrix, the constant included. */
  readonly rank: number;
  /** G⁻¹ of the kept predictors' matrix G, centred and equilibrated; row-major. */
  inverse(): Float64Array;
  /** The upper triangular W with G⁻¹ = W Wᵀ; row-major. Its leading block is that of the leading columns. */
  inverseFactor(): Float64Array;
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
  return count <= EXACT_WIDTH ? narrowFactor(equations, count) : wideFactor(equations, count);
}

function narrowFactor(equations: NormalEquations, count: number): DesignFactor {
  const { layout, matrix } = equations;
  const factor = ddCholesky(matrix, count, isRounding(equations));
  const { kept } = factor;
  const dependent = factor.aliased
    .filter((column) => matrix.hi[column * (matrix.width + 1)] > 0)
    .map((column) => layout.columns[column + 1]);
  return {
    ...{ equations, kept, dependent, exact: true, rank: rankOf(equations, kept) },
    inverse: once(() => factor.inverse().hi),
    inverseFactor: () => factor.inverseFactor().hi,
  };
}

function wideFactor(equations: NormalEquations, count: number): DesignFactor {
  const { matrix } = equations;
  const all = Array.from({ length: count }, (_, k) => k);
  const kept = all.filter((column) => matrix.hi[column * (matrix.width + 1)] > 0);
  const outcome = once(() => {
    const square = new Float64Array(kept.length * kept.length);
    kept.forEach((i, k) => {
      kept.forEach((j, l) => {
        const ridge = k === l ? 1 + WIDE_RIDGE : 1;
        square[k * kept.length + l] = ridge * matrix.hi[i * matrix.width + j];
      });
    });
    return cholesky(createKernels(), square, kept.length);
  });
  // A real statistic is positive semidefinite, but this one may be invented.
  const none = () => new Float64Array(kept.length ** 2).fill(Number.POSITIVE_INFINITY);
  const found = (part: 'inverse' | 'inverseFactor') =>
    once(() => {
      const result = outcome();
      return 'factor' in result ? result.factor[part]() : none();
    });
  return {
    ...{ equations, kept, dependent: [], exact: false, rank: rankOf(equations, kept) },
    inverse: found('inverse'),
    inverseFactor: found('inverseFactor'),
  };
}

function rankOf({ layout }: NormalEquations, kept: readonly number[]): number {
  return kept.length + (layout.intercept ? 1 : 0);
}

/** The result of some work, which is done when it is first asked for. */
function once<T>(work: () => T): () => T {
  let done: { readonly result: T } | undefined;
  return () => {
    done ??= { result: work() };
    return done.result;
  };
}
