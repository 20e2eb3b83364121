import type { Failure } from '../failure.ts';
import type { LinearPart } from '../statistic/site-part.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import type { RidgeFusion } from '../study/study.ts';
import { type ChosenPenalty, leftOutChoice, ridgeGrid } from './choose-curve.ts';
import { chooseByGcv, largestRidge } from './choose-gcv.ts';
import { leftOutGroups } from './left-out.ts';
import { leftOutRidges } from './left-out-ridges.ts';
import { chooseByMarginalLikelihood } from './marginal.ts';
import type { NormalEquations } from './normal-equations.ts';

const FOLDS = 5;

/**
 * The ridge a study's rule picks, from what the sites have sent. `unit` is what a ridge of 1 puts on each equilibrated
 * predictor. Rules that leave sites out need their parts.
 */
export function choosePenalty(
  total: LinearStatistic,
  equations: NormalEquations,
  unit: Float64Array,
  fusion: RidgeFusion,
  parts: readonly LinearPart[] | undefined,
): ChosenPenalty | Failure {
  const rule = fusion.ridge;
  if (typeof rule === 'number') throw new RangeError(`the ridge is not a rule: ${rule}`);
  const largest = largestRidge(equations, unit);
  if (!(largest > 0)) {
    return {
      problem: 'no column varies, so there is nothing a ridge could shrink',
      remedy: 'fit without a ridge',
    };
  }
  if (rule === 'gcv') return chooseByGcv(equations, unit);
  if (rule === 'marginal-likelihood') return chooseByMarginalLikelihood(equations, unit);
  const count = rule === 'k-fold' ? (fusion.folds ?? FOLDS) : Number.POSITIVE_INFINITY;
  const groups = leftOutGroups(parts, count);
  if ('problem' in groups) return groups;
  const curve = leftOutRidges(total, equations, unit, groups, ridgeGrid(largest));
  return leftOutChoice(rule, curve, fusion.prefer ?? 'minimum');
}
