import { defined } from '../defined.ts';
import type { Failure } from '../failure.ts';
import { unscaledCovariance } from '../model/covariance.ts';
import type { CoefficientErrors, Fit } from '../model/fit.ts';
import { linearModel } from '../model/linear-model.ts';
import { normalQuantile } from '../numeric/distributions.ts';
import { leastSquares } from '../solve/least-squares.ts';
import { normalEquations } from '../solve/normal-equations.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import type { GlmFusion } from '../study/study.ts';
import { likelihoodSums, withoutRemainder } from './glm-correction.ts';
import { newtonDistance, oneRoundDistance } from './glm-deviation.ts';
import { growingTerms, unboundedTerms } from './glm-separation.ts';

/**
 * Logistic or Poisson regression from summed expansions: β = (Σ Hₖ)⁻¹ Σ (Hₖβₖ + gₖ), less what the expansions are
 * expected to leave out; `mapped` names a feature map's columns.
 */
export function resolveGlm(
  total: LinearStatistic,
  fusion: GlmFusion,
  mapped: ReadonlySet<string> = new Set(),
): Fit | Failure {
  const plain = expansionFit(total);
  if ('problem' in plain) return plain;
  return fusion.at === undefined
    ? oneRound(plain, fusion, mapped)
    : newtonStep(plain, fusion, fusion.at, mapped);
}

/** From the optima of the sites. */
function oneRound(plain: Fit, { family }: GlmFusion, mapped: ReadonlySet<string>): Fit | Failure {
  const { directions, bounding, logLik: _, ...sums } = likelihoodSums(plain.total);
  const corrected =
    directions === undefined || !(directions > 0)
      ? plain
      : expansionFit(withoutRemainder(plain.total, shareOf(plain, directions)));
  if ('problem' in corrected) return corrected;
  const distance = oneRoundDistance(plain, corrected, directions);
  const separated = unboundedTerms(corrected, bounding, mapped);
  return {
    ...widened(corrected, distance),
    glm: { family, steps: 0, deviation: distance, ...defined({ separated }), ...sums },
  };
}

/** From common coefficients. */
function newtonStep(
  plain: Fit,
  { family }: GlmFusion,
  at: Readonly<Record<string, number>>,
  mapped: ReadonlySet<string>,
): Fit {
  const { logLik, directions: _, bounding: __, ...sums } = likelihoodSums(plain.total);
  const { distance, squaredStep } = newtonDistance(plain, at);
  const reached = logLik - plain.models[0].residualSumOfSquares / 2;
  const separated = growingTerms(plain, at, mapped);
  return {
    ...widened(plain, distance),
    glm: {
      family,
      steps: 1,
      deviation: distance,
      separated,
      start: { logLik: reached - squaredStep / 2 },
      ...(distance < CONVERGED ? { logLik: reached } : {}),
      ...sums,
    },
  };
}

/** Distance from the pooled regression, in standard errors, below which it is reached. */
const CONVERGED = 1e-6;

/** The fit with standard errors for which a 95 % interval also holds where the estimate is off by this distance. */
function widened(fit: Fit, distance: number): Fit {
  if (fit.errors === undefined || !(distance > CONVERGED)) return fit;
  const factor = 1 + distance / normalQuantile(0.975);
  const errors = fit.errors.map(
    ({ covariance, freedom }): CoefficientErrors => ({
      kind: 'widened',
      covariance: covariance.map((entry) => entry * factor ** 2),
      freedom,
    }),
  );
  return { ...fit, errors };
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

/** The maximum of summed expansions. */
function expansionFit(total: LinearStatistic): Fit | Failure {
  const equations = normalEquations(total);
  const { layout, rows, weightSum } = equations;
  if (rows === 0) {
    return {
      problem: 'no rows are left',
      remedy: 'every row had a missing cell in a column the formula uses',
    };
  }
  if (!(weightSum > rows * NO_INFORMATION)) return separatedAll;
  const penalty = new Float64Array(equations.predictors);
  const solution = leastSquares(equations, penalty);
  if ('problem' in solution) return solution;
  const covariance = unscaledCovariance({ equations, solution, penalty });
  return {
    total,
    equations,
    solution,
    models: [linearModel(equations, solution, 0)],
    aliased: solution.aliased.map((i) => layout.columns[i + 1]),
    ridge: 0,
    penalty,
    ...(covariance === undefined
      ? {}
      : { errors: [{ kind: 'classical', covariance, freedom: Number.POSITIVE_INFINITY }] }),
  };
}

/** Average information per row below which every fitted mean is at its limit. */
const NO_INFORMATION = 1e-9;

const separatedAll: Failure = {
  problem:
    'the rows are separated: all fitted means are at their limits, and coefficients grow without end',
  remedy: "keep to one round, where Firth's correction holds, or leave terms out",
};
