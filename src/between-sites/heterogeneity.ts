import type { Failure } from '../failure.ts';
import { errorsOf } from '../model/errors.ts';
import type { Fit } from '../model/fit.ts';
import { leastSquaresFit } from '../model/least-squares-fit.ts';
import { chiSquareTail, fTail } from '../numeric/distributions.ts';
import type { LinearSiteStatistic } from '../statistic/site-statistics.ts';
import { type LinearStatistic, rowCount } from '../statistic/statistic.ts';
import { aliases } from './aliases.ts';

/** Whether the sites agree: Chow's F for all coefficients, Cochran's Q and I² for each. */
export interface Heterogeneity {
  readonly about: 'heterogeneity';
  readonly chow?: {
    readonly statistic: number;
    readonly df: number;
    readonly 'df.residual': number;
    readonly 'p.value': number;
  };
  /** In a logistic or Poisson regression, in place of Chow's F: Q of all coefficients together. */
  readonly cochran?: { readonly Q: number; readonly df: number; readonly 'p.value': number };
  readonly terms: readonly TermHeterogeneity[];
  /** Sites that could not be fitted by themselves, and why. */
  readonly without: readonly { readonly site: string; readonly reason: string }[];
}

export interface TermHeterogeneity {
  readonly term: string;
  /** Inverse-variance mean of the sites' own estimates. */
  readonly estimate: number;
  readonly 'std.error': number;
  readonly Q: number;
  readonly df: number;
  readonly 'p.value': number;
  /** Share of the variation between sites that is not chance, in percent. */
  readonly I2: number;
  /** DerSimonian–Laird variance between sites. */
  readonly tau2: number;
  readonly sites: readonly SiteEstimate[];
}

export interface SiteEstimate {
  readonly site: string;
  readonly estimate: number;
  readonly 'std.error': number;
}

/**
 * Fits every site by itself, without a penalty, and tests whether one model serves all. Chow's F counts ranks, so it also
 * holds with rank-deficient sites; a term is compared over the sites that can estimate it.
 */
export function heterogeneity(
  total: LinearStatistic,
  siteStatistics: readonly LinearSiteStatistic[],
  response: number,
): Heterogeneity | Failure {
  const filled = siteStatistics.filter(({ statistic }) => rowCount(statistic) > 0);
  if (filled.length < 2) {
    return {
      problem: 'there are not two sites with rows to compare',
      remedy: 'wait for another site',
    };
  }
  const one = leastSquaresFit(total);
  if ('problem' in one) return one;
  const without: { site: string; reason: string }[] = [];
  const own: { site: string; fit: Fit }[] = [];
  for (const { site, statistic } of filled) {
    const fit = leastSquaresFit(statistic);
    if ('problem' in fit) without.push({ site, reason: fit.problem });
    else own.push({ site, fit });
  }
  const estimable = own.flatMap(({ site, fit }) => {
    const estimates = estimableTerms(fit, response);
    if (typeof estimates !== 'string') return [{ site, estimates }];
    without.push({ site, reason: estimates });
    return [];
  });
  const terms = one.models[response].terms.flatMap((term) => {
    const sites = estimable.flatMap(({ site, estimates }) => {
      const found = estimates.get(term);
      return found === undefined ? [] : [{ site, ...found }];
    });
    return sites.length < 2 ? [] : [cochran(term, sites)];
  });
  const fits = own.map(({ fit }) => fit);
  const together = fits.length === filled.length ? jointTest(one, fits, response) : {};
  return { about: 'heterogeneity', ...together, terms, without };
}

function rankOf({ solution, equations }: Fit): number {
  return solution.kept.length + (equations.layout.intercept ? 1 : 0);
}

/** Chow's F; for a generalized model the χ² of Cochran's Q over whole coefficient vectors. */
function jointTest(
  one: Fit,
  own: readonly Fit[],
  response: number,
): Pick<Heterogeneity, 'chow' | 'cochran'> {
  const ranks = own.reduce((sum, fit) => sum + rankOf(fit), 0);
  const apart = own.reduce((sum, fit) => sum + fit.models[response].residualSumOfSquares, 0);
  const df = ranks - rankOf(one);
  const freedom = one.equations.rows - ranks;
  const together = one.models[response].residualSumOfSquares;
  if (one.errors !== undefined) {
    if (!(df > 0)) return {};
    return { cochran: { Q: together, df, 'p.value': chiSquareTail(together, df) } };
  }
  if (!(df > 0 && freedom > 0 && apart > 0)) return {};
  const statistic = (together - apart) / df / (apart / freedom);
  const p = fTail(statistic, df, freedom);
  return { chow: { statistic, df, 'df.residual': freedom, 'p.value': p } };
}

/** The terms that this site can estimate by itself, or why there are none. */
function estimableTerms(
  fit: Fit,
  response: number,
): Map<string, { estimate: number; 'std.error': number }> | string {
  const { terms, estimates, rows, residualSumOfSquares } = fit.models[response];
  const errors = errorsOf(fit, response);
  if (errors === undefined) return `${rows} rows are too few for ${terms.length} coefficients`;
  if (fit.errors === undefined && !(residualSumOfSquares > 0)) {
    return 'the model leaves no residual there';
  }
  const first = fit.equations.layout.intercept ? 1 : 0;
  const mixed = new Set<number>();
  for (const { coefficients, constant } of aliases(fit.equations, fit.solution)) {
    if (constant !== 0) mixed.add(0);
    coefficients.forEach((c, k) => {
      if (c !== 0) mixed.add(k + first);
    });
  }
  return new Map(
    terms.flatMap((term, k) => {
      const error = Math.sqrt(errors.covariance[k * (terms.length + 1)]);
      const known = error > 0 && !mixed.has(k);
      return !known ? [] : [[term, { estimate: estimates[k], 'std.error': error }] as const];
    }),
  );
}

/** Cochran's Q, Higgins' I² and DerSimonian & Laird's τ² of independent estimates. */
function cochran(term: string, sites: readonly SiteEstimate[]): TermHeterogeneity {
  const weights = sites.map((site) => site['std.error'] ** -2);
  const sum = weights.reduce((a, b) => a + b, 0);
  const estimate = sites.reduce((a, site, k) => a + (weights[k] / sum) * site.estimate, 0);
  const Q = sites.reduce((a, site, k) => a + weights[k] * (site.estimate - estimate) ** 2, 0);
  const df = sites.length - 1;
  // Σw − Σw²/Σw, from sums of the other weights: a site with very many rows then causes no cancellation.
  const spare = weights.reduce((a, w, k) => {
    const others = weights.reduce((b, v, other) => (other === k ? b : b + v), 0);
    return a + (w / sum) * others;
  }, 0);
  return {
    term,
    estimate,
    'std.error': Math.sqrt(1 / sum),
    Q,
    df,
    'p.value': chiSquareTail(Q, df),
    I2: Q > df ? (100 * (Q - df)) / Q : 0,
    tau2: Math.max(0, (Q - df) / spare),
    sites,
  };
}
