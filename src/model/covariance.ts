import { type DdMatrix, ddArray, ddAt, ddDot, ddMatrix, ddSet } from '../numeric/dd-matrix.ts';
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

/** What Var(b)/σ² is computed from. */
export interface Solved {
  readonly equations: NormalEquations;
  readonly solution: Solution;
  /** Of each equilibrated predictor; all zero for least squares. */
  readonly penalty: Float64Array;
}

/**
 * Var(b)/σ² in the user's units, row-major over a model's terms (the intercept first where there is
 * one): (XᵀWX)⁻¹ for least squares, (S + P)⁻¹ S (S + P)⁻¹ under a penalty, whose bias it ignores.
 * Undefined where the problem was too wide to factor.
 */
export function unscaledCovariance({
  equations,
  solution,
  penalty,
}: Solved): Float64Array | undefined {
  const { factored, kept } = solution;
  if (factored === undefined) return undefined;
  const { layout, equilibration, means, weightSum } = equations;
  const rank = kept.length;
  const first = layout.intercept ? 1 : 0;
  const width = rank + first;
  const slopes = penalty.some((p) => p > 0)
    ? sandwich(
        factored.inverse,
        kept.map((column) => penalty[column]),
      )
    : factored.inverse;
  const weightScale = layout.weightScale ?? 1;
  const toUser = kept.map((i) => equilibration[i] / (layout.references[i + 1].scale * weightScale));
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
  const mean = ddArray(rank);
  kept.forEach((i, k) => {
    const { center, scale } = layout.references[i + 1];
    const value = ddAdd(dd(center), ddScale(ddAt(means, i), scale));
    ddSet(mean, k, ddMultiply(value, dd(toUser[k])));
  });
  let level: DoubleDouble = dd(1 / weightSum);
  for (let k = 0; k < rank; k++) {
    const drift = ddDot(slopes, k * rank, mean, 0, rank);
    put(0, k + 1, ddNegate(drift).hi * toUser[k]);
    level = ddAdd(level, ddMultiply(drift, ddAt(mean, k)));
  }
  covariance[0] = level.hi;
  return covariance;
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
