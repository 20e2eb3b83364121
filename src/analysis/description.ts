import type { Failure } from '../failure.ts';
import type { Evidence } from './evidence.ts';
import { columnMoments } from './moments.ts';

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
