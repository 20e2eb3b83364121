import type { Failure } from '../failure.ts';
import { unscaledCovariance } from '../model/covariance.ts';
import type { Fit } from '../model/fit.ts';
import { type LinearModel, linearModel } from '../model/linear-model.ts';
import { leastSquares } from '../solve/least-squares.ts';
import { normalEquations } from '../solve/normal-equations.ts';
import { wordsOf } from '../statistic/layout.ts';
import { fractionBitsOf, triangleEntries } from '../statistic/linear-layout.ts';
import { ringDoubleDouble } from '../statistic/ring.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import type { GlmFusion } from '../study/study.ts';
import { newtonDeviation, oneRoundDeviation } from './glm-deviation.ts';

/**
 * Logistic or Poisson regression from summed expansions: β = (Σ Hₖ)⁻¹ Σ (Hₖβₖ + gₖ); `mapped` names a feature map's
 * columns.
 */
export function resolveGlm(
  total: LinearStatistic,
  fusion: GlmFusion,
  mapped: ReadonlySet<string> = new Set(),
): Fit | Failure {
  const equations = normalEquations(total);
  const { layout, rows, weightSum } = equations;
  if (rows === 0) {
    return {
      problem: 'no rows are left',
      remedy: 'every row had a missing cell in a column the formula uses',
    };
  }
  if (!(weightSum > rows * NO_INFORMATION)) return separated('all terms together');
  const penalty = new Float64Array(equations.predictors);
  const solution = leastSquares(equations, penalty);
  if ('problem' in solution) return solution;
  const model = linearModel(equations, solution, 0);
  const covariance = unscaledCovariance({ equations, solution, penalty });
  const runaway = runawayTerm(model, total, mapped);
  if (runaway !== undefined) return separated(runaway);
  const { logLik, responseSum } = extras(total);
  const fit: Fit = {
    total,
    equations,
    solution,
    models: [model],
    aliased: solution.aliased.map((i) => layout.columns[i + 1]),
    ridge: 0,
    penalty,
    ...(covariance === undefined
      ? {}
      : { errors: [{ kind: 'classical', covariance, freedom: Number.POSITIVE_INFINITY }] }),
  };
  const deviation =
    fusion.at === undefined ? oneRoundDeviation(fit) : newtonDeviation(fit, fusion.at);
  return {
    ...fit,
    glm: {
      family: fusion.family,
      steps: fusion.at === undefined ? 0 : 1,
      deviation,
      logLik: logLik - model.residualSumOfSquares / 2,
      responseSum,
    },
  };
}

/** The log-likelihood where each site's expansion is largest, and the sum of the response. */
function extras({ layout, values }: LinearStatistic): { logLik: number; responseSum: number } {
  const extra = (k: number) =>
    ringDoubleDouble(values, wordsOf(layout), triangleEntries(layout) + k, fractionBitsOf(layout));
  return { logLik: extra(1).hi, responseSum: extra(2).hi * (layout.weightScale ?? 1) ** 2 };
}

/** Average information per row below which every fitted mean is at its limit. */
const NO_INFORMATION = 1e-9;
/** A change of the linear predictor over half a column's range, above which no data could show the difference. */
const RUNAWAY = 15;

/**
 * A term whose coefficient is huge but below its error: its rows are separated. Mapped columns are not checked: their
 * possible range is much larger than their actual one.
 */
function runawayTerm(
  model: LinearModel,
  { layout }: LinearStatistic,
  mapped: ReadonlySet<string>,
): string | undefined {
  return model.terms.find((term, k) => {
    const column = layout.columns.indexOf(term);
    const size = Math.abs(model.estimates[k]);
    const error = Math.sqrt(model.unscaledVariances[k]);
    if (column <= 0 || mapped.has(term)) return false;
    return size * layout.references[column].scale > RUNAWAY && error > size;
  });
}

function separated(term: string): Failure {
  return {
    problem: `the rows are separated: the coefficient of ${term} grows without end`,
    remedy: "keep to one round, where Firth's correction holds, or leave the term out",
  };
}
