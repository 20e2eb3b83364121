import { clusteredErrors } from '../across/clustered-errors.ts';
import { resolveRandom } from '../across/random-intercept.ts';
import type { Failure } from '../failure.ts';
import type { CoefficientErrors } from '../model/errors.ts';
import type { Fit } from '../model/fit.ts';
import type { LinearPart } from '../statistic/site-part.ts';
import { type LinearStatistic, rowCount } from '../statistic/statistic.ts';
import type { RidgeFusion } from '../study/study.ts';
import { resolveFixed } from './fixed.ts';
import { resolvePenalised } from './penalised.ts';

/** Linear regression from a total: the coordinator's half of the main fusion. */
export function resolveRidge(
  total: LinearStatistic,
  fusion: RidgeFusion,
  parts?: readonly LinearPart[],
): Fit | Failure {
  if (rowCount(total) === 0) {
    return {
      problem: 'no rows are left',
      remedy: 'every row had a missing cell in a column the formula uses',
    };
  }
  const clash = clashOf(fusion);
  if (clash !== undefined) return clash;
  const { siteEffects, errors } = fusion;
  if (siteEffects === undefined && errors !== 'clustered') {
    return resolvePenalised(total, fusion, parts);
  }
  if (parts === undefined) return hidden;
  const fit =
    siteEffects === undefined
      ? resolvePenalised(total, fusion, parts)
      : siteEffects === 'fixed'
        ? resolveFixed(total, parts)
        : resolveRandom(total, parts, siteEffects);
  return 'problem' in fit || errors !== 'clustered' ? fit : withClusters(fit, parts);
}

const hidden: Failure = {
  problem: 'this study hides its sites: only their sum is known',
  remedy: 'site effects and clustered errors need plain aggregation',
};

/** Wishes that do not go together. */
function clashOf({ siteEffects, ridge, lasso, errors }: RidgeFusion): Failure | undefined {
  if (siteEffects !== undefined && (ridge !== 0 || lasso !== undefined)) {
    return {
      problem: 'site effects and a penalty do not go together',
      remedy: 'leave out one of them',
    };
  }
  if (errors !== 'clustered') return undefined;
  if (siteEffects === 'random' || siteEffects === 'random-ml') {
    return {
      problem: 'a random intercept already accounts for correlation within sites',
      remedy: 'take clustered errors or a random intercept, not both',
    };
  }
  if (lasso === undefined) return undefined;
  return { problem: 'a lasso has no standard errors', remedy: 'leave out the clustered errors' };
}

function withClusters(fit: Fit, parts: readonly LinearPart[]): Fit | Failure {
  const errors: CoefficientErrors[] = [];
  for (const response of fit.models.keys()) {
    const found = clusteredErrors(fit, response, parts, 'HC1');
    if ('problem' in found) return found;
    errors.push(found);
  }
  return { ...fit, errors };
}
