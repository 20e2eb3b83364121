import type { Failure } from '../failure.ts';
import { isPenalised } from '../model/errors.ts';
import type { Fit } from '../model/fit.ts';
import { leastSquaresFit } from '../model/least-squares-fit.ts';
import { ddCholesky } from '../numeric/dd-cholesky.ts';
import { ddArray, ddAt, ddDot, ddMatrix, ddSet } from '../numeric/dd-matrix.ts';
import { restrict } from '../statistic/restrict.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import type { QueryInput } from './query-input.ts';

/** A least squares fit, without site effects or chosen penalties. */
export type PlainFit = Pick<Fit, 'total' | 'equations' | 'solution' | 'models' | 'penalty'>;

/** Whether the fit minimises the plain sum of squares over the sites' rows. */
export function isLeastSquares(fit: Fit): boolean {
  return (
    !isPenalised(fit) &&
    fit.glm === undefined &&
    (fit.siteEffects === undefined || fit.siteEffects.kind === 'fixed')
  );
}

/** The fit itself where it is least squares, otherwise least squares over the pooled rows. */
export function plainFit({ fit, total }: QueryInput): PlainFit | Failure {
  return isLeastSquares(fit) ? fit : leastSquaresFit(total);
}

/** Least squares without some predictors, given by index in the normal equations. */
export function withoutColumns(
  total: LinearStatistic,
  gone: readonly number[],
): PlainFit | Failure {
  const kept = total.layout.columns.flatMap((_, index) =>
    gone.includes(index - 1) ? [] : [index],
  );
  return leastSquaresFit(restrict(total, kept));
}

/** What some predictors explain beyond the others: their rank, and their extra sum of squares. */
export interface Explained {
  readonly df: number;
  readonly sumsq: number;
}

/**
 * The extra sum of squares of these predictors, bᵀ((S⁻¹)ₜₜ)⁻¹b in double-double; where columns are aliased,
 * by a second fit, because without some columns others may no longer be aliased (as R's drop1).
 */
export function explainedBy(
  fit: PlainFit,
  response: number,
  columns: readonly number[],
): Explained | Failure {
  const { solution, models } = fit;
  const model = models[response];
  if (columns.length === 0) return { df: 0, sumsq: 0 };
  if (solution.aliased.length === 0 && solution.factored !== undefined) {
    const { inverse } = solution.factored;
    const width = columns.length;
    const block = ddMatrix(width);
    const beta = ddArray(width);
    columns.forEach((column, i) => {
      ddSet(beta, i, ddAt(solution.coefficients[response], column));
      columns.forEach((other, j) => {
        ddSet(block, i * width + j, ddAt(inverse, column * inverse.width + other));
      });
    });
    const factor = ddCholesky(block, width, () => false);
    if (factor.aliased.length === 0) {
      const white = factor.forward(beta);
      return { df: width, sumsq: ddDot(white, 0, white, 0, width).hi * model.responseUnit ** 2 };
    }
  }
  const rest = withoutColumns(fit.total, columns);
  if ('problem' in rest) return rest;
  const smaller = rest.models[response];
  const df = model.terms.length - smaller.terms.length;
  const gained = smaller.residualSumOfSquares - model.residualSumOfSquares;
  return { df, sumsq: df === 0 ? 0 : Math.max(0, gained) };
}
