import { defined } from '../defined.ts';
import type { Failure } from '../failure.ts';
import { errorsOf } from '../model/errors.ts';
import type { Fit } from '../model/fit.ts';
import type { DdMatrix } from '../numeric/dd-matrix.ts';
import { crossProducts } from '../solve/normal-equations.ts';
import { siteSums, weightedSums } from '../solve/variance-ratio.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import type { LinearSiteStatistic } from '../statistic/site-statistics.ts';
import { rowCount } from '../statistic/statistic.ts';
import { leftOut, type WholeModel } from './left-out.ts';
import { residualForm } from './residual-form.ts';

/** How far each site moves the model: b − b without it, in standard errors of b. */
export interface Influence {
  readonly about: 'influence';
  readonly terms: readonly string[];
  readonly sites: readonly SiteInfluence[];
}

export interface SiteInfluence {
  readonly site: string;
  readonly n: number;
  /** Over the terms; null where the other sites cannot estimate the term. */
  readonly changes: readonly (number | null)[];
  /** Absent where the other sites can estimate no term. */
  readonly largest?: { readonly term: string; readonly change: number };
  /** Cook's distance of the site: Δbᵀ XᵀWX Δb / (p σ²); absent where some change is null. */
  readonly cook?: number;
}

/**
 * Leaves each site out in turn, with the same penalty and, under a random intercept, the same τ²/σ². With fixed effects
 * of the sites the terms are the slopes, since a site that leaves takes its intercept along.
 */
export function influence(
  fit: Fit,
  response: number,
  siteStatistics: readonly LinearSiteStatistic[],
): Influence | Failure {
  const filled = siteStatistics.filter(({ statistic }) => rowCount(statistic) > 0);
  if (filled.length < 2) {
    return {
      problem: 'without its only site nothing is left of the model',
      remedy: 'wait for another site',
    };
  }
  const { layout } = filled[0].statistic;
  const errors = errorsOf(fit, response);
  const model = fit.models[response];
  const freedom = model.rows - model.effectiveSlopes - (model.intercept ? 1 : 0);
  const variance = layout.family === undefined ? model.residualSumOfSquares / freedom : 1;
  if (errors === undefined || !(variance > 0)) {
    return {
      problem: 'the model has no standard errors to measure changes by',
      remedy:
        fit.lasso === undefined
          ? 'use fewer terms, or wait for more rows'
          : 'a lasso has none: ask of least squares or a ridge',
    };
  }
  const own = layout.columns.length - 1 - layout.responses;
  const kept = fit.solution.kept.filter((column) => column < own);
  const kind = effectsOf(fit, own);
  const withLevel = layout.intercept && kind !== 'fixed';
  const terms = [...(withLevel ? [CONSTANT] : []), ...kept.map((c) => layout.columns[c + 1])];
  if (terms.length === 0) {
    return {
      problem: 'each site has its own intercept, and there is no other term',
      remedy: 'ask of a model with a term, or without fixed effects of the sites',
    };
  }
  const spread = terms.map((term) => {
    const at = model.terms.indexOf(term) * (model.terms.length + 1);
    return Math.sqrt(errors.covariance[at]);
  });
  const { sums, contribution } = weighing(fit, filled, kind);
  const whole: WholeModel = {
    sums,
    layout: { ...layout, intercept: withLevel },
    rows: model.rows,
    kept,
    penalty: Float64Array.from({ length: own }, (_, j) => {
      return fit.penalty[j] / fit.equations.equilibration[j] ** 2;
    }),
  };
  const unit = layout.references[own + 1 + response].scale;
  const weightScale = layout.weightScale ?? 1;
  const columns = [...(withLevel ? [0] : []), ...kept.map((column) => column + 1)];
  const sites = filled.map(({ site, statistic }, k) => {
    const form = residualForm(fit, response, layout, site);
    const rows = rowCount(statistic);
    const moved = leftOut(whole, contribution(k), rows, form);
    const changes = inUserUnits(moved, columns, layout, unit).map((change, i) =>
      change === null || !(spread[i] > 0) ? null : change / spread[i],
    );
    const length = squaredLength(sums, columns, moved) * (unit * weightScale) ** 2;
    return {
      site,
      n: rows,
      changes,
      ...largestOf(terms, changes),
      ...(Number.isNaN(length) ? {} : { cook: length / (terms.length * variance) }),
    };
  });
  return { about: 'influence', terms, sites };
}

const CONSTANT = '(Intercept)';

type Kind = 'none' | 'fixed' | 'random';

function effectsOf({ siteEffects, solution }: Fit, own: number): Kind {
  if (siteEffects?.kind === 'fixed' || solution.kept.some((column) => column >= own))
    return 'fixed';
  return siteEffects === undefined ? 'none' : 'random';
}

/** The matrix the model solves, and each site's share of it. */
function weighing(
  { total, siteEffects }: Fit,
  siteStatistics: readonly LinearSiteStatistic[],
  kind: Kind,
): { sums: DdMatrix; contribution: (site: number) => DdMatrix } {
  const own = (site: number) => crossProducts(siteStatistics[site].statistic);
  if (kind === 'none') return { sums: crossProducts(total), contribution: own };
  const { layout } = siteStatistics[0].statistic;
  const { icc = 0 } = siteEffects ?? {};
  const theta = (icc / (1 - icc)) * (layout.weightScale ?? 1) ** 2;
  const weigh = (matrices: readonly DdMatrix[]) => {
    const sums = siteSums(matrices);
    return kind === 'fixed' ? sums.within : weightedSums(sums, theta);
  };
  return {
    sums: weigh(siteStatistics.map((_, k) => own(k))),
    contribution: (site) => weigh([own(site)]),
  };
}

/** Slopes per unit of their columns, and the level where every column is 0. */
function inUserUnits(
  moved: readonly (number | null)[],
  columns: readonly number[],
  { references }: LinearLayout,
  unit: number,
): (number | null)[] {
  const slopes = moved.map((m, i) => {
    return m === null ? null : (m * unit) / references[columns[i]].scale;
  });
  if (columns[0] !== 0) return slopes;
  const unknown = slopes.some((slope, i) => slope === null && references[columns[i]].center !== 0);
  const level = slopes.reduce<number>((sum, slope, i) => {
    return i === 0 ? sum : sum - (slope ?? 0) * references[columns[i]].center;
  }, slopes[0] ?? 0);
  return [slopes[0] === null || unknown ? null : level, ...slopes.slice(1)];
}

/** ΔᵀMΔ; NaN where a change is unknown. */
function squaredLength(
  sums: DdMatrix,
  columns: readonly number[],
  moved: readonly (number | null)[],
): number {
  let sum = 0;
  columns.forEach((i, a) => {
    columns.forEach((j, b) => {
      sum += sums.hi[i * sums.width + j] * (moved[a] ?? Number.NaN) * (moved[b] ?? Number.NaN);
    });
  });
  return sum;
}

function largestOf(
  terms: readonly string[],
  changes: readonly (number | null)[],
): Pick<SiteInfluence, 'largest'> {
  let largest: SiteInfluence['largest'];
  changes.forEach((change, i) => {
    if (change !== null && Math.abs(change) >= Math.abs(largest?.change ?? 0)) {
      largest = { term: terms[i], change };
    }
  });
  return defined({ largest });
}
