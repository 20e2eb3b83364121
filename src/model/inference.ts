import { fTail } from '../numeric/distributions.ts';
import { criticalValue, isPenalised, standardErrors, twoSided } from './errors.ts';
import type { CoefficientErrors, Fit, GeneralizedFit } from './fit.ts';
import type { LinearModel } from './linear-model.ts';
import { waldSquare, waldTest } from './wald.ts';

/**
 * One line of the coefficient table, under broom's names; tests and intervals are absent under a penalty and where the
 * error is 0.
 */
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

/** A coefficient of a column of the formula, where the model was fitted to mapped columns. */
export type OriginalRow = Pick<TermRow, 'term' | 'estimate' | 'std.error'>;

/** The fit in one line, under broom's names; fields that a kind of model does not have are absent. */
export interface Glance {
  readonly 'r.squared'?: number;
  readonly 'adj.r.squared'?: number;
  readonly sigma?: number;
  readonly statistic?: number;
  readonly 'p.value'?: number;
  readonly df?: number;
  readonly logLik?: number;
  readonly AIC?: number;
  readonly BIC?: number;
  readonly deviance?: number;
  readonly 'null.deviance'?: number;
  readonly 'df.residual'?: number;
  readonly nobs: number;
}

/** The line of a linear fit: R² and the residual sum of squares are always present. */
export interface LinearGlance extends Glance {
  readonly 'r.squared': number;
  readonly deviance: number;
}

const CONFIDENCE = 0.95;

/**
 * The coefficient table of one response: with t (or z, where the errors say so), p-values and 95 % intervals; with
 * standard errors only under a penalty; with estimates only where their errors are unknown.
 */
export function termTable(fit: Fit, response: number): TermRow[] {
  const model = fit.models[response];
  const known = standardErrors(fit, response);
  const penalised = isPenalised(fit);
  const width =
    known === undefined || penalised ? Number.NaN : criticalValue(CONFIDENCE, known.freedom);
  return model.terms.map((term, k) => {
    const estimate = model.estimates[k];
    const row: TermRow = { term, estimate };
    if (known === undefined || fit.glm?.separated?.includes(term)) return row;
    const error = known.errors[k];
    if (Number.isNaN(error)) return row;
    if (penalised || error === 0) return { ...row, 'std.error': error };
    const statistic = estimate / error;
    const vif = model.varianceInflation[k];
    return {
      ...row,
      'std.error': error,
      statistic,
      'p.value': twoSided(statistic, known.freedom),
      'conf.low': estimate - width * error,
      'conf.high': estimate + width * error,
      ...(model.intercept && Number.isFinite(vif) ? { vif } : {}),
    };
  });
}

/** The line of a fit, with the fields of its kind of model. */
export function glanceOf(fit: Fit, response: number): Glance {
  const model = fit.models[response];
  const { glm, siteEffects } = fit;
  if (glm !== undefined) return generalizedGlance(model, glm, isPenalised(fit));
  if (isPenalised(fit)) return penalisedGlance(model);
  if (siteEffects !== undefined && siteEffects.kind !== 'fixed') {
    return mixedGlance(model, siteEffects.kind, siteEffects.logLik);
  }
  const errors = fit.errors?.[response];
  return errors === undefined
    ? glance(model)
    : { ...withoutTest(model), ...robustTest(model, errors) };
}

/** R², F, likelihood and information criteria as R's lm reports them. */
export function glance(model: LinearModel): LinearGlance {
  const line = withoutTest(model);
  const { residualSumOfSquares: deviance, totalSumOfSquares } = model;
  const freedom = residualFreedom(model);
  const slopes = slopesOf(model);
  if (!(freedom > 0 && deviance > 0) || slopes === 0) return line;
  const statistic = (totalSumOfSquares - deviance) / slopes / (deviance / freedom);
  return { ...line, statistic, 'p.value': fTail(statistic, slopes, freedom), df: slopes };
}

function withoutTest(model: LinearModel): LinearGlance {
  const { rows: nobs, residualSumOfSquares: deviance } = model;
  const freedom = residualFreedom(model);
  const rSquared = rSquaredOf(model);
  const base = { 'r.squared': rSquared, deviance, 'df.residual': freedom, nobs };
  if (!(freedom > 0)) return base;
  const sigma = Math.sqrt(deviance / freedom);
  const totalFreedom = nobs - (model.intercept ? 1 : 0);
  const logLik =
    0.5 *
    (model.logWeightSum - nobs * (Math.log(2 * Math.PI) + 1 - Math.log(nobs) + Math.log(deviance)));
  return {
    ...base,
    'adj.r.squared': 1 - (1 - rSquared) * (totalFreedom / freedom),
    sigma,
    ...(deviance > 0 ? criteria(logLik, model.terms.length + 1, nobs) : {}),
  };
}

/** Wald F of all slopes together, for errors that are not classical. */
function robustTest(model: LinearModel, errors: CoefficientErrors): Partial<Glance> {
  const slopes = slopesOf(model);
  if (slopes === 0) return {};
  const width = model.terms.length;
  const first = width - slopes;
  const block = new Float64Array(slopes * slopes);
  for (let i = 0; i < slopes; i++) {
    const row = (i + first) * width + first;
    block.set(errors.covariance.subarray(row, row + slopes), i * slopes);
  }
  const square = waldSquare(model.estimates.subarray(first), block);
  return square === undefined ? {} : waldTest(square, slopes, errors.freedom);
}

