import type { Failure } from '../failure.ts';
import { errorsOf } from '../model/errors.ts';
import type { Fit, SiteEffects } from '../model/fit.ts';
import { fTail } from '../numeric/distributions.ts';
import { leastSquares } from '../solve/least-squares.ts';
import { normalEquations } from '../solve/normal-equations.ts';
import { siteColumn } from '../statistic/site-columns.ts';
import type { LinearSiteStatistic } from '../statistic/site-statistics.ts';
import { type LinearStatistic, rowCount } from '../statistic/statistic.ts';
import { aliases } from './aliases.ts';

/** Most columns, site indicators included, that are factored. */
export const MOST_SITE_COLUMNS = 1500;

/** Why sites cannot have fixed effects here; undefined where they can. */
export function refuseFixedEffects(
  siteStatistics: readonly LinearSiteStatistic[],
): Failure | undefined {
  const sites = siteStatistics.filter(({ statistic }) => rowCount(statistic) > 0).length;
  if (sites < 2) {
    const remedy = 'wait for another site, or leave the sites without effects';
    return { problem: 'fixed effects need at least two sites with rows', remedy };
  }
  const width = siteStatistics[0].statistic.layout.columns.length + siteStatistics.length - 1;
  if (width <= MOST_SITE_COLUMNS) return undefined;
  return {
    problem: `an indicator for each of ${siteStatistics.length} sites makes ${width} columns, above ${MOST_SITE_COLUMNS}`,
    remedy: 'use a random intercept of the sites (random), which needs no columns',
  };
}

/**
 * F of all sites together, by least squares, and how far each site's intercept lies from the mean of all sites. `fit` was
 * resolved from `withSiteColumns`, `pooled` without; a site whose departure is not estimable is left out.
 */
export function fixedEffects(
  fit: Fit,
  pooled: Fit,
  siteStatistics: readonly LinearSiteStatistic[],
  response = 0,
): SiteEffects | Failure {
  const refused = refuseFixedEffects(siteStatistics);
  if (refused !== undefined) return refused;
  const [large, small] = [plain(fit, response), plain(pooled, response)];
  const df = large.rank - small.rank;
  const freedom = fit.equations.rows - large.rank - (fit.equations.layout.intercept ? 1 : 0);
  if (!(df > 0 && freedom > 0 && large.residual > 0)) {
    return {
      problem: 'the effects of the terms and of the sites cannot be separated',
      remedy: 'drop terms that are constant within sites, or use a random intercept (random)',
    };
  }
  const statistic = (small.residual - large.residual) / df / (large.residual / freedom);
  return {
    kind: 'fixed',
    statistic,
    df,
    'df.residual': freedom,
    'p.value': fTail(statistic, df, freedom),
    sites: departures(fit, siteStatistics, response),
  };
}

/** Residual sum of squares, in the user's units, and rank of the slopes, both without a penalty. */
function plain(
  { total, models, penalty, solution }: Fit,
  response: number,
): { residual: number; rank: number } {
  if (penalty.every((p) => p === 0)) {
    return { residual: models[response].residualSumOfSquares, rank: solution.kept.length };
  }
  return plainOf(total, models[response].responseUnit, response);
}

function plainOf(
  total: LinearStatistic,
  unit: number,
  r: number,
): { residual: number; rank: number } {
  const equations = normalEquations(total);
  const solved = leastSquares(equations, new Float64Array(equations.predictors));
  if ('problem' in solved) return { residual: 0, rank: 0 };
  return { residual: solved.residual.hi[r] * unit ** 2, rank: solved.kept.length };
}

function departures(
  fit: Fit,
  siteStatistics: readonly LinearSiteStatistic[],
  response: number,
): SiteEffects['sites'][number][] {
  const { terms, estimates } = fit.models[response];
  const { layout } = fit.total;
  const errors = errorsOf(fit, response);
  const related = aliases(fit.equations, fit.solution);
  const names = siteStatistics
    .filter(({ statistic }) => rowCount(statistic) > 0)
    .map(({ site }) => site)
    .sort();
  const share = 1 / names.length;
  return names.flatMap((site) => {
    const weight = (name: string) => (name === site ? 1 : 0) - share;
    const weights = new Map(names.map((name) => [siteColumn(name), weight(name)]));
    const contrast = terms.map((term) => weights.get(term) ?? 0);
    const slopes = layout.intercept ? contrast.slice(1) : contrast;
    // Estimable where each aliased column has the weight that its combination of kept columns implies.
    const estimable = related.every(({ column, coefficients }) => {
      const implied = coefficients.reduce((sum, c, k) => sum + c * slopes[k], 0);
      return Math.abs((weights.get(layout.columns[column + 1]) ?? 0) - implied) < 1e-6;
    });
    if (!estimable) return [];
    const estimate = contrast.reduce((sum, c, k) => sum + c * estimates[k], 0);
    if (errors === undefined) return [{ site, estimate }];
    let variance = 0;
    contrast.forEach((a, i) => {
      contrast.forEach((b, j) => {
        variance += a * b * errors.covariance[i * terms.length + j];
      });
    });
    return [{ site, estimate, 'std.error': Math.sqrt(Math.max(0, variance)) }];
  });
}
