import type { Failure } from '../failure.ts';
import { ddArray } from '../numeric/dd-matrix.ts';
import { reproducibleKernels } from '../numeric/kernels.ts';
import type { LinearSiteStatistic } from '../statistic/site-statistics.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import { type ChosenPenalty, type CurvePoint, leftOutChoice } from './choose-curve.ts';
import { lambdaSequence, lassoPath, lassoProblem, lassoScale } from './lasso.ts';
import { leftOutCurve, leftOutGroups } from './left-out.ts';
import { leftOutLosses } from './left-out-fold.ts';
import type { NormalEquations } from './normal-equations.ts';

/**
 * How well the lasso without a group of sites predicts that group, along decreasing lambdas. As with ridges, the other sites
 * have their own means, intercept and Σw, and columns keep the total's SDs (cv.glmnet takes those of each fold).
 */
export function leftOutLassos(
  total: LinearStatistic,
  equations: NormalEquations,
  mix: number,
  groups: readonly LinearStatistic[],
  lambdas: readonly number[],
): Required<CurvePoint>[] {
  const kernels = reproducibleKernels();
  const scale = lassoScale(equations);
  const { predictors, responses } = equations;
  return leftOutCurve(equations, total, groups, lambdas, (fold) =>
    Array.from({ length: responses }, (_, r) => {
      const problem = lassoProblem(scale, fold.train, predictors + r, fold.trainWeight);
      const path = lassoPath(kernels, problem, lambdas, mix, scale.responseUnits[r]);
      const last = path[path.length - 1];
      const base = ddArray(predictors);
      const differences = new Float64Array(predictors * lambdas.length);
      scale.kept.forEach((column, k) => {
        base.hi[column] = last[k] / scale.deviations[k];
        path.forEach((b, l) => {
          differences[column * lambdas.length + l] = (b[k] - last[k]) / scale.deviations[k];
        });
      });
      return leftOutLosses(kernels, fold, r, base, differences);
    }),
  );
}

/** The lambda of glmnet's sequence that predicts left-out sites best. */
export function chooseLasso(
  total: LinearStatistic,
  equations: NormalEquations,
  mix: number,
  prefer: 'minimum' | 'one-standard-error',
  sites: readonly LinearSiteStatistic[] | undefined,
): ChosenPenalty | Failure {
  const groups = leftOutGroups(sites, Number.POSITIVE_INFINITY);
  if ('problem' in groups) return groups;
  const lambdas = lambdaSequence(equations, mix);
  if (!(lambdas[0] > 0)) {
    return {
      problem: 'no column is correlated with the response, so every lasso is the same',
      remedy: 'give a lambda',
    };
  }
  const curve = leftOutLassos(total, equations, mix, groups, lambdas);
  return leftOutChoice('leave-one-site-out', curve, prefer);
}
