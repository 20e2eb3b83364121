import { defined } from '../defined.ts';
import type { Failure } from '../failure.ts';
import type { Fit } from '../model/fit.ts';
import { type LinearModel, linearModels } from '../model/linear-model.ts';
import { choosePenalty } from '../solve/choose.ts';
import type { ChosenPenalty } from '../solve/choose-curve.ts';
import { chooseLasso } from '../solve/choose-lasso.ts';
import { lasso } from '../solve/lasso.ts';
import { leastSquares } from '../solve/least-squares.ts';
import { type NormalEquations, normalEquations } from '../solve/normal-equations.ts';
import { unitPenalty } from '../solve/penalty.ts';
import { vouchedDigits } from '../solve/rounding.ts';
import type { Solution } from '../solve/solution.ts';
import type { LinearSiteStatistic } from '../statistic/site-statistics.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import type { LassoPenalty, RidgeFusion } from '../study/study.ts';

/** Least squares, ridge, lasso or elastic net of a total, with the penalty given or chosen. */
export function resolvePenalised(
  total: LinearStatistic,
  fusion: RidgeFusion,
  siteStatistics?: readonly LinearSiteStatistic[],
): Fit | Failure {
  const equations = normalEquations(total);
  return fusion.lasso === undefined
    ? resolveSquares(total, equations, fusion, siteStatistics)
    : resolveLasso(total, equations, fusion.lasso, fusion.prefer ?? 'minimum', siteStatistics);
}

function resolveSquares(
  total: LinearStatistic,
  equations: NormalEquations,
  fusion: RidgeFusion,
  siteStatistics?: readonly LinearSiteStatistic[],
): Fit | Failure {
  const unit = unitPenalty(equations, fusion.standardize === true ? 'standardized' : 'raw');
  const chosen =
    typeof fusion.ridge === 'number'
      ? undefined
      : choosePenalty(total, equations, unit, fusion, siteStatistics);
  if (chosen !== undefined && 'problem' in chosen) return chosen;
  const ridge = chosen?.ridge ?? (fusion.ridge as number);
  const penalty = unit.map((p) => p * ridge);
  const solution = leastSquares(equations, penalty);
  if ('problem' in solution) return solution;
  const scale = fusion.standardize === true ? ({ penaltyScale: 'standardized' } as const) : {};
  return { ...fitOf(total, equations, solution, chosen), ridge, penalty, ...scale };
}

function resolveLasso(
  total: LinearStatistic,
  equations: NormalEquations,
  { lambda: given, mix = 1 }: LassoPenalty,
  prefer: 'minimum' | 'one-standard-error',
  siteStatistics?: readonly LinearSiteStatistic[],
): Fit | Failure {
  const chosen =
    typeof given === 'number'
      ? undefined
      : chooseLasso(total, equations, mix, prefer, siteStatistics);
  if (chosen !== undefined && 'problem' in chosen) return chosen;
  const lambda = chosen?.ridge ?? (given as number);
  const solution = lasso(equations, { lambda, mix });
  if ('problem' in solution) return solution;
  const penalty = new Float64Array(equations.predictors);
  return {
    ...fitOf(total, equations, solution, chosen),
    ridge: 0,
    penalty,
    lasso: { lambda, mix },
  };
}

function fitOf(
  total: LinearStatistic,
  equations: NormalEquations,
  solution: Solution,
  chosen: ChosenPenalty | undefined,
): Omit<Fit, 'ridge' | 'penalty'> {
  const models = linearModels(equations, solution);
  return {
    total,
    equations,
    solution,
    models,
    aliased: solution.aliased.map((i) => equations.layout.columns[i + 1]),
    ...defined({ chosen }),
    ...vouched(equations, solution, models),
  };
}

function vouched(
  equations: NormalEquations,
  { factored, ...solution }: Solution,
  models: readonly LinearModel[],
): { digits?: number } {
  if (factored === undefined) return {};
  return { digits: vouchedDigits(equations, { ...solution, factored }, models) };
}
