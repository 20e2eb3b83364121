import type { Failure } from '../failure.ts';
import { unscaledCovariance } from '../model/covariance.ts';
import type { CoefficientErrors, Fit, SiteEffects } from '../model/fit.ts';
import { type LinearModel, linearModel } from '../model/linear-model.ts';
import { ddCholesky } from '../numeric/dd-cholesky.ts';
import { ddDot } from '../numeric/dd-matrix.ts';
import { chiSquareTail } from '../numeric/distributions.ts';
import { leastSquares } from '../solve/least-squares.ts';
import {
  crossProducts,
  logWeightSum,
  type NormalEquations,
  normalEquations,
  normalEquationsOf,
} from '../solve/normal-equations.ts';
import { vouchedDigits } from '../solve/rounding.ts';
import { bestTheta, siteSums, weightedSums } from '../solve/variance-ratio.ts';
import type { LinearSiteStatistic } from '../statistic/site-statistics.ts';
import { type LinearStatistic, rowCount } from '../statistic/statistic.ts';
import { residualForm } from './residual-form.ts';

/**
 * Generalised least squares with an intercept drawn for each site from N(0, τ²), by REML or ML, as lme4's `(1 | site)`:
 * exact from the sites' own statistics (Luo et al. 2022). Standard errors take τ²/σ² as known, and refer to the normal.
 */
export function resolveRandom(
  total: LinearStatistic,
  siteStatistics: readonly LinearSiteStatistic[],
  kind: 'random' | 'random-ml',
): Fit | Failure {
  const { layout } = total;
  const filled = siteStatistics.filter(({ statistic }) => rowCount(statistic) > 0);
  const rows = rowCount(total);
  const refused = refusal(layout.responses, filled.length, rows);
  if (refused !== undefined) return refused;
  const pooled = leastSquares(normalEquations(total), new Float64Array(predictorsOf(total)));
  if ('problem' in pooled) return pooled;
  const columns = [
    ...(layout.intercept ? [0] : []),
    ...pooled.kept.map((column) => column + 1),
    layout.columns.length - 1,
  ];
  if (rows < columns.length) {
    return { problem: 'no row is left over', remedy: 'use fewer terms, or wait for more rows' };
  }
  const sums = siteSums(filled.map(({ statistic }) => crossProducts(statistic)));
  const optimum = bestTheta(sums, columns, rows, kind === 'random' ? 'reml' : 'ml');
  if (optimum === undefined || !(pooled.residual.hi[0] > 0)) {
    return {
      problem: 'the variance between sites has no best value here',
      remedy: 'use fixed effects of the sites, or fewer terms',
    };
  }
  const { theta } = optimum;
  const weights = sums.firsts.map(({ hi }) => hi[0]);
  // ln|V|⁻¹ where σ = 1: what a weighted likelihood holds Σ ln w for.
  const logPrecision = weights.reduce(
    (sum, weight) => sum - Math.log1p(theta * weight),
    logWeightSum(total),
  );
  const equations = normalEquationsOf(weightedSums(sums, theta), layout, {
    rows,
    logWeightSum: logPrecision,
  });
  const penalty = new Float64Array(equations.predictors);
  const solution = leastSquares(equations, penalty);
  if ('problem' in solution) return solution;
  const model = linearModel(equations, solution, 0);
  const unscaled = unscaledCovariance({ equations, solution, penalty });
  if (unscaled === undefined || solution.factored === undefined) {
    return { problem: 'there are too many columns', remedy: 'use fixed effects of the sites' };
  }
  const freedom = kind === 'random' ? rows - model.terms.length : rows;
  const variance = model.residualSumOfSquares / freedom;
  const errors: CoefficientErrors = {
    kind: 'classical',
    covariance: unscaled.map((entry) => entry * variance),
    freedom: Number.POSITIVE_INFINITY,
  };
  const fit = { total, equations, solution, models: [model], penalty };
  const unit = (layout.weightScale ?? 1) ** 2;
  const userTheta = theta / unit;
  const responseScale = layout.references[layout.columns.length - 1].scale;
  const half = optimum.gain > 0 ? chiSquareTail(optimum.gain, 1) / 2 : 1;
  const siteEffects: SiteEffects = {
    kind,
    statistic: Math.max(0, optimum.gain),
    df: 1,
    'p.value': half,
    variance: userTheta * variance,
    icc: userTheta / (1 + userTheta),
    logLik: logLikelihood(model, equations, solution.kept, kind),
    sites: filled.map(({ site, statistic }) => {
      const form = residualForm(fit, 0, layout, site);
      const sums = crossProducts(statistic);
      // Σ w (y − xb) over the site's rows, and Σ w, in the user's units.
      const rest = ddDot(sums, 0, form, 0, sums.width).hi * unit * responseScale;
      const shrunk = userTheta / (1 + userTheta * sums.hi[0] * unit);
      return { site, estimate: shrunk * rest, 'std.error': Math.sqrt(variance * shrunk) };
    }),
  };
  return {
    ...fit,
    aliased: solution.aliased.map((i) => layout.columns[i + 1]),
    ridge: 0,
    errors: [errors],
    siteEffects,
    digits: vouchedDigits(equations, { ...solution, factored: solution.factored }, [model]),
  };
}

function predictorsOf({ layout }: LinearStatistic): number {
  return layout.columns.length - 1 - layout.responses;
}

function refusal(responses: number, sites: number, rows: number): Failure | undefined {
  if (responses > 1) {
    const remedy = 'ask for one response, or for fixed effects of the sites';
    return { problem: 'a random intercept belongs to one response, not several', remedy };
  }
  if (sites < 2) {
    const remedy = 'wait for another site, or leave the sites without effects';
    return { problem: 'a random intercept needs at least two sites with rows', remedy };
  }
  if (rows <= sites) {
    const remedy = 'leave the sites without effects';
    return {
      problem:
        'with one row per site, the intercept of a site cannot be separated from its residual',
      remedy,
    };
  }
  return undefined;
}

/** ML: −½(ln|V| + n(ln(2π·RSS/n) + 1)); REML adds −½ ln|XᵀV⁻¹X| and counts n − p rows, as lme4. */
function logLikelihood(
  { terms, residualSumOfSquares }: LinearModel,
  equations: NormalEquations,
  kept: readonly number[],
  kind: 'random' | 'random-ml',
): number {
  const reml = kind === 'random';
  const count = reml ? equations.rows - terms.length : equations.rows;
  const spread = count * (Math.log((2 * Math.PI * residualSumOfSquares) / count) + 1);
  const information = reml ? logInformation(equations, kept) : 0;
  return (equations.logWeightSum - spread - information) / 2;
}

/** ln|XᵀV⁻¹X| in the user's units: the logarithms of the pivots. */
function logInformation(equations: NormalEquations, kept: readonly number[]): number {
  const { layout, equilibration, matrix, predictors, weightSum } = equations;
  const wanted = new Set(kept);
  let sum = layout.intercept ? Math.log(weightSum) : 0;
  ddCholesky(matrix, predictors, ({ column, pivot }) => {
    if (!wanted.has(column)) return true;
    const unit = layout.references[column + 1].scale * (layout.weightScale ?? 1);
    sum += Math.log(pivot.hi) + 2 * Math.log(unit / equilibration[column]);
    return false;
  });
  return sum;
}
