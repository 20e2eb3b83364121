import {
  type DdArray,
  type DdMatrix,
  ddArray,
  ddAt,
  ddDot,
  ddMatrix,
  ddSet,
} from '../numeric/dd-matrix.ts';
import {
  type DoubleDouble,
  dd,
  ddAdd,
  ddMultiply,
  ddNegate,
  ddScale,
} from '../numeric/double-double.ts';
import type { NormalEquations } from '../solve/normal-equations.ts';
import type { Solution } from '../solve/solution.ts';

/** The solved normal equations that Var(b)/σ² is computed from. */
export interface SolvedSystem {
  readonly equations: NormalEquations;
  readonly solution: Solution;
  /** Penalty on each equilibrated predictor; all zero for least squares. */
  readonly penalty: Float64Array;
}

/** Most slopes for which the sandwich of a penalised fit is computed: it takes O(p³) in double-double. */
const WIDEST_SANDWICH = 600;

/**
 * Var(b)/σ² in the user's units, row-major over a model's terms (the intercept first where there is
 * one): (XᵀWX)⁻¹ for least squares, (S + P)⁻¹ S (S + P)⁻¹ under a penalty, whose bias it ignores.
 * Undefined where the problem was too wide to factor, or under a penalty above 600 slopes.
 */
export function unscaledCovariance({
  equations,
  solution,
  penalty,
}: SolvedSystem): Float64Array | undefined {
  const { factored, kept } = solution;
  if (factored === undefined) return undefined;
  const { layout, weightSum } = equations;
  const rank = kept.length;
  const first = layout.intercept ? 1 : 0;
  const width = rank + first;
  const penalised = penalty.some((p) => p > 0);
  if (penalised && rank > WIDEST_SANDWICH) return undefined;
  const slopes = penalised
    ? sandwich(
        factored.inverse,
        kept.map((column) => penalty[column]),
      )
    : factored.inverse;
  const toUser = userUnits(equations, kept);
  const covariance = new Float64Array(width * width);
  const put = (i: number, j: number, value: number) => {
    covariance[i * width + j] = value;
    covariance[j * width + i] = value;
  };
  for (let i = 0; i < rank; i++) {
    for (let j = i; j < rank; j++) {
      put(i + first, j + first, slopes.hi[i * rank + j] * toUser[i] * toUser[j]);
    }
  }
  if (first === 0) return covariance;
  // a = ȳ − Σ b x̄: Cov(a, b) = −Cov(b) x̄, in double-double because the terms cancel.
  const mean = scaledMeans(equations, kept, toUser);
  let level: DoubleDouble = dd(1 / weightSum);
  for (let k = 0; k < rank; k++) {
    const drift = ddDot(slopes, k * rank, mean, 0, rank);
    put(0, k + 1, ddNegate(drift).hi * toUser[k]);
    level = ddAdd(level, ddMultiply(drift, ddAt(mean, k)));
  }
  covariance[0] = level.hi;
  return covariance;
}

/** Factor from the slope of an equilibrated column to the user's units, weights included. */
function userUnits({ layout, equilibration }: NormalEquations, kept: readonly number[]): number[] {
  const weightScale = layout.weightScale ?? 1;
  return kept.map((i) => equilibration[i] / (layout.references[i + 1].scale * weightScale));
}

/** Means of the kept columns, in equilibrated units. */
function scaledMeans(
  { layout, means }: NormalEquations,
  kept: readonly number[],
  toUser: readonly number[],
): DdArray {
  const scaled = ddArray(kept.length);
  kept.forEach((i, k) => {
    const { center, scale } = layout.references[i + 1];
    const value = ddAdd(dd(center), ddScale(ddAt(means, i), scale));
    ddSet(scaled, k, ddMultiply(value, dd(toUser[k])));
  });
  return scaled;
}

/**
 * The diagonal of a penalised fit's Var(b)/σ² alone, in O(p²): Mₖₖ − Σ Pⱼ Mₖⱼ², and for the intercept
 * 1/Σw + (Mx̄)ᵀx̄ − (Mx̄)ᵀP(Mx̄). NaN where the difference is mostly rounding, or without a factor.
 */
export function penalisedVariances({ equations, solution, penalty }: SolvedSystem): Float64Array {
  const { layout, weightSum } = equations;
  const { kept, factored } = solution;
  const rank = kept.length;
  const first = layout.intercept ? 1 : 0;
  const variances = new Float64Array(rank + first).fill(Number.NaN);
  if (factored === undefined) return variances;
  const { inverse } = factored;
  const resolution = inverse.lo.some((rest) => rest !== 0) ? 2 ** -70 : 2 ** -22;
  const minus = (value: DoubleDouble, v: DdArray, start: number): number => {
    const weighted = ddArray(rank);
    kept.forEach((column, j) => {
      ddSet(weighted, j, ddMultiply(ddAt(v, start + j), dd(-penalty[column])));
    });
    const rest = ddAdd(value, ddDot(weighted, 0, v, start, rank)).hi;
    return rest > resolution * value.hi ? rest : Number.NaN;
  };
  const toUser = userUnits(equations, kept);
  for (let k = 0; k < rank; k++) {
    const rest = minus(ddAt(inverse, k * rank + k), inverse, k * rank);
    variances[k + first] = rest * toUser[k] ** 2;
  }
  if (first === 0) return variances;
  const mean = scaledMeans(equations, kept, toUser);
  const drift = ddArray(rank);
  for (let k = 0; k < rank; k++) ddSet(drift, k, ddDot(inverse, k * rank, mean, 0, rank));
  const leverage = ddAdd(dd(1 / weightSum), ddDot(drift, 0, mean, 0, rank));
  variances[0] = minus(leverage, drift, 0);
  return variances;
}

/** (S + P)⁻¹ S (S + P)⁻¹ = M − M P M for M = (S + P)⁻¹. */
function sandwich(inverse: DdMatrix, penalty: readonly number[]): DdMatrix {
  const rank = inverse.width;
  const weighted = ddMatrix(rank);
  for (let i = 0; i < rank; i++) {
    for (let j = 0; j < rank; j++) {
      ddSet(weighted, i * rank + j, ddMultiply(ddAt(inverse, i * rank + j), dd(-penalty[j])));
    }
  }
  const result = ddMatrix(rank);
  for (let i = 0; i < rank; i++) {
    for (let j = i; j < rank; j++) {
      const correction = ddDot(weighted, i * rank, inverse, j * rank, rank);
      const value = ddAdd(ddAt(inverse, i * rank + j), correction);
      ddSet(result, i * rank + j, value);
      ddSet(result, j * rank + i, value);
    }
  }
  return result;
}
