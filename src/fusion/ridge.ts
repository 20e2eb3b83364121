import type { Fit } from '../model/fit.ts';
import { type LinearModel, linearModel } from '../model/linear-model.ts';
import { chooseByGcv } from '../solve/choose.ts';
import { leastSquares } from '../solve/least-squares.ts';
import { type NormalEquations, normalEquations } from '../solve/normal-equations.ts';
import { unitPenalty } from '../solve/penalty.ts';
import { vouchedDigits } from '../solve/rounding.ts';
import type { Solution, Unsolved } from '../solve/solution.ts';
import type { SitePart } from '../statistic/site-part.ts';
import type { Statistic } from '../statistic/statistic.ts';
import type { RidgeFusion } from '../study/study.ts';

/** Ridge regression from a total: the coordinator's half of the main fusion. */
export function resolveRidge(
  total: Statistic,
  fusion: RidgeFusion,
  _parts?: readonly SitePart[],
): Fit | Unsolved {
  const equations = normalEquations(total);
  const { layout, rows } = equations;
  if (rows === 0) {
    return {
      problem: 'no rows are left',
      advice: 'every row had a missing cell in a column the formula uses',
    };
  }
  const unit = unitPenalty(equations, fusion.standardize === true ? 'standardized' : 'raw');
  const chosen = fusion.ridge === 'gcv' ? chooseByGcv(equations, unit) : undefined;
  const ridge = chosen?.ridge ?? (fusion.ridge as number);
  const penalty = unit.map((p) => p * ridge);
  const solution = leastSquares(equations, penalty);
  if ('problem' in solution) return solution;
  const models = Array.from({ length: equations.responses }, (_, r) =>
    linearModel(equations, solution, r),
  );
  return {
    total,
    equations,
    solution,
    models,
    aliased: solution.aliased.map((i) => layout.columns[i + 1]),
    ridge,
    penalty,
    ...(chosen === undefined ? {} : { chosen }),
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
