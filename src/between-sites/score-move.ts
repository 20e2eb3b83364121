import type { Fit } from '../model/fit.ts';
import { type DdArray, ddArray, ddAt, ddDot, ddSet } from '../numeric/dd-matrix.ts';
import {
  type DoubleDouble,
  dd,
  ddAdd,
  ddDivide,
  ddMultiply,
  ddScale,
  ddSubtract,
} from '../numeric/double-double.ts';

/**
 * A⁻¹g in the user's units, over the model's terms: how far a score g moves the coefficients. `scoreOf` gives the entry of a
 * predictor by its index in the normal equations, `constant` that of the constant; both in units of the references.
 */
export function scoreMove(
  { equations, solution }: Fit,
  response: number,
  constant: DoubleDouble,
  scoreOf: (column: number) => DoubleDouble,
): Float64Array {
  const { layout, equilibration, means, predictors, weightSum } = equations;
  const { kept, factored } = solution;
  const rank = kept.length;
  const scores: DdArray = ddArray(rank);
  kept.forEach((column, k) => {
    const centred = ddSubtract(scoreOf(column), ddMultiply(ddAt(means, column), constant));
    ddSet(scores, k, ddScale(centred, equilibration[column]));
  });
  const unit = layout.references[predictors + response + 1].scale;
  const weightScale = layout.weightScale ?? 1;
  const slopes = kept.map((column, k) => {
    const { scale } = layout.references[column + 1];
    const move = ddDot(factored!.inverse, k * rank, scores, 0, rank);
    return ddScale(move, (equilibration[column] * unit) / scale);
  });
  if (!layout.intercept) return Float64Array.from(slopes, ({ hi }) => hi);
  let level = ddScale(ddDivide(constant, dd(weightSum / weightScale ** 2)), unit);
  kept.forEach((column, k) => {
    const { center, scale } = layout.references[column + 1];
    const mean = ddAdd(dd(center), ddScale(ddAt(means, column), scale));
    level = ddSubtract(level, ddMultiply(slopes[k], mean));
  });
  return Float64Array.of(level.hi, ...slopes.map(({ hi }) => hi));
}
