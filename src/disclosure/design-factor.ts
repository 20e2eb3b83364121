import { cholesky } from '../numeric/cholesky.ts';
import { ddCholesky } from '../numeric/dd-cholesky.ts';
import { createKernels } from '../numeric/kernels.ts';
import { type NormalEquations, normalEquations } from '../solve/normal-equations.ts';
import { isRounding } from '../solve/rounding.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';

/** The predictors of a statistic, factored once: what rank and leverage are read from. */
export interface DesignFactor {
  readonly equations: NormalEquations;
  /** Predictors that carry something of their own, by their place behind the constant. */
  readonly kept: readonly number[];
  /** Predictors that vary and still follow from those before them. */
  readonly dependent: readonly string[];
  /** Of the kept predictors, centred and equilibrated; row-major. */
  readonly inverse: Float64Array;
  /** Rank of the model matrix, the constant included; at least what it is. */
  readonly rank: number;
}

/** Up to here dependent columns are told from nearly dependent ones. */
const EXACT_WIDTH = 256;
/** Above, this share of a column's squares is added to its own: leverages come out smaller by about as little. */
const WIDE_RIDGE = 2 ** -30;

const factors = new WeakMap<LinearStatistic, DesignFactor>();

/** The factor of a statistic, made once however often it is asked for. */
export function designFactor(statistic: LinearStatistic): DesignFactor {
  const factor = factors.get(statistic) ?? factored(statistic);
  factors.set(statistic, factor);
  return factor;
}

function factored(statistic: LinearStatistic): DesignFactor {
  const equations = normalEquations(statistic);
  const { layout, matrix, predictors } = equations;
  const constant = layout.intercept ? 1 : 0;
  if (predictors <= EXACT_WIDTH) {
    const { kept, aliased, inverse } = ddCholesky(matrix, predictors, isRounding(equations));
    const dependent = aliased
      .filter((column) => matrix.hi[column * (matrix.width + 1)] > 0)
      .map((column) => layout.columns[column + 1]);
    return { equations, kept, dependent, inverse: inverse().hi, rank: kept.length + constant };
  }
  const all = Array.from({ length: predictors }, (_, k) => k);
  const kept = all.filter((column) => matrix.hi[column * (matrix.width + 1)] > 0);
  const square = new Float64Array(kept.length * kept.length);
  kept.forEach((i, k) => {
    kept.forEach((j, l) => {
      const ridge = k === l ? 1 + WIDE_RIDGE : 1;
      square[k * kept.length + l] = ridge * matrix.hi[i * matrix.width + j];
    });
  });
  const outcome = cholesky(createKernels(), square, kept.length);
  // A statistic is positive semidefinite, but what is checked here may have been made up.
  const inverse =
    'factor' in outcome
      ? outcome.factor.inverse()
      : new Float64Array(square.length).fill(Number.POSITIVE_INFINITY);
  return { equations, kept, dependent: [], inverse, rank: kept.length + constant };
}
