import { clusteredErrors } from '../between-sites/clustered-errors.ts';
import { defined } from '../defined.ts';
import type { Failure } from '../failure.ts';
import { unscaledCovariance } from '../model/covariance.ts';
import type { CoefficientErrors, Fit } from '../model/fit.ts';
import { type LinearModel, linearModel } from '../model/linear-model.ts';
import { normalQuantile } from '../numeric/distributions.ts';
import { leastSquares } from '../solve/least-squares.ts';
import { normalEquations } from '../solve/normal-equations.ts';
import { unitPenalty } from '../solve/penalty.ts';
import { restrict } from '../statistic/restrict.ts';
import type { LinearSiteStatistic } from '../statistic/site-statistics.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import type { GlmFusion } from '../study/study.ts';
import { likelihoodSums, priorSum, withoutRemainder } from './glm-correction.ts';
import { newtonDistance, oneRoundDistance } from './glm-deviation.ts';
import { robustErrors } from './glm-robust.ts';
import { growingTerms, unboundedTerms } from './glm-separation.ts';
import type { LinearSums } from './linear-sums.ts';

/** What a logistic or Poisson regression is solved from. */
export interface GlmSums extends LinearSums {
  /** Names of a feature map's columns. */
  readonly mapped?: ReadonlySet<string>;
}

/**
 * Logistic or Poisson regression from summed expansions: β = (Σ Hₖ + λI)⁻¹ Σ (Hₖβₖ + gₖ), less what the expansions are
 * expected to leave out.
 */
export function resolveGlm(sums: GlmSums, fusion: GlmFusion): Fit | Failure {
  const { total, sites, mapped = new Set<string>() } = withoutColumns(sums, fusion.without ?? []);
  const plain = expansionFit(total, fusion.ridge ?? 0);
  if ('problem' in plain) return plain;
  const fit =
    fusion.at === undefined
      ? oneRound(plain, fusion, mapped)
      : newtonStep(plain, fusion, fusion.at, mapped);
  return 'problem' in fit ? fit : withErrors(fit, fusion, sites);
}

/** The sums without columns whose coefficients are held at 0. */
function withoutColumns(sums: GlmSums, gone: readonly string[]): GlmSums {
  if (gone.length === 0) return sums;
  const { columns } = sums.total.layout;
  const kept = columns.flatMap((name, k) =>
    k > 0 && k < columns.length - 1 && gone.includes(name) ? [] : [k],
  );
  const { sites } = sums;
  const narrow = ({ site, statistic }: LinearSiteStatistic) => ({
    site,
    statistic: restrict(statistic, kept),
  });
  return {
    ...sums,
    total: restrict(sums.total, kept),
    ...defined({ sites: sites?.map(narrow) }),
  };
}

/** From the optima of the sites. */
function oneRound(
  plain: Fit,
  { family, ridge = 0 }: GlmFusion,
  mapped: ReadonlySet<string>,
): Fit | Failure {
  const { directions, bounding, logLik: _, counted: __, ...sums } = likelihoodSums(plain.total);
  const corrected =
    directions === undefined || !(directions > 0)
      ? plain
      : expansionFit(withoutRemainder(plain.total, shareOf(plain, directions)), ridge);
  if ('problem' in corrected) return corrected;
  const distance = oneRoundDistance(plain, corrected, directions);
  const separated = freeTerms(unboundedTerms(corrected, bounding, mapped), ridge);
  return {
    ...widened(corrected, distance),
    glm: { family, steps: 0, deviation: distance, ...defined({ separated }), ...sums },
  };
}

/** From common coefficients. */
function newtonStep(
  plain: Fit,
  { family, ridge = 0 }: GlmFusion,
  at: Readonly<Record<string, number>>,
  mapped: ReadonlySet<string>,
): Fit {
  const { logLik, directions: _, bounding: __, counted, ...sums } = likelihoodSums(plain.total);
  const { distance, squaredStep } = newtonDistance(plain, at);
  const [model] = plain.models;
  const reached = logLik - model.residualSumOfSquares / 2;
  const penalty = penaltyOf(model, ridge, at);
  // The optimum b of the expansion with its penalty P has gᵀδ = δᵀHδ + δᵀPb.
  const started = reached - squaredStep / 2 - penalty.along;
  const separated = freeTerms(growingTerms(plain, at, mapped), ridge);
  // Of a smaller model than the coefficients are of, the step is not the whole distance.
  const { columns } = plain.total.layout;
  const smaller = Object.keys(at).some((term) => at[term] !== 0 && !columns.includes(term));
  const known = distance < CONVERGED && !smaller;
  return {
    ...widened(plain, distance),
    glm: {
      family,
      steps: 1,
      deviation: distance,
      ...defined({ separated }),
      start: { logLik: started - penalty.start },
      ...(known ? { logLik: reached } : {}),
      ...(known && counted !== undefined ? { counted: counted + reached - started } : {}),
      ...sums,
    },
  };
}

