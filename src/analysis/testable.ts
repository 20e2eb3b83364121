import type { Failure } from '../failure.ts';
import { isPenalised } from '../model/errors.ts';
import type { QueryInput } from './query-input.ts';

/** Why coefficients cannot be tested, if so: a penalty shrank them, or no degrees of freedom are left. */
export function untestable({ fit, response }: QueryInput): Failure | undefined {
  if (isPenalised(fit)) {
    return {
      problem: 'penalised coefficients are biased, so tests of them do not hold',
      remedy: 'ask for least squares (a ridge of 0): the same contributions answer it',
    };
  }
  const model = fit.models[response];
  if (fit.errors?.[response] === undefined && model.rows <= model.terms.length) {
    return {
      problem: `${model.rows} rows are too few to test ${model.terms.length} coefficients`,
      remedy: 'use fewer terms, or wait for more rows',
    };
  }
  if (fit.glm === undefined && model.residualSumOfSquares === 0) {
    return {
      problem: 'the fit is perfect: there is no residual to test coefficients against',
      remedy: 'the response may be a combination of the columns; check whether that is intended',
    };
  }
  return undefined;
}

/** Whether all variances of a row-major covariance are positive. */
export function hasVariances(covariance: Float64Array): boolean {
  const width = Math.sqrt(covariance.length);
  for (let k = 0; k < width; k++) if (!(covariance[k * (width + 1)] > 0)) return false;
  return true;
}

/** The failure for combinations whose variance, clustered by site, is 0. */
export const noVariances: Failure = {
  problem: 'the variance of this combination, clustered by site, is 0',
  remedy: 'use classical errors, or ask about a term that varies within sites',
};
