import type { Failure } from '../failure.ts';
import type { LinearSiteStatistic } from '../statistic/site-statistics.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import type { RidgeFusion } from '../study/study.ts';
import { type ChosenPenalty, leftOutChoice, ridgeGrid } from './choose-curve.ts';
import { chooseByGcv, largestRidge } from './choose-gcv.ts';
import { leftOutGroups, leftOutRidges } from './left-out.ts';
import { chooseByMarginalLikelihood } from './marginal.ts';
import type { NormalEquations } from './normal-equations.ts';

/** Groups of sites that `k-fold` leaves out in turn, unless given. */
export const FOLDS = 5;

/**
 * The ridge that a study's rule chooses. `unit` is the penalty of a ridge of 1 on each equilibrated predictor. Rules that
 * leave out sites need the statistics of the sites.
 */
export function choosePenalty(
  total: LinearStatistic,
  equations: NormalEquations,
  unit: Float64Array,
  fusion: RidgeFusion,
  sites: readonly LinearSiteStatistic[] | undefined,
): ChosenPenalty | Failure {
  const rule = fusion.ridge;
  if (typeof rule === 'number') throw new RangeError(`the ridge is not a rule: ${rule}`);
  const largest = largestRidge(equations, unit);
  if (!(largest > 0)) {
    return {
      problem: 'no column varies, so a ridge has nothing to shrink',
      remedy: 'fit without a ridge',
    };
  }
  if (rule === 'gcv') return chooseByGcv(equations, unit);
  if (rule === 'marginal-likelihood') return chooseByMarginalLikelihood(equations, unit);
  const count = rule === 'k-fold' ? (fusion.folds ?? FOLDS) : Number.POSITIVE_INFINITY;
  const groups = leftOutGroups(sites, count);
  if ('problem' in groups) return groups;
  const curve = leftOutRidges(total, equations, unit, groups, ridgeGrid(largest));
  return leftOutChoice(rule, curve, fusion.prefer ?? 'minimum');
}
