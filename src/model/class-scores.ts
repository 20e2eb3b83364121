import { ddAt } from '../numeric/dd-matrix.ts';
import { dd, ddAdd, ddMultiply, ddScale, ddSubtract } from '../numeric/double-double.ts';
import type { Solution } from '../solve/solution.ts';
import type { WithinClasses } from '../solve/within-classes.ts';

/** The linear score of a class, constant + Σ coefficient · term: the probability of the class is its share of exp(score). */
export interface ClassScore {
  readonly level: string;
  /** Rows, or the sum of their weights. */
  readonly n: number;
  readonly prior: number;
  readonly means: readonly number[];
  readonly constant: number;
  readonly coefficients: readonly number[];
}

/** Σ⁻¹ = this factor times the inverse of the scatter: the covariance is pooled over n − K rows. */
export function precision({ equations, weights }: WithinClasses): number {
  const { rows, responses } = equations;
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return (all * (rows - responses)) / rows;
}

/** Scores of normal classes from the solved scatter within them; `share` is the part of the scatter that was kept. */
export function classScores(
  within: WithinClasses,
  solution: Pick<Solution, 'kept' | 'coefficients'>,
  share = 1,
): ClassScore[] {
  const { equations, weights } = within;
  const { layout, matrix, equilibration, means } = equations;
  const factor = precision(within) / share;
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight, k) => {
    const target = equations.predictors + k;
    const prior = weight / all;
    let level = dd(Math.log(prior)); // computed from the rounded coefficients, to compensate their rounding
    let square = 0;
    const own: number[] = [];
    const coefficients = solution.kept.map((column, place) => {
      const { center, scale } = layout.references[column + 1];
      const beta = solution.coefficients[k].hi[place] * equilibration[column] * factor;
      const departure = matrix.hi[target * matrix.width + column] / equilibration[column];
      const slope = beta / scale;
      own.push(center + scale * (means.hi[column] + departure));
      const mean = ddAdd(dd(center), ddScale(ddAt(means, column), scale));
      level = ddSubtract(level, ddMultiply(dd(slope), mean));
      square += beta * departure;
      return slope;
    });
    return {
      level: layout.columns[target + 1],
      n: weight * (layout.weightScale ?? 1) ** 2,
      prior,
      means: own,
      constant: ddSubtract(level, dd(square / 2)).hi,
      coefficients,
    };
  });
}
