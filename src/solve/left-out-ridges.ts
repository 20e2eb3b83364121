import { reproducibleKernels } from '../numeric/kernels.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import type { CurvePoint } from './choose-curve.ts';
import { ridges } from './choose-ridges.ts';
import { leftOutCurve } from './left-out.ts';
import { leftOutLosses } from './left-out-fold.ts';
import type { NormalEquations } from './normal-equations.ts';

/**
 * How well ridges fitted without a group of sites predict it, for each group in turn. The sites that stay have their own
 * means and intercept; the penalty is that of the whole study, so standardised columns keep the total's SDs. One
 * tridiagonalisation a group, then O(p²) for each ridge.
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
