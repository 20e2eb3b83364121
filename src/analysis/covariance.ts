import type { Failure } from '../failure.ts';
import { errorsOf } from '../model/errors.ts';
import { significant } from '../text/number-text.ts';
import { type Ink, layOutBlocks } from '../text/text-table.ts';
import type { QueryInput } from './query-input.ts';
import type { Topic } from './topic.ts';

/** Covariance of the coefficients, in the order of the report's terms. */
export interface CoefficientCovariance {
  readonly about: 'covariance';
  /** The kind of the errors, as in the report. */
  readonly errors: string;
  readonly terms: readonly string[];
  readonly matrix: readonly (readonly number[])[];
}

/** Var(b), as R's vcov(). */
export function covarianceAnswer({ fit, response }: QueryInput): CoefficientCovariance | Failure {
  const errors = errorsOf(fit, response);
  const { terms } = fit.models[response];
  if (errors === undefined) {
    return {
      problem:
        fit.lasso === undefined
          ? 'no covariance: no row is left over, or there are too many columns'
          : 'the coefficients of a lasso have no covariance in closed form',
      remedy: 'ask for least squares (a ridge of 0) or with fewer terms',
    };
  }
  const width = terms.length;
  return {
    about: 'covariance',
    errors: errors.kind,
    terms,
    matrix: terms.map((_, i) => Array.from(errors.covariance.subarray(i * width, (i + 1) * width))),
  };
}

const WIDEST = 12;

const assumptions: Readonly<Record<string, string>> = {
  classical: '',
  clustered: ' (clustered by site)',
  'ignoring-bias': ' (ignores the bias of the penalty)',
};

/** The matrix as R's vcov() prints it, where it fits a page. */
export function covarianceText({ terms, matrix, errors }: CoefficientCovariance, ink: Ink): string {
  const title = ink.bold(`Covariance of the coefficients${assumptions[errors] ?? ''}`);
  if (terms.length > WIDEST) {
    return [title, ink.faint(`${terms.length} by ${terms.length} numbers: see --json`)].join('\n');
  }
  const columns = terms.map((term, j) => [term, ...matrix.map((row) => significant(row[j], 4))]);
  return [title, ...layOutBlocks([['', ...terms], ...columns], ink)].join('\n');
}

export const covarianceTopic: Topic<CoefficientCovariance> = {
  about: 'covariance',
  needs: 'information',
  sees: 'total',
  per: 'response',
  ask: covarianceAnswer,
  text: covarianceText,
};
