import type { Failure } from '../failure.ts';
import type { DoubleDouble } from '../numeric/double-double.ts';
import { reproducibleKernels } from '../numeric/kernels.ts';
import type { LinearSiteStatistic } from '../statistic/site-statistics.ts';
import { type LinearStatistic, sumStatistics } from '../statistic/statistic.ts';
import type { CurvePoint } from './choose-curve.ts';
import { ridges } from './choose-ridges.ts';
import {
  type Fold,
  type FoldEquations,
  type FoldSpace,
  foldOf,
  foldSpace,
  leftOutLosses,
  weightOf,
} from './left-out-fold.ts';
import type { NormalEquations } from './normal-equations.ts';

/**
 * Sites divided into groups, whatever their data: sorted by name (in code units) and dealt in turn, the first to the first
 * group. With at least as many groups as sites, each site is a group.
 */
export function dealSites(
  sites: readonly LinearSiteStatistic[],
  groups: number,
): LinearSiteStatistic[][] {
  const sorted = [...sites].sort(byName);
  return Array.from({ length: Math.min(groups, sorted.length) }, (_, g) =>
    sorted.filter((_, k) => k % groups === g),
  );
}

function byName(a: LinearSiteStatistic, b: LinearSiteStatistic): number {
  if (a.site === b.site) return 0;
  return a.site < b.site ? -1 : 1;
}

/** One statistic for each group that has rows, or why no group can be left out. */
export function leftOutGroups(
  sites: readonly LinearSiteStatistic[] | undefined,
  groups: number,
): LinearStatistic[] | Failure {
  if (sites === undefined) {
    return {
      problem: 'the study hides its sites from the coordinator, so no site can be left out',
      remedy: 'choose the penalty by gcv or marginal-likelihood, which need the total alone',
    };
  }
  const sums = dealSites(sites, groups)
    .map((group) => (group.length === 1 ? group[0].statistic : sumOf(group)))
    .filter((statistic) => weightOf(statistic).hi > 0);
  if (sums.length >= 2) return sums;
  return {
    problem: 'leaving sites out takes at least two groups of sites with rows',
    remedy: 'wait for more sites, or choose the penalty by gcv or marginal-likelihood',
  };
}

function sumOf(group: readonly LinearSiteStatistic[]): LinearStatistic {
  return sumStatistics(
    group[0].statistic.layout,
    group.map(({ statistic }) => statistic),
  );
}

/** Mean losses on one left-out group, one for each penalty, and the group's weight. */
interface FoldScore {
  readonly weight: number;
  readonly means: Float64Array;
}

/** Squared errors of each response on a fold, one for each penalty. */
type FoldLosses = (fold: Fold) => readonly Float64Array[];

/** The score of one fold. With several responses, the loss of each is divided by its variance. */
function foldScore(
  equations: FoldEquations,
  total: DoubleDouble,
  group: LinearStatistic,
  space: FoldSpace,
  count: number,
  losses: FoldLosses,
): FoldScore {
  const shares = lossShares(equations, total.hi);
  const fold = foldOf(equations, total, group, space);
  const means = new Float64Array(count);
  losses(fold).forEach((squares, r) => {
    squares.forEach((square, l) => {
      means[l] += (square * shares[r]) / fold.leftWeight;
    });
  });
  return { weight: fold.leftWeight, means };
}

/**
 * Scores of penalties over left-out groups: Σ losses/Σ weights, and the standard error of that mean over K groups as in
 * cv.glmnet: √(weighted variance of the groups' mean losses/(K − 1)).
 */
function curveOf(
  penalties: readonly number[],
  folds: readonly FoldScore[],
): Required<CurvePoint>[] {
  const whole = folds.reduce((sum, { weight }) => sum + weight, 0);
  const average = (of: (means: Float64Array) => number) =>
    folds.reduce((sum, { weight, means }) => sum + weight * of(means), 0) / whole;
  return penalties.map((ridge, l) => {
    const score = average((means) => means[l]);
    const variance = average((means) => (means[l] - score) ** 2);
    return { ridge, score, error: Math.sqrt(variance / (folds.length - 1)) };
  });
}

/** The curve of any penalised regression over left-out groups. */
export function leftOutCurve(
  equations: NormalEquations,
  total: LinearStatistic,
  groups: readonly LinearStatistic[],
  penalties: readonly number[],
  losses: FoldLosses,
): Required<CurvePoint>[] {
  const weight = weightOf(total);
  const space = foldSpace(equations.matrix.width);
  return curveOf(
    penalties,
    groups.map((group) => foldScore(equations, weight, group, space, penalties.length, losses)),
  );
}

function lossShares(
  { matrix, predictors, responses, layout, equilibration }: FoldEquations,
  weight: number,
): number[] {
  return Array.from({ length: responses }, (_, r) => {
    const at = predictors + r;
    return responses > 1
      ? weight / (matrix.hi[at * matrix.width + at] || 1)
      : (layout.references[at + 1].scale / equilibration[at]) ** 2;
  });
}

/**
 * How well ridges fitted without a group of sites predict that group, for each group in turn: one tridiagonalisation per
 * group, then O(p²) for each ridge. The other sites have their own means and intercept; the penalty is that of the whole
 * study, so standardised columns keep the total's SDs.
 */
export function leftOutRidges(
  total: LinearStatistic,
  equations: NormalEquations,
  unit: Float64Array,
  groups: readonly LinearStatistic[],
  grid: readonly number[],
): Required<CurvePoint>[] {
  const kernels = reproducibleKernels();
  return leftOutCurve(equations, total, groups, grid, (fold) =>
    ridges(kernels, fold.train, unit, grid).map(({ weakest, differences }, r) =>
      leftOutLosses(kernels, fold, r, weakest, differences),
    ),
  );
}
