import type { Failure } from '../failure.ts';
import type { CoefficientErrors, Fit } from '../model/fit.ts';
import { ddDot } from '../numeric/dd-matrix.ts';
import { dd } from '../numeric/double-double.ts';
import { crossProducts } from '../solve/normal-equations.ts';
import { siteColumn } from '../statistic/site-columns.ts';
import type { LinearSiteStatistic } from '../statistic/site-statistics.ts';
import { rowCount } from '../statistic/statistic.ts';
import { residualForm } from './residual-form.ts';
import { scoreMove } from './score-move.ts';

/**
 * Standard errors robust to any correlation and any unequal variance within sites: A⁻¹(Σ g_k g_kᵀ)A⁻¹ with a site's
 * score g_k = X_kᵀW(y_k − X_k b) and t on K − 1 degrees of freedom (Liang & Zeger 1986); HC1 multiplies by
 * K/(K − 1)·(n − 1)/(n − p), as sandwich::vcovCL. With K sites the matrix has rank at most K − 1.
 */
export function clusteredErrors(
  fit: Fit,
  response: number,
  siteStatistics: readonly LinearSiteStatistic[],
  kind: 'HC0' | 'HC1',
): CoefficientErrors | Failure {
  // Sorted by name, so that floating sums do not depend on the order of arrival.
  const filled = siteStatistics
    .filter(({ statistic }) => rowCount(statistic) > 0)
    .sort((a, b) => (a.site < b.site ? -1 : 1));
  const refused = refusal(fit, filled.length);
  if (refused !== undefined) return refused;
  const { rows, effectiveSlopes, intercept, terms } = fit.models[response];
  const sites = filled.length;
  const spent = effectiveSlopes + (intercept ? 1 : 0);
  if (kind === 'HC1' && !(rows > spent)) {
    return { problem: 'no row is left over', remedy: 'use fewer terms, or wait for more rows' };
  }
  const factor = kind === 'HC0' ? 1 : (sites / (sites - 1)) * ((rows - 1) / (rows - spent));
  const width = terms.length;
  const covariance = new Float64Array(width * width);
  for (const siteStatistic of filled) {
    const move = siteMove(fit, response, siteStatistic);
    for (let i = 0; i < width; i++) {
      for (let j = 0; j < width; j++) covariance[i * width + j] += factor * move[i] * move[j];
    }
  }
  const classical =
    fit.glm === undefined ? fit.models[response].residualSumOfSquares / (rows - spent) : 1;
  fit.models[response].unscaledVariances.forEach((unscaled, k) => {
    if (!(covariance[k * (width + 1)] <= ROUNDING * classical * unscaled)) return;
    for (let j = 0; j < width; j++) covariance[k * width + j] = covariance[j * width + k] = 0;
  });
  return { kind: 'clustered', covariance, freedom: sites - 1 };
}

/** Share of the classical variance that is rounding: with site intercepts, the residuals of a site sum to 0. */
const ROUNDING = 1e-24;

function refusal(fit: Fit, sites: number): Failure | undefined {
  if (sites < 2) {
    const remedy = 'wait for another site, or use classical errors';
    return { problem: 'errors clustered by site need at least two sites with rows', remedy };
  }
  if (fit.siteEffects !== undefined && fit.siteEffects.kind !== 'fixed') {
    const remedy = 'use fixed effects of the sites, or none';
    return { problem: 'a random intercept already describes the correlation within sites', remedy };
  }
  if (fit.solution.factored === undefined || fit.lasso !== undefined) {
    const remedy = 'use a model with few enough columns to factor, without a lasso';
    return { problem: 'this fit has no inverse to build clustered errors on', remedy };
  }
  return undefined;
}

/** A⁻¹ g_k in the user's units: how far the site's residuals move the coefficients. */
function siteMove(
  fit: Fit,
  response: number,
  { site, statistic }: LinearSiteStatistic,
): Float64Array {
  const sums = crossProducts(statistic);
  const own = sums.width - 1 - statistic.layout.responses;
  const form = residualForm(fit, response, statistic.layout, site);
  const score = (column: number) => ddDot(sums, column * sums.width, form, 0, sums.width);
  const constant = score(0);
  return scoreMove(fit, response, constant, (column) => {
    if (column < own) return score(column + 1);
    return fit.total.layout.columns[column + 1] === siteColumn(site) ? constant : dd(0);
  });
}
