import { defined } from '../defined.ts';
import type { Failure } from '../failure.ts';
import type { EstimateFit } from '../model/estimate-fit.ts';
import type { CoefficientErrors } from '../model/fit.ts';
import { dd, ddAdd, ddMultiply } from '../numeric/double-double.ts';
import { type Estimate, estimatesOf } from '../statistic/estimate.ts';
import { bytesOf } from '../statistic/layout.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import type { LinearSiteStatistic } from '../statistic/site-statistics.ts';
import { type LinearStatistic, rowCount } from '../statistic/statistic.ts';
import type { EstimateFusion } from '../study/study.ts';
import { averageWeights, fescWeights } from './fesc-weights.ts';
import { inUserUnits, userCovariance } from './public-units.ts';
import { siteSpread } from './site-spread.ts';

/**
 * The coordinator's half of an average: Σ wᵢθᵢ, wᵢ by rows or by FESC. The total already has the plain average and
 * its covariance; FESC needs the sites one by one. The result does not depend on the order of the sites.
 */
export function resolveEstimates(
  total: LinearStatistic,
  fusion: EstimateFusion,
  siteStatistics: readonly LinearSiteStatistic[] | undefined,
): EstimateFit | Failure {
  if (siteStatistics === undefined) return hidden;
  const { layout } = total;
  const sites = siteStatistics
    .map(({ site, statistic }) => ({ site, statistic, n: rowCount(statistic) }))
    .filter(({ n }) => n > 0)
    .sort((a, b) => (a.site < b.site ? -1 : 1));
  if (sites.length === 0) return empty;
  const sizes = sites.map(({ n }) => n);
  const weights = fusion.kind === 'average' ? averageWeights(sizes) : fescWeights(sizes);
  const own = sites.map(({ statistic }) => estimatesOf(statistic));
  const plain = fusion.kind === 'average' ? estimatesOf(total) : undefined;
  return {
    kind: fusion.kind,
    rows: rowCount(total),
    ridge: fusion.ridge ?? 0,
    models: Array.from({ length: layout.responses }, (_, response) => {
      const estimates = own.map((site) => site[response]);
      const average = plain?.[response] ?? weighted(estimates, weights);
      const errors = errorsOf(average, estimates, weights);
      return {
        response: layout.columns[layout.columns.length - layout.responses + response],
        ...inUserUnits(average.coefficients, layout, response),
        ...defined({
          errors: errors && {
            ...errors,
            covariance: userCovariance(errors.covariance, layout, response),
          },
        }),
      };
    }),
    weights: sites.map(({ site, n }, k) => ({ site, n, weight: weights[k] })),
    ...sentBytes(layout),
  };
}

const hidden: Failure = {
  problem: 'this study hides its sites: only their sum is known',
  remedy: 'an average of the sites’ own estimates needs plain aggregation',
};

const empty: Failure = {
  problem: 'no rows are left',
  remedy: 'every row had a missing cell in a column the formula uses',
};

/** Σ wᵢθᵢ and, where sites sent covariances, Σ wᵢ²Vᵢ. */
function weighted(estimates: readonly Estimate[], weights: Float64Array): Estimate {
  const sum = (numbers: (estimate: Estimate) => Float64Array, power: 1 | 2) =>
    numbers(estimates[0]).map(
      (_, k) =>
        estimates.reduce(
          (total, estimate, site) =>
            ddAdd(total, ddMultiply(dd(weights[site] ** power), dd(numbers(estimate)[k]))),
          dd(0),
        ).hi,
    );
  const coefficients = sum((estimate) => estimate.coefficients, 1);
  if (estimates[0].covariance === undefined) return { coefficients };
  return { coefficients, covariance: sum(({ covariance }) => covariance!, 2) };
}

/** From the covariances that the sites sent, or else from the spread between the sites. */
function errorsOf(
  { coefficients, covariance }: Estimate,
  estimates: readonly Estimate[],
  weights: Float64Array,
): CoefficientErrors | undefined {
  if (covariance !== undefined) {
    return { kind: 'within-sites', covariance, freedom: Number.POSITIVE_INFINITY };
  }
  const spread = siteSpread(estimates, weights, coefficients);
  return spread && { kind: 'between-sites', ...spread };
}

function sentBytes({
  estimate,
  ...exact
}: LinearLayout): Pick<EstimateFit, 'bytes' | 'exactBytes'> {
  return { bytes: bytesOf({ ...exact, estimate: estimate! }), exactBytes: bytesOf(exact) };
}
