import type { Failure } from '../failure.ts';
import type { LinearPart } from '../statistic/site-part.ts';
import { type LinearStatistic, sumStatistics } from '../statistic/statistic.ts';
import type { CurvePoint } from './choose-curve.ts';
import { type Fold, foldOf, weightOf } from './left-out-fold.ts';
import type { NormalEquations } from './normal-equations.ts';

/**
 * Sites in so many groups, whatever their data: sorted by name (in code units) and dealt in turn, the first to the first
 * group. With as many groups as sites each is alone.
 */
export function dealSites(parts: readonly LinearPart[], groups: number): LinearPart[][] {
  const sorted = [...parts].sort((a, b) => (a.site < b.site ? -1 : a.site > b.site ? 1 : 0));
  return Array.from({ length: Math.min(groups, sorted.length) }, (_, g) =>
    sorted.filter((_, k) => k % groups === g),
  );
}

/** The groups with rows as one statistic each, or why none can be left out. */
export function leftOutGroups(
  parts: readonly LinearPart[] | undefined,
  groups: number,
): LinearStatistic[] | Failure {
  if (parts === undefined) {
    return {
      problem: 'the study hides its sites from the coordinator, so none can be left out',
      remedy: 'choose the penalty by gcv or marginal-likelihood, which need the total alone',
    };
  }
  const sums = dealSites(parts, groups)
    .map((group) => (group.length === 1 ? group[0].statistic : sumOf(group)))
    .filter((statistic) => weightOf(statistic).hi > 0);
  if (sums.length >= 2) return sums;
  return {
    problem: 'leaving sites out takes at least two groups of sites with rows',
    remedy: 'wait for more sites, or choose the penalty by gcv or marginal-likelihood',
  };
}

function sumOf(group: readonly LinearPart[]): LinearStatistic {
  return sumStatistics(
    group[0].statistic.layout,
    group.map(({ statistic }) => statistic),
  );
}

/**
 * Scores of penalties over left-out groups: Σ losses/Σ weights, and the standard error of that mean over K groups as
 * cv.glmnet takes it: √(weighted variance of the groups' mean losses/(K − 1)). `losses` gives for a response its squared
 * errors on a fold, one a penalty. Of several responses each is divided by its variance.
 */
export function leftOutCurve(
  equations: NormalEquations,
  total: LinearStatistic,
  groups: readonly LinearStatistic[],
  penalties: readonly number[],
  losses: (fold: Fold) => readonly Float64Array[],
): Required<CurvePoint>[] {
  const shares = lossShares(equations, weightOf(total).hi);
  const folds = groups.map((group) => {
    const fold = foldOf(equations, total, group);
    const means = new Float64Array(penalties.length);
    losses(fold).forEach((squares, r) => {
      squares.forEach((square, l) => {
        means[l] += (square * shares[r]) / fold.leftWeight;
      });
    });
    return { weight: fold.leftWeight, means };
  });
  const whole = folds.reduce((sum, { weight }) => sum + weight, 0);
  const average = (of: (means: Float64Array) => number) =>
    folds.reduce((sum, { weight, means }) => sum + weight * of(means), 0) / whole;
  return penalties.map((ridge, l) => {
    const score = average((means) => means[l]);
    const variance = average((means) => (means[l] - score) ** 2);
    return { ridge, score, error: Math.sqrt(variance / (folds.length - 1)) };
  });
}

function lossShares(
  { matrix, predictors, responses, layout, equilibration }: NormalEquations,
  weight: number,
): number[] {
  return Array.from({ length: responses }, (_, r) => {
    const at = predictors + r;
    return responses > 1
      ? weight / (matrix.hi[at * matrix.width + at] || 1)
      : (layout.references[at + 1].scale / equilibration[at]) ** 2;
  });
}
