import type { Failure } from '../failure.ts';
import { leastSquares } from '../solve/least-squares.ts';
import { normalEquations } from '../solve/normal-equations.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import { unscaledCovariance } from './covariance.ts';
import type { Fit } from './fit.ts';
import { linearModels } from './linear-model.ts';

/**
 * Least squares without a penalty, on the statistic of one site or several. For expansions of a likelihood the fit is
 * their maximum, and the errors come from the information.
 */
export function leastSquaresFit(total: LinearStatistic): Fit | Failure {
  const equations = normalEquations(total);
  const penalty = new Float64Array(equations.predictors);
  const solution = leastSquares(equations, penalty);
  if ('problem' in solution) return solution;
  const { layout } = equations;
  const models = linearModels(equations, solution);
  const aliased = solution.aliased.map((i) => layout.columns[i + 1]);
  const fit = { total, equations, solution, models, aliased, ridge: 0, penalty };
  const covariance = layout.family === undefined ? undefined : unscaledCovariance(fit);
  if (covariance === undefined) return fit;
  return {
    ...fit,
    errors: [{ kind: 'classical', covariance, freedom: Number.POSITIVE_INFINITY }],
  };
}
