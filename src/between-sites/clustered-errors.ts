import type { Failure } from '../failure.ts';
import type { CoefficientErrors, Fit } from '../model/fit.ts';
import { type DdArray, ddArray, ddAt, ddDot, ddSet } from '../numeric/dd-matrix.ts';
import { dd, ddAdd, ddDivide, ddMultiply, ddScale, ddSubtract } from '../numeric/double-double.ts';
import { crossProducts } from '../solve/normal-equations.ts';
import { siteColumn } from '../statistic/site-columns.ts';
import type { LinearSiteStatistic } from '../statistic/site-statistics.ts';
import { rowCount } from '../statistic/statistic.ts';
import { residualForm } from './residual-form.ts';

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
  const classical = fit.models[response].residualSumOfSquares / (rows - spent);
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
  if (fit.solution.factored === undefined || fit.lasso !== undefined || fit.glm !== undefined) {
    const remedy = 'use a linear model with few enough columns to factor, without a lasso';
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
  const { equations, solution, total } = fit;
  const { layout, equilibration, means, predictors, weightSum } = equations;
  const { kept, factored } = solution;
  const sums = crossProducts(statistic);
  const own = sums.width - 1 - statistic.layout.responses;
  const form = residualForm(fit, response, statistic.layout, site);
  const score = (column: number) => ddDot(sums, column * sums.width, form, 0, sums.width);
  const constant = score(0);
  const scoreOf = (column: number) => {
    if (column < own) return score(column + 1);
    return total.layout.columns[column + 1] === siteColumn(site) ? constant : dd(0);
  };
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
