import { DataError } from '../data-error.ts';
import { unitReference } from '../features/reference.ts';
import { errorsOf } from '../model/errors.ts';
import type { Fit } from '../model/fit.ts';
import { linearModel } from '../model/linear-model.ts';
import { leastSquares } from '../solve/least-squares.ts';
import { normalEquations } from '../solve/normal-equations.ts';
import { unitPenalty } from '../solve/penalty.ts';
import { type Estimate, estimateStatistic } from '../statistic/estimate.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import { type LinearStatistic, rowCount, statistics } from '../statistic/statistic.ts';
import type { EstimateFusion } from '../study/study.ts';
import { listed } from '../text/number-text.ts';

/**
 * The site's half of an average: least squares or ridge on its own rows. It is solved from exact sums, so the number of
 * threads does not change it. Refuses where the rows do not determine every coefficient.
 */
export function ownEstimate(
  layout: LinearLayout,
  rows: LinearStatistic,
  fusion: EstimateFusion,
  site: string,
): LinearStatistic {
  const n = rowCount(rows);
  if (n === 0) return statistics(layout).zero;
  const fit = ownFit(rows, fusion.ridge ?? 0, site);
  const sent = estimateStatistic(
    layout,
    n,
    fit.models.map(({ estimates: coefficients }, response): Estimate => {
      if (fusion.covariance !== true) return { coefficients };
      const errors = errorsOf(fit, response);
      if (errors === undefined) throw withoutErrors(site);
      return { coefficients, covariance: errors.covariance };
    }),
  );
  if (!('tooLarge' in sent)) return sent;
  throw new DataError(
    `the rows of ${site} hardly determine ${fit.models[0].terms[sent.tooLarge]}: its coefficient, or its variance, is too large to send`,
    {},
    remedy,
  );
}

const remedy = 'give the fusion a ridge, or leave the term out of the study';

/** The site's own regression, its coefficients in units of the references. */
function ownFit(rows: LinearStatistic, ridge: number, site: string): Fit {
  const equations = normalEquations(rows);
  const penalty = unitPenalty(equations, 'raw').map((unit) => unit * ridge);
  const solution = leastSquares(equations, penalty);
  if ('problem' in solution) {
    throw new DataError(`${site}: ${solution.problem}`, {}, solution.remedy);
  }
  const { layout } = equations;
  const aliased = solution.aliased.map((i) => layout.columns[i + 1]);
  if (aliased.length > 0) {
    throw new DataError(`the rows of ${site} do not determine ${listed(aliased)}`, {}, remedy);
  }
  // With unit references, the user's units are those of the references.
  const references = layout.references.map(() => unitReference);
  const framed = { ...equations, layout: { ...layout, references } };
  const models = Array.from({ length: layout.responses }, (_, response) =>
    linearModel(framed, solution, response),
  );
  return { total: rows, equations: framed, solution, models, aliased, ridge, penalty };
}

function withoutErrors(site: string): DataError {
  return new DataError(
    `the rows of ${site} leave no covariance to send: there are too few rows, or too many columns`,
    {},
    'take a fusion without covariance, or leave out terms',
  );
}
