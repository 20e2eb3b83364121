import type { Failure } from '../failure.ts';
import { grouped } from '../text/number-text.ts';
import { type Ink, layOut, layOutBlocks, numberColumn } from '../text/text-table.ts';
import { columnMoments } from './moments.ts';
import type { QueryInput } from './query-input.ts';
import type { Topic } from './topic.ts';

/**
 * Means, standard deviations (divisor n − 1) and correlations of the pooled columns of the model matrix, responses last.
 * For weighted rows SD = √(Σw(x − x̄)²/Σw · n/(n − 1)): R's cov.wt(method = "ML") times n/(n − 1).
 */
export interface DataDescription {
  readonly about: 'description';
  readonly n: number;
  readonly columns: readonly {
    readonly column: string;
    readonly mean: number;
    readonly sd: number;
  }[];
  /** Row-major over the columns; absent entries (a constant column) are null. */
  readonly correlations: readonly (readonly (number | null)[])[];
}

/** Describes the columns from their sums. */
export function describeColumns({ total, fit }: QueryInput): DataDescription | Failure {
  const { rows } = fit.equations;
  if (rows < 2) {
    return { problem: 'one row has no spread', remedy: 'wait for more rows' };
  }
  const { names, means, deviations, correlation } = columnMoments(total);
  return {
    about: 'description',
    n: rows,
    columns: names.map((column, i) => ({ column, mean: means[i], sd: deviations[i] })),
    correlations: names.map((_, i) => names.map((_, j) => correlation(i, j) ?? null)),
  };
}

const MOST_CORRELATED = 12;

/** Means and SDs, and the lower triangle of the correlations where it fits a page. */
export function descriptionText({ n, columns, correlations }: DataDescription, ink: Ink): string {
  const names = columns.map(({ column }) => column);
  const lines = [
    ink.bold(`Columns over ${grouped(n)} rows`),
    ...layOut(
      [
        ['', ...names],
        numberColumn(
          'mean',
          columns.map(({ mean }) => mean),
        ),
        numberColumn(
          'SD',
          columns.map(({ sd }) => sd),
        ),
      ],
      ink,
    ),
  ];
  if (names.length > MOST_CORRELATED) {
    lines.push(ink.faint(`correlations of ${names.length} columns: see --json`));
    return lines.join('\n');
  }
  const cell = (i: number, j: number) => {
    if (j >= i) return '';
    return correlations[i][j]?.toFixed(3) ?? 'NA';
  };
  const triangle = names.slice(0, -1).map((name, j) => [name, ...names.map((_, i) => cell(i, j))]);
  if (triangle.length === 0) return lines.join('\n');
  return [
    ...lines,
    '',
    ink.bold('Correlations'),
    ...layOutBlocks([['', ...names], ...triangle], ink),
  ].join('\n');
}

export const descriptionTopic: Topic<DataDescription> = {
  about: 'description',
  needs: 'sums',
  sees: 'total',
  per: 'model',
  ask: describeColumns,
  text: descriptionText,
};
