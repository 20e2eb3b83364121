import type { Failure } from '../failure.ts';
import { unscaledCovariance } from '../model/covariance.ts';
import { ddCholesky } from '../numeric/dd-cholesky.ts';
import { type DdMatrix, ddAt, ddMatrix, ddSet } from '../numeric/dd-matrix.ts';
import { listed, significant } from '../text/number-text.ts';
import { type Ink, layOut, numberColumn } from '../text/text-table.ts';
import { type ConditionIndex, conditionIndices } from './condition-indices.ts';
import { modelTerms } from './model-terms.ts';
import type { QueryInput } from './query-input.ts';
import { type PlainFit, plainFit } from './submodel.ts';
import type { Topic } from './topic.ts';

/** Variance inflation by term, and Belsley's condition indices with their variance shares. */
export interface Collinearity {
  readonly about: 'collinearity';
  /** GVIF of Fox & Monette (1992), as car::vif; with one column per term it is the VIF. `scaled` is GVIF^(1/(2 df)). */
  readonly terms: readonly {
    readonly term: string;
    readonly df: number;
    readonly gvif: number;
    readonly scaled: number;
  }[];
  /**
   * From the design with columns of unit length, intercept included; largest index last (Belsley, Kuh & Welsch 1980,
   * §3.2).
   */
  readonly indices: readonly ConditionIndex[];
}

/** Most columns for a table of variance shares. */
const WIDEST = 500;

/** How strongly the predictors depend on each other, whatever penalty the model has. */
export function collinearity(input: QueryInput): Collinearity | Failure {
  const fit = plainFit(input);
  if ('problem' in fit) return fit;
  const { kept } = fit.solution;
  const covariance = kept.length > WIDEST ? undefined : unscaledCovariance(fit);
  if (kept.length === 0 || covariance === undefined) {
    return {
      problem:
        kept.length === 0
          ? 'there is no predictor that could be collinear'
          : `${kept.length} columns are too many to look into (${WIDEST} at most)`,
      remedy: 'the condition number of the report covers all of them; VIFs are in its terms',
    };
  }
  const terms = modelTerms({ ...input, fit: { ...input.fit, ...fit } }).flatMap(
    ({ label, columns }) => {
      const own = columns.filter((column) => kept.includes(column));
      if (own.length === 0) return [];
      const gvif = inflation(fit, own);
      return [{ term: label, df: own.length, gvif, scaled: gvif ** (1 / (2 * own.length)) }];
    },
  );
  const names = fit.models[input.response].terms;
  return { about: 'collinearity', terms, indices: conditionIndices(fit, names, covariance) };
}

/** det((S⁻¹)ₜₜ) · det(Sₜₜ), which is car's ratio of determinants by Schur's complement. */
function inflation({ equations, solution }: PlainFit, columns: readonly number[]): number {
  const places = columns.map((column) => solution.kept.indexOf(column));
  const { inverse } = solution.factored!;
  return Math.exp(logDeterminant(equations.matrix, columns) + logDeterminant(inverse, places));
}

/** ln det of some rows and columns of a positive definite matrix. */
function logDeterminant(matrix: DdMatrix, at: readonly number[]): number {
  const width = at.length;
  const block = ddMatrix(width);
  at.forEach((i, k) => {
    at.forEach((j, l) => {
      ddSet(block, k * width + l, ddAt(matrix, i * matrix.width + j));
    });
  });
  let sum = 0;
  ddCholesky(block, width, ({ pivot }) => {
    sum += Math.log(pivot.hi);
    return false;
  });
  return sum;
}

/** Belsley's rule: a direction is harmful above this index, where two or more shares exceed a half. */
const HIGH_INDEX = 30;
const MOST_SHARES = 12;
const MOST_DIRECTIONS = 30;

/** Variance inflation by term, then the directions with their indices and the shares above a tenth. */
export function collinearityText({ terms, indices }: Collinearity, ink: Ink): string {
  const inflation = layOut(
    [
      ['', ...terms.map(({ term }) => term)],
      ['Df', ...terms.map(({ df }) => String(df))],
      numberColumn(
        'GVIF',
        terms.map(({ gvif }) => gvif),
        4,
      ),
      numberColumn(
        'GVIF^(1/(2*Df))',
        terms.map(({ scaled }) => scaled),
        4,
      ),
    ],
    ink,
  );
  const first = Math.max(0, indices.length - MOST_DIRECTIONS); // the worst come last
  const worst = indices.slice(first);
  const directions = layOut(
    [
      ['', ...worst.map((_, k) => String(first + k + 1))],
      numberColumn(
        'Eigenvalue',
        worst.map(({ eigenvalue }) => eigenvalue),
        4,
      ),
      numberColumn(
        'Index',
        worst.map(({ index }) => index),
        4,
      ),
    ],
    ink,
  );
  const harmful = indices
    .filter(({ index, shares }) => index > HIGH_INDEX && majorities(shares).length > 1)
    .map(
      ({ index, shares }) =>
        `index ${significant(index, 3)} is carried by ${listed(majorities(shares), MOST_SHARES)}`,
    );
  return [
    ink.bold('Variance inflation'),
    ...inflation,
    '',
    ink.bold('Condition indices (columns of unit length, intercept included)'),
    ...directions,
    ...(first > 0 ? [ink.faint(`and ${first} smaller ones`)] : []),
    ...(harmful.length > 0
      ? harmful
      : [ink.faint('no index above 30 with two shares above a half')]),
  ].join('\n');
}

function majorities(shares: Readonly<Record<string, number>>): string[] {
  return Object.entries(shares)
    .filter(([, share]) => share > 0.5)
    .map(([name, share]) => `${name} (${Math.round(100 * share)} %)`);
}

export const collinearityTopic: Topic<Collinearity> = {
  about: 'collinearity',
  needs: 'sums',
  sees: 'total',
  per: 'model',
  ask: collinearity,
  text: collinearityText,
};
