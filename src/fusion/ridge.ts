import { clusteredErrors } from '../between-sites/clustered-errors.ts';
import { fixedEffects, refuseFixedEffects } from '../between-sites/fixed-effects.ts';
import { resolveRandom } from '../between-sites/random-intercept.ts';
import type { Failure } from '../failure.ts';
import type { CoefficientErrors, Fit } from '../model/fit.ts';
import { withSiteColumns } from '../statistic/site-columns.ts';
import type { LinearSiteStatistic } from '../statistic/site-statistics.ts';
import { type LinearStatistic, rowCount } from '../statistic/statistic.ts';
import type { RidgeFusion } from '../study/study.ts';
import { resolvePenalised } from './penalised.ts';

/** Linear regression from a total: the coordinator's half of the main fusion. */
export function resolveRidge(
  total: LinearStatistic,
  fusion: RidgeFusion,
  siteStatistics?: readonly LinearSiteStatistic[],
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
    return resolvePenalised(total, fusion, siteStatistics);
  }
  if (siteStatistics === undefined) return hidden;
  const resolve = () => {
    if (siteEffects === undefined) return resolvePenalised(total, fusion, siteStatistics);
    if (siteEffects === 'fixed') return resolveFixed(total, siteStatistics);
    return resolveRandom(total, siteStatistics, siteEffects);
  };
  const fit = resolve();
  return 'problem' in fit || errors !== 'clustered' ? fit : withClusters(fit, siteStatistics);
}

const hidden: Failure = {
  problem: 'this study hides its sites: only their sum is known',
  remedy: 'site effects and clustered errors need plain aggregation',
};

/** Refuses options that exclude each other. */
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

function withClusters(fit: Fit, siteStatistics: readonly LinearSiteStatistic[]): Fit | Failure {
  const errors: CoefficientErrors[] = [];
  for (const response of fit.models.keys()) {
    const found = clusteredErrors(fit, response, siteStatistics, 'HC1');
    if ('problem' in found) return found;
    errors.push(found);
  }
  return { ...fit, errors };
}

/** Least squares with an intercept for each site, tested against the model with one intercept. */
function resolveFixed(
  total: LinearStatistic,
  siteStatistics: readonly LinearSiteStatistic[],
): Fit | Failure {
  const refused = refuseFixedEffects(siteStatistics);
  if (refused !== undefined) return refused;
  const plain = { kind: 'ridge', ridge: 0 } as const;
  const fit = resolvePenalised(withSiteColumns(siteStatistics), plain);
  const pooled = resolvePenalised(total, plain);
  if ('problem' in fit) return fit;
  if ('problem' in pooled) return pooled;
  if (fit.models.length > 1) return fit; // a report has no place for one test per response
  const siteEffects = fixedEffects(fit, pooled, siteStatistics);
  return 'problem' in siteEffects ? siteEffects : { ...fit, siteEffects };
}