/** R² and degrees of freedom of a penalised fit. */
function penalisedGlance(model: LinearModel): LinearGlance {
  const freedom = effectiveFreedom(model);
  return {
    'r.squared': rSquaredOf(model),
    deviance: model.residualSumOfSquares,
    ...(Number.isNaN(freedom) ? {} : { 'df.residual': freedom }),
    nobs: model.rows,
  };
}

/**
 * The likelihood of a logistic or Poisson regression, where it is known: expansions about different coefficients have no
 * common one. The null deviance needs the sums of the response alone.
 */
function generalizedGlance(model: LinearModel, glm: GeneralizedFit, penalised: boolean): Glance {
  const { rows: nobs } = model;
  const { family, logLik, weightSum } = glm;
  // Responses of 0 and 1 can be fitted perfectly; shares of successes, which have weights, cannot.
  const saturated = family === 'binomial' && weightSum === undefined ? 0 : glm.saturated;
  const nothing = nullLogLik(model, glm);
  const likelihood = glm.counted ?? logLik;
  return {
    nobs,
    'df.residual': penalised ? effectiveFreedom(model) : residualFreedom(model),
    ...(likelihood === undefined || logLik === undefined
      ? {}
      : penalised
        ? { logLik: likelihood }
        : criteria(likelihood, model.terms.length, nobs)),
    ...(saturated === undefined || nothing === undefined
      ? {}
      : { 'null.deviance': 2 * (saturated - nothing) }),
    ...(saturated === undefined || logLik === undefined
      ? {}
      : { deviance: 2 * (saturated - logLik) }),
  };
}

/** The log-likelihood of the intercept alone, or of η = 0 without one; beside an offset the intercept needs rounds of its own. */
function nullLogLik(
  { rows, intercept }: LinearModel,
  { family, responseSum, base, weightSum = rows, alone }: GeneralizedFit,
): number | undefined {
  if (alone !== undefined) return intercept ? undefined : alone;
  const timesLog = (count: number) => (count > 0 ? count * Math.log(count / weightSum) : 0);
  if (family === 'binomial') {
    return intercept
      ? timesLog(responseSum) + timesLog(weightSum - responseSum)
      : -weightSum * Math.LN2;
  }
  if (base === undefined) return undefined;
  return base + (intercept ? timesLog(responseSum) - responseSum : -weightSum);
}

/** σ and the likelihood of a model with a random intercept, its variances counted as parameters. */
function mixedGlance(
  model: LinearModel,
  kind: 'random' | 'random-ml',
  logLik: number | undefined,
): Glance {
  const { rows: nobs, residualSumOfSquares } = model;
  const freedom = residualFreedom(model);
  if (!(freedom > 0)) return { nobs };
  return {
    nobs,
    sigma: Math.sqrt(residualSumOfSquares / (kind === 'random' ? freedom : nobs)),
    ...(logLik === undefined ? {} : criteria(logLik, model.terms.length + 2, nobs)),
  };
}

function criteria(
  logLik: number,
  parameters: number,
  nobs: number,
): { logLik: number; AIC: number; BIC: number } {
  return {
    logLik,
    AIC: -2 * logLik + 2 * parameters,
    BIC: -2 * logLik + Math.log(nobs) * parameters,
  };
}

function rSquaredOf({ totalSumOfSquares, residualSumOfSquares }: LinearModel): number {
  return totalSumOfSquares > 0 ? 1 - residualSumOfSquares / totalSumOfSquares : 0;
}

function slopesOf(model: LinearModel): number {
  return model.terms.length - (model.intercept ? 1 : 0);
}

/** n − edf. */
function effectiveFreedom(model: LinearModel): number {
  return model.rows - model.effectiveSlopes - (model.intercept ? 1 : 0);
}

function residualFreedom(model: LinearModel): number {
  return model.rows - model.terms.length;
}

/** The coefficient table of estimates with a given covariance; without one, estimates only. */
export function waldRows(
  { terms, estimates }: { readonly terms: readonly string[]; readonly estimates: Float64Array },
  errors: CoefficientErrors | undefined,
): TermRow[] {
  const width = errors === undefined ? Number.NaN : criticalValue(CONFIDENCE, errors.freedom);
  return terms.map((term, k) => {
    const estimate = estimates[k];
    if (errors === undefined) return { term, estimate };
    const error = Math.sqrt(errors.covariance[k * terms.length + k]);
    // A matrix that a site sent as its covariance may have a negative diagonal.
    if (Number.isNaN(error)) return { term, estimate };
    if (error === 0) return { term, estimate, 'std.error': error };
    const statistic = estimate / error;
    return {
      term,
      estimate,
      'std.error': error,
      statistic,
      'p.value': twoSided(statistic, errors.freedom),
      'conf.low': estimate - width * error,
      'conf.high': estimate + width * error,
    };
  });
}
