import { normalEquations } from '../solve/normal-equations.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';

/** Means, SDs and correlations of the columns of a total, the responses last. */
export interface ColumnMoments {
  readonly names: readonly string[];
  readonly means: Float64Array;
  /**
   * Divisor n − 1. For weighted rows √(Σw(x − x̄)²/Σw · n/(n − 1)): weights of mean 1, because Σw², which
   * R's cov.wt divides by, is not in the total.
   */
  readonly deviations: Float64Array;
  /** Undefined where one of the two does not vary. */
  correlation(i: number, j: number): number | undefined;
}

/** The moments about the mean, whether or not the model has an intercept. */
export function columnMoments(total: LinearStatistic): ColumnMoments {
  const { layout } = total;
  const { matrix, equilibration, means, weightSum, rows } = normalEquations({
    ...total,
    layout: { ...layout, intercept: true },
  });
  const { width } = matrix;
  const weightScale = layout.weightScale ?? 1;
  const weight = weightSum / weightScale ** 2;
  const nothing = layout.arithmetic === 'exact' ? 2 ** -60 : 2 ** -26;
  const varies = Array.from({ length: width }, (_, i) => {
    const square = matrix.hi[i * width + i];
    return square > nothing * (square + weight * (means.hi[i] * equilibration[i]) ** 2);
  });
  const references = layout.references.slice(1);
  const correlation = (i: number, j: number): number | undefined => {
    if (!varies[i] || !varies[j]) return undefined;
    if (i === j) return 1;
    const product = Math.sqrt(matrix.hi[i * width + i]) * Math.sqrt(matrix.hi[j * width + j]);
    return Math.max(-1, Math.min(1, matrix.hi[i * width + j] / product));
  };
  return {
    names: layout.columns.slice(1),
    means: Float64Array.from(references, ({ center, scale }, i) => center + scale * means.hi[i]),
    deviations: Float64Array.from(references, ({ scale }, i) => {
      if (!varies[i]) return 0;
      const square = (matrix.hi[i * width + i] / weight) * (rows / (rows - 1));
      return (scale / equilibration[i]) * Math.sqrt(square);
    }),
    correlation,
  };
}
