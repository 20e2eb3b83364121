import type { LinearStatistic } from '../statistic/statistic.ts';
import { designFactor } from './design-factor.ts';

/** How the rows share what a likelihood's sums say of the response beyond the predictors: Σc² and the largest c². */
export interface ScoreShare {
  readonly squares: number;
  readonly largest: number;
  /** Σ of the squared moments before the predictors were taken out. */
  readonly before: number;
}

export interface ScoreCounter {
  /** Takes the columns of z in the user's units, the constant first, the weights of the rows and their moments. */
  add(
    rows: number,
    columns: readonly Float64Array[],
    weights: Float64Array,
    moments: Float64Array,
  ): void;
  finish(): ScoreShare;
}

/** Below this share of the moments' squares, what is left is rounding. */
const ROUNDING = 2 ** -84;

/**
 * Measures c = m − w·xᵀb for every row, with moments m = wη + y − μ and the b that the statistic itself gives: sums of c over
 * columns follow from the statistic, so c must not be one row's.
 */
export function scoreCounter(statistic: LinearStatistic): ScoreCounter {
  const factor = designFactor(statistic);
  const { equations, kept } = factor;
  const inverse = factor.inverse();
  const { matrix, means, equilibration, predictors } = equations;
  const { references } = statistic.layout;
  const slopes = kept.map((_, k) =>
    kept.reduce(
      (sum, column, j) =>
        sum + inverse[k * kept.length + j] * matrix.hi[column * matrix.width + predictors],
      0,
    ),
  );
  const units = slopes.map(
    (slope, k) => (slope * equilibration[kept[k]]) / equilibration[predictors],
  );
  let squares = 0;
  let largest = 0;
  let before = 0;
  return {
    add(rows, columns, weights, moments) {
      for (let r = 0; r < rows; r++) {
        let predicted = means.hi[predictors];
        kept.forEach((column, k) => {
          const { center, scale } = references[column + 1];
          const u = (columns[column + 1][r] - center) / scale;
          predicted += units[k] * (u - means.hi[column]);
        });
        const left = (moments[r] - weights[r] * predicted) ** 2;
        squares += left;
        largest = Math.max(largest, left);
        before += moments[r] ** 2;
      }
    },
    finish: () => ({ squares, largest, before }),
  };
}

export function joinScores(parts: readonly ScoreShare[]): ScoreShare {
  return parts.reduce((a, b) => ({
    squares: a.squares + b.squares,
    largest: Math.max(a.largest, b.largest),
    before: a.before + b.before,
  }));
}

/** The largest share of one row; 0 where the predictors say all. */
export function largestScoreShare({ squares, largest, before }: ScoreShare): number {
  return squares <= ROUNDING * before ? 0 : largest / squares;
}
