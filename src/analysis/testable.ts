import type { Failure } from '../failure.ts';
import { isPenalised } from '../model/errors.ts';
import type { Evidence } from './evidence.ts';

/** Why coefficients cannot be tested: they are shrunk, or nothing is left over. Undefined where they can. */
export function untestable({ fit, response }: Evidence): Failure | undefined {
  if (isPenalised(fit)) {
    return {
      problem: 'penalised coefficients are biased, so that tests of them do not hold',
      remedy: 'ask for least squares (a ridge of 0): the same contributions answer it',
    };
  }
  const model = fit.models[response];
  if (fit.errors?.[response] === undefined && model.rows <= model.terms.length) {
    return {
      problem: `${model.rows} rows leave nothing to judge ${model.terms.length} coefficients by`,
      remedy: 'use fewer terms, or wait for more rows',
    };
  }
  if (fit.glm === undefined && model.residualSumOfSquares === 0) {
    return {
      problem: 'the fit is perfect: no residual is left to judge coefficients by',
      remedy: 'the response may be a combination of the columns; see whether it is meant to be',
    };
  }
  return undefined;
}

/** Whether a row-major covariance has a variance for everything it is about. */
export function isJudged(covariance: Float64Array): boolean {
  const width = Math.sqrt(covariance.length);
  for (let k = 0; k < width; k++) if (!(covariance[k * (width + 1)] > 0)) return false;
  return true;
}

/** What is said of combinations that errors clustered by site have no variance for. */
export const unjudged: Failure = {
  problem: 'these errors have no variance for what was asked',
  remedy: 'use classical errors, or ask about a term that varies within sites',
};
