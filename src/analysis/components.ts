import type { Failure } from '../failure.ts';
import { symmetricEigen } from '../numeric/eigen.ts';
import { reproducibleKernels } from '../numeric/kernels.ts';
import { type Ink, layOut, numberColumn } from '../text/text-table.ts';
import { columnMoments } from './moments.ts';
import type { QueryInput } from './query-input.ts';
import type { Topic } from './topic.ts';

/** Principal components of the standardised predictors, as R's prcomp(scale. = TRUE) of the model matrix. */
export interface Components {
  readonly about: 'components';
  /** The columns that vary; constant ones are left out. */
  readonly columns: readonly string[];
  readonly components: readonly {
    readonly sd: number;
    readonly proportion: number;
    readonly cumulative: number;
    /** Over the columns; the largest is positive. */
    readonly loadings: readonly number[];
  }[];
}

/** Most columns for a table of loadings. */
const WIDEST = 1000;

/** Eigenvectors of the correlation matrix, the largest first; no more than n − 1 of them. */
export function components({ total, fit }: QueryInput): Components | Failure {
  const { names, correlation } = columnMoments(total);
  const predictors = names.length - total.layout.responses;
  const { rows } = fit.equations;
  const varying = Array.from({ length: predictors }, (_, i) => i).filter(
    (i) => correlation(i, i) !== undefined,
  );
  const width = varying.length;
  if (width === 0 || rows < 2) {
    return { problem: 'no predictor varies', remedy: 'components need columns with a spread' };
  }
  if (width > WIDEST) {
    return {
      problem: `${width} columns are too many to show components of (${WIDEST} at most)`,
      remedy: 'leave out terms first',
    };
  }
  const matrix = Float64Array.from(
    varying.flatMap((i) => varying.map((j) => correlation(i, j) ?? 0)),
  );
  const { values, vectors } = symmetricEigen(reproducibleKernels(), matrix, width);
  let sum = 0;
  const found = Array.from({ length: Math.min(width, rows - 1) }, (_, k) => {
    const at = width - 1 - k;
    const variance = Math.max(0, values[at]);
    sum += variance;
    const loadings = varying.map((_, i) => vectors[i * width + at]);
    const largest = loadings.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a));
    const sign = largest < 0 ? -1 : 1;
    return {
      sd: Math.sqrt(variance),
      proportion: variance / width,
      cumulative: Math.min(1, sum / width),
      loadings: loadings.map((loading) => sign * loading + 0),
    };
  });
  return { about: 'components', columns: varying.map((i) => names[i]), components: found };
}

const MOST_COMPONENTS = 30;
const MOST_LOADINGS = 6;

/** R's summary of prcomp, then the loadings of the first components. */
export function componentsText({ columns, components }: Components, ink: Ink): string {
  const first = components.slice(0, MOST_COMPONENTS);
  const shown = components.slice(0, MOST_LOADINGS);
  const more = (drawn: number) =>
    drawn < components.length
      ? [ink.faint(`and ${components.length - drawn} more components`)]
      : [];
  return [
    ink.bold('Principal components of the standardised predictors'),
    ...layOut(
      [
        ['', ...first.map((_, k) => `PC${k + 1}`)],
        numberColumn(
          'SD',
          first.map(({ sd }) => sd),
          4,
        ),
        numberColumn(
          'Proportion',
          first.map(({ proportion }) => proportion),
          4,
        ),
        numberColumn(
          'Cumulative',
          first.map(({ cumulative }) => cumulative),
          4,
        ),
      ],
      ink,
    ),
    ...more(first.length),
    '',
    ink.bold('Loadings'),
    ...layOut(
      [
        ['', ...columns],
        ...shown.map(({ loadings }, k) => [
          `PC${k + 1}`,
          ...loadings.map((loading) => loading.toFixed(3)),
        ]),
      ],
      ink,
    ),
    ...more(shown.length),
  ].join('\n');
}

export const componentsTopic: Topic<Components> = {
  about: 'components',
  needs: 'sums',
  sees: 'total',
  per: 'model',
  ask: components,
  text: componentsText,
};