/** ½λ‖β‖² of the slopes at the start, and λδᵀb of the step to b. */
function penaltyOf(
  { terms, estimates, intercept }: LinearModel,
  ridge: number,
  at: Readonly<Record<string, number>>,
): { readonly start: number; readonly along: number } {
  let start = 0;
  let along = 0;
  terms.forEach((term, k) => {
    if (intercept && k === 0) return;
    start += (ridge * at[term] ** 2) / 2;
    along += ridge * (estimates[k] - at[term]) * estimates[k];
  });
  return { start, along };
}

/** Of terms that may be separated, those that no penalty keeps finite. */
function freeTerms(terms: string[] | undefined, ridge: number): string[] | undefined {
  return ridge > 0 ? terms?.filter((term) => term === '(Intercept)') : terms;
}

/** The fit with the errors that the study asks for, where its sums have them. */
function withErrors(
  fit: Fit,
  { errors: kind = 'classical' }: GlmFusion,
  sites: readonly LinearSiteStatistic[] | undefined,
): Fit | Failure {
  if (kind === 'classical') return fit;
  if (kind === 'clustered' && sites === undefined) return hidden;
  const found =
    kind === 'clustered' ? clusteredErrors(fit, 0, sites ?? [], 'HC1') : robustErrors(fit, kind);
  if (found === undefined) {
    return fit.glm === undefined || kind === 'clustered'
      ? fit
      : { ...fit, glm: { ...fit.glm, awaited: kind } };
  }
  if ('problem' in found) return found;
  const factor = widening(fit.glm?.deviation ?? 0);
  const covariance = found.covariance.map((entry) => entry * factor ** 2);
  return { ...fit, errors: [{ ...found, covariance }] };
}

const hidden: Failure = {
  problem: 'this study hides its sites: only their sum is known',
  remedy: 'clustered errors need plain aggregation; errors HC0 and HC1 need only the sum',
};

/** Distance from the pooled regression, in standard errors, below which it is reached. */
const CONVERGED = 1e-6;

/** The fit with standard errors for which a 95 % interval also holds where the estimate is off by this distance. */
function widened(fit: Fit, distance: number): Fit {
  const factor = widening(distance);
  if (fit.errors === undefined || factor === 1) return fit;
  const errors = fit.errors.map(
    ({ kind, covariance, freedom }): CoefficientErrors => ({
      kind: kind === 'classical' ? 'widened' : kind,
      covariance: covariance.map((entry) => entry * factor ** 2),
      freedom,
    }),
  );
  return { ...fit, errors };
}

function widening(distance: number): number {
  return distance > CONVERGED ? 1 + distance / normalQuantile(0.975) : 1;
}

/** Sites that differ by more than chance are off in directions that the expected remainder does not know. */
const LARGEST_SHARE = 1;

/**
 * Cochran's Q of the sites, Σ (βₖ⁺ − b)ᵀHₖ(βₖ⁺ − b), over the number of their directions: the square by which their
 * optima are off, over the one that chance gives.
 */
function shareOf({ models: [{ residualSumOfSquares }] }: Fit, directions: number): number {
  return Math.min(Math.max(residualSumOfSquares, 0) / directions, LARGEST_SHARE);
}

/** The maximum of summed expansions, less a penalty ½λ‖b‖² on the slopes. */
function expansionFit(total: LinearStatistic, ridge: number): Fit | Failure {
  const equations = normalEquations(total);
  const { layout, rows, weightSum } = equations;
  if (rows === 0) {
    return {
      problem: 'no rows are left',
      remedy: 'every row had a missing cell in a column the formula uses',
    };
  }
  if (!(weightSum > priorSum(total) * NO_INFORMATION)) return separatedAll;
  const penalty = unitPenalty(equations, 'raw').map((p) => p * ridge);
  const solution = leastSquares(equations, penalty);
  if ('problem' in solution) return solution;
  const covariance = unscaledCovariance({ equations, solution, penalty });
  return {
    total,
    equations,
    solution,
    models: [linearModel(equations, solution, 0)],
    aliased: solution.aliased.map((i) => layout.columns[i + 1]),
    ridge,
    penalty,
    ...(covariance === undefined
      ? {}
      : {
          errors: [
            {
              kind: ridge > 0 ? 'ignoring-bias' : 'classical',
              covariance,
              freedom: Number.POSITIVE_INFINITY,
            },
          ],
        }),
  };
}

/** Average information per row below which every fitted mean is at its limit. */
const NO_INFORMATION = 1e-9;

const separatedAll: Failure = {
  problem:
    'the rows are separated: all fitted means are at their limits, and coefficients grow without end',
  remedy: "keep to one round, where Firth's correction holds, or leave terms out",
};
