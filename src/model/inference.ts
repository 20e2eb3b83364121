import { fTail, studentQuantile, studentTail } from '../numeric/distributions.ts';
import type { LinearModel } from './linear-model.ts';

/** One line of the coefficient table, under broom's names; inference is absent under a penalty. */
export interface TermRow {
  readonly term: string;
  readonly estimate: number;
  readonly 'std.error'?: number;
  readonly statistic?: number;
  readonly 'p.value'?: number;
  readonly 'conf.low'?: number;
  readonly 'conf.high'?: number;
  readonly vif?: number;
}

/** The fit in one line, under broom's names. */
export interface Glance {
  readonly 'r.squared': number;
  readonly 'adj.r.squared'?: number;
  readonly sigma?: number;
  readonly statistic?: number;
  readonly 'p.value'?: number;
  readonly df?: number;
  readonly logLik?: number;
  readonly AIC?: number;
  readonly BIC?: number;
  readonly deviance: number;
  readonly 'df.residual'?: number;
  readonly nobs: number;
}

const CONFIDENCE = 0.95;

/** The coefficient table of an unpenalised fit. */
export function termTable(model: LinearModel): TermRow[] {
  const freedom = residualFreedom(model);
  const sigma = Math.sqrt(model.residualSumOfSquares / freedom);
  const reach = freedom > 0 ? studentQuantile((1 + CONFIDENCE) / 2, freedom) : Number.NaN;
  return model.terms.map((term, k) => {
    const estimate = model.estimates[k];
    const row: TermRow = { term, estimate };
    if (!(freedom > 0)) return row;
    const error = sigma * Math.sqrt(model.unscaledVariances[k]);
    const statistic = estimate / error;
    const vif = model.varianceInflation[k];
    return {
      ...row,
      'std.error': error,
      statistic,
      'p.value': studentTail(statistic, freedom),
      'conf.low': estimate - reach * error,
      'conf.high': estimate + reach * error,
      ...(model.intercept && Number.isFinite(vif) ? { vif } : {}),
    };
  });
}

/** Estimates alone: what a penalised fit can say without pretending to be unbiased. */
export function estimateTable(model: LinearModel): TermRow[] {
  return model.terms.map((term, k) => ({ term, estimate: model.estimates[k] }));
}

/** R², F, likelihood and information criteria as R's lm reports them. */
export function glance(model: LinearModel): Glance {
  const { rows: nobs, residualSumOfSquares: deviance, totalSumOfSquares } = model;
  const freedom = residualFreedom(model);
  const slopes = model.terms.length - (model.intercept ? 1 : 0);
  const rSquared = totalSumOfSquares > 0 ? 1 - deviance / totalSumOfSquares : 0;
  const base = { 'r.squared': rSquared, deviance, 'df.residual': freedom, nobs };
  if (!(freedom > 0)) return base;
  const sigma = Math.sqrt(deviance / freedom);
  const totalFreedom = nobs - (model.intercept ? 1 : 0);
  const logLik =
    0.5 *
    (model.logWeightSum - nobs * (Math.log(2 * Math.PI) + 1 - Math.log(nobs) + Math.log(deviance)));
  const parameters = model.terms.length + 1;
  const fit = {
    ...base,
    'adj.r.squared': 1 - (1 - rSquared) * (totalFreedom / freedom),
    sigma,
    logLik,
    AIC: -2 * logLik + 2 * parameters,
    BIC: -2 * logLik + Math.log(nobs) * parameters,
  };
  if (slopes === 0) return fit;
  const statistic = (totalSumOfSquares - deviance) / slopes / (deviance / freedom);
  return { ...fit, statistic, 'p.value': fTail(statistic, slopes, freedom), df: slopes };
}

/** R² and degrees of freedom of a penalised fit. */
export function penalisedGlance(model: LinearModel): Glance {
  const { residualSumOfSquares: deviance, totalSumOfSquares } = model;
  const freedom = model.rows - model.effectiveSlopes - (model.intercept ? 1 : 0);
  return {
    'r.squared': totalSumOfSquares > 0 ? 1 - deviance / totalSumOfSquares : 0,
    deviance,
    ...(Number.isNaN(freedom) ? {} : { 'df.residual': freedom }),
    nobs: model.rows,
  };
}

function residualFreedom(model: LinearModel): number {
  return model.rows - model.terms.length;
}
