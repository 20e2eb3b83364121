import type { Failure } from '../failure.ts';
import { standardErrors } from '../model/errors.ts';
import { type Ink, layOut, numberColumn } from '../text/text-table.ts';
import { columnMoments } from './moments.ts';
import type { QueryInput } from './query-input.ts';
import type { Topic } from './topic.ts';

/**
 * Slopes per standard deviation of their column of the model matrix, in standard deviations of the response:
 * as lm gives for columns transformed by scale().
 */
export interface Standardized {
  readonly about: 'standardized';
  readonly terms: readonly {
    readonly term: string;
    /** b · sd(x) / sd(y). */
    readonly estimate: number;
    /** The report's standard error in these units; under a penalty it ignores the bias. */
    readonly 'std.error'?: number;
    /** b · sd(x): the response's units for one SD of the column. */
    readonly perSd: number;
  }[];
}

/** Standardized slopes, without the site intercepts. */
export function standardized({ total, fit, response }: QueryInput): Standardized | Failure {
  if (fit.equations.rows < 2) {
    return { problem: 'one row has no spread', remedy: 'wait for more rows' };
  }
  const { names, deviations } = columnMoments(total);
  const predictors = names.length - total.layout.responses;
  const unit = deviations[predictors + response];
  if (!(unit > 0)) {
    return {
      problem: 'the response does not vary, so it has no standard deviation',
      remedy: 'look at the coefficients in their own units',
    };
  }
  const model = fit.models[response];
  const first = model.intercept ? 1 : 0;
  const known = standardErrors(fit, response);
  const rows = fit.solution.kept.flatMap((column, k) => {
    if (column >= predictors) return [];
    const error = known?.errors[k + first] ?? Number.NaN;
    const perSd = model.estimates[k + first] * deviations[column];
    return [
      {
        term: model.terms[k + first],
        estimate: perSd / unit,
        ...(Number.isNaN(error) ? {} : { 'std.error': (error * deviations[column]) / unit }),
        perSd,
      },
    ];
  });
  return { about: 'standardized', terms: rows };
}

/** Slopes without units, and in the response's units for one SD of the column. */
export function standardizedText({ terms }: Standardized, ink: Ink): string {
  const title = ink.bold('Standardised slopes: what one SD of a column adds to the response');
  if (terms.length === 0) return `${title}\nThe model has no slopes.`;
  const known = terms.some((row) => row['std.error'] !== undefined);
  return [
    title,
    ...layOut(
      [
        ['', ...terms.map(({ term }) => term)],
        numberColumn(
          'SDs per SD',
          terms.map(({ estimate }) => estimate),
          4,
        ),
        ...(known
          ? [
              numberColumn(
                'Std. Error',
                terms.map((row) => row['std.error']),
                4,
              ),
            ]
          : []),
        numberColumn(
          'units per SD',
          terms.map(({ perSd }) => perSd),
          4,
        ),
      ],
      ink,
    ),
  ].join('\n');
}

export const standardizedTopic: Topic<Standardized> = {
  about: 'standardized',
  needs: 'sums',
  sees: 'total',
  per: 'response',
  ask: standardized,
  text: standardizedText,
};
