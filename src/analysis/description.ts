import type { Failure } from '../failure.ts';
import { grouped } from '../model/number-text.ts';
import { type Ink, layOut } from '../model/text-table.ts';
import { layOutBlocks } from '../model/wide-table-text.ts';
import type { Evidence } from './evidence.ts';
import { columnMoments } from './moments.ts';
import { numberColumn } from './number-column.ts';
import type { Topic } from './topic.ts';

/**
 * Means, standard deviations (divisor n − 1) and correlations of the pooled columns of the model matrix, responses last.
 * Of weighted rows SD = √(Σw(x − x̄)²/Σw · n/(n − 1)): R's cov.wt(method = "ML") times n/(n − 1).
 */
export interface Description {
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

/** Describes the columns without their rows. */
export function describeColumns({ total, fit }: Evidence): Description | Failure {
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
export function descriptionText({ n, columns, correlations }: Description, ink: Ink): string {
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

export const descriptionTopic: Topic<Description> = {
  about: 'description',
  needs: 'sums',
  sees: 'total',
  per: 'model',
  ask: describeColumns,
  text: descriptionText,
};
