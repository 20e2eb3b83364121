import type { Failure } from '../failure.ts';
import type { CoefficientErrors } from '../model/fit.ts';
import type { LinearModel } from '../model/linear-model.ts';
import { jointTailLog, waldSquare, waldTest } from '../model/wald.ts';
import { fTail } from '../numeric/distributions.ts';
import { probability } from '../text/number-text.ts';
import { alignedColumn, type Ink, layOut, numberColumn } from '../text/text-table.ts';
import { coefficientPlaces, modelTerms } from './model-terms.ts';
import type { QueryInput } from './query-input.ts';
import { explainedBy } from './submodel.ts';
import { untestable } from './testable.ts';
import type { Topic } from './topic.ts';

/**
 * Type III tests under treatment coding: what each term adds to all the others, as car::Anova(type = 3) and, without the
 * intercept, R's drop1 (broom's names; the last row is Residuals).
 */
export interface Anova {
  readonly about: 'anova';
  /** Wald tests where the errors are clustered by site, or the sites' intercepts are random. */
  readonly test: JointTest;
  readonly rows: readonly AnovaRow[];
}

export type JointTest = 'F' | 'Wald F' | 'Wald chi-square' | 'likelihood ratio';

export interface AnovaRow {
  readonly term: string;
  readonly df: number;
  /** Absent in a Wald test, which compares no sums of squares. */
  readonly sumsq?: number;
  readonly meansq?: number;
  readonly statistic?: number;
  readonly 'p.value'?: number;
}

/** Tests every term and the intercept. */
export function anova(input: QueryInput): Anova | Failure {
  const { fit, response } = input;
  const refusal = untestable(input);
  if (refusal !== undefined) return refusal;
  const errors = fit.errors?.[response];
  if (errors !== undefined) return waldTable(input, errors);
  const model = fit.models[response];
  const freedom = model.rows - model.terms.length;
  const sigmaSquared = model.residualSumOfSquares / freedom;
  const rows: AnovaRow[] = [];
  const add = (term: string, df: number, sumsq: number) => {
    const statistic = sumsq / df / sigmaSquared;
    rows.push({
      term,
      df,
      sumsq,
      ...(df === 0
        ? {}
        : { meansq: sumsq / df, statistic, 'p.value': fTail(statistic, df, freedom) }),
    });
  };
  if (model.intercept) {
    add('(Intercept)', 1, model.estimates[0] ** 2 / model.unscaledVariances[0]);
  }
  for (const { label, columns } of modelTerms(input)) {
    const extra = explainedBy(fit, response, columns);
    if ('problem' in extra) return extra;
    add(label, extra.df, extra.sumsq);
  }
  rows.push({
    term: 'Residuals',
    df: freedom,
    sumsq: model.residualSumOfSquares,
    meansq: sigmaSquared,
  });
  return { about: 'anova', test: 'F', rows };
}

/** The name of a test of several coefficients, by the degrees of freedom of its errors. */
export function jointTest(errors: CoefficientErrors | undefined): JointTest {
  if (errors === undefined) return 'F';
  return errors.freedom === Number.POSITIVE_INFINITY ? 'Wald chi-square' : 'Wald F';
}

function waldTable(input: QueryInput, errors: CoefficientErrors): Anova {
  const { fit, response } = input;
  const model = fit.models[response];
  const terms = [
    ...(model.intercept ? [{ term: '(Intercept)', places: [0] }] : []),
    ...modelTerms(input).map(({ label, columns }) => ({
      term: label,
      places: coefficientPlaces(fit, columns),
    })),
  ];
  const rows: AnovaRow[] = terms.map(({ term, places }) => ({
    term,
    df: places.length,
    ...waldOf(model, errors, places),
  }));
  if (errors.freedom !== Number.POSITIVE_INFINITY) {
    rows.push({ term: 'Residuals', df: errors.freedom });
  }
  return { about: 'anova', test: jointTest(errors), rows };
}

/** The Wald test of the coefficients at these places; empty where their covariance is singular. */
export function waldOf(
  model: LinearModel,
  { covariance, freedom }: CoefficientErrors,
  places: readonly number[],
): { readonly statistic?: number; readonly 'p.value'?: number } {
  if (places.length === 0) return {};
  const width = model.terms.length;
  const block = Float64Array.from(
    places.flatMap((i) => places.map((j) => covariance[i * width + j])),
  );
  const square = waldSquare(
    places.map((place) => model.estimates[place]),
    block,
  );
  if (square === undefined) return {};
  const { statistic, 'p.value': p } = waldTest(square, places.length, freedom);
  return { statistic, 'p.value': p };
}

/** The table of R's Anova(type = 3). */
export function anovaText({ test, rows }: Anova, ink: Ink): string {
  const chiSquare = test === 'Wald chi-square';
  const residuals = chiSquare ? undefined : rows.at(-1);
  const freedom = residuals?.df ?? Number.POSITIVE_INFINITY;
  const sums = test === 'F';
  const columns = [
    ['', ...rows.map(({ term }) => term)],
    ['Df', ...rows.map(({ df }) => String(df))],
    ...(sums
      ? [
          numberColumn(
            'Sum Sq',
            rows.map(({ sumsq }) => sumsq),
          ),
          numberColumn(
            'Mean Sq',
            rows.map(({ meansq }) => meansq),
          ),
        ]
      : []),
    numberColumn(
      chiSquare ? 'Chisq' : 'F value',
      rows.map(({ statistic }) => statistic),
      4,
    ),
    alignedColumn(
      chiSquare ? 'Pr(>Chisq)' : 'Pr(>F)',
      rows.map(({ statistic, df }) =>
        statistic === undefined ? '' : probability(jointTailLog(statistic, df, freedom)),
      ),
    ),
  ];
  return [
    ink.bold(`Type III ${test} tests: each term given all the others`),
    ...layOut(columns, ink),
    ...(rows.some(({ term }) => term.includes(':'))
      ? [
          ink.faint(
            'treatment coding: a term below an interaction is tested at the baseline of the others',
          ),
        ]
      : []),
  ].join('\n');
}

export const anovaTopic: Topic<Anova> = {
  about: 'anova',
  needs: 'information',
  sees: 'total',
  per: 'response',
  ask: anova,
  text: anovaText,
};
