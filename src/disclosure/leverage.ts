import type { LinearStatistic } from '../statistic/statistic.ts';
import { type DesignFactor, designFactor, wholeFactor } from './design-factor.ts';
import type { RowFacts } from './row-facts.ts';

/**
 * Upper bound of the leverage aᵀG⁻¹a of a row with these facts, the constant included: as if one row had the largest
 * deviation of every column. Of rows that do not count alike it is not bounded here: NaN.
 */
export function leverageBound(statistic: LinearStatistic, facts: RowFacts): number {
  return boundOver(designFactor(statistic), statistic, facts);
}

/** The same of the predictors and the responses together. */
export function wholeLeverageBound(statistic: LinearStatistic, facts: RowFacts): number {
  const factor = wholeFactor(statistic);
  return factor === undefined ? Number.NaN : boundOver(factor, statistic, facts);
}

function boundOver(factor: DesignFactor, statistic: LinearStatistic, facts: RowFacts): number {
  if (statistic.layout.weightScale !== null) return Number.NaN;
  const { inverse, kept } = factor;
  const { own, mean, unit } = frame(factor);
  const most = kept.map((column, k) => {
    const { lowest, highest } = facts.columns[column];
    const { center, scale } = statistic.layout.references[column + 1];
    const away = (value: number) => Math.abs((value - center) / scale - mean[k]) * unit[k];
    return Math.max(away(lowest), away(highest));
  });
  let sum = 0;
  most.forEach((a, i) => {
    most.forEach((b, j) => {
      sum += a * b * Math.abs(inverse[i * kept.length + j]);
    });
  });
  return Math.min(1, own + sum);
}

export interface LeverageCounter {
  /** Takes the columns of z in the user's units, the constant first, and the rows' weights, as a `RowWatcher` gets them. */
  add(
    rows: number,
    columns: readonly Float64Array[],
    indexOf?: (r: number) => number,
    weights?: Float64Array,
  ): void;
  /**
   * NaN if it cannot be measured: for weighted rows without their weights, for one. `whole` is that of the predictors and the
   * responses together, where the statistic has both: the largest share of one row in the squares of any sum of columns.
   */
  finish(): { readonly largest: number; readonly whole?: number };
}

/** Measures the largest leverage of the rows behind a statistic, in a second pass over them, each with its weight. */
export function leverageCounter(statistic: LinearStatistic): LeverageCounter {
  const all = wholeFactor(statistic);
  const ofPredictors = counterOver(designFactor(statistic), statistic);
  const ofAll = all && counterOver(all, statistic);
  return {
    add(rows, columns, _, weights) {
      ofPredictors.add(rows, columns, weights);
      ofAll?.add(rows, columns, weights);
    },
    finish: () => ({ largest: ofPredictors.finish(), ...(ofAll && { whole: ofAll.finish() }) }),
  };
}

function counterOver(factor: DesignFactor, statistic: LinearStatistic) {
  const { inverse, kept } = factor;
  const { own, mean, unit } = frame(factor);
  const width = kept.length;
  const norm = largestRowSum(inverse, width);
  const references = kept.map((column) => statistic.layout.references[column + 1]);
  const { weightScale } = statistic.layout;
  const inUnits = (weightScale ?? 1) ** -2;
  const v = new Float64Array(width);
  let lengths = new Float64Array(0);
  let largest = 0;

  const leverage = (columns: readonly Float64Array[], r: number): number => {
    kept.forEach((column, k) => {
      const { center, scale } = references[k];
      v[k] = ((columns[column + 1][r] - center) / scale - mean[k]) * unit[k];
    });
    let sum = 0;
    for (let i = 0; i < width; i++) {
      let row = inverse[i * width + i] * v[i];
      let before = 0;
      for (let j = 0; j < i; j++) before += inverse[i * width + j] * v[j];
      row += 2 * before;
      sum += v[i] * row;
    }
    return sum;
  };

  return {
    add(rows: number, columns: readonly Float64Array[], weights?: Float64Array): void {
      if (lengths.length < rows) lengths = new Float64Array(rows);
      lengths.fill(0);
      kept.forEach((column, k) => {
        const { center, scale } = references[k];
        const values = columns[column + 1];
        for (let r = 0; r < rows; r++) {
          const u = ((values[r] - center) / scale - mean[k]) * unit[k];
          lengths[r] += u * u;
        }
      });
      for (let r = 0; r < rows; r++) {
        const weight = weightScale === null ? 1 : inUnits * (weights?.[r] ?? Number.NaN);
        // ‖v‖²‖G⁻¹‖ bounds the leverage, and is enough for most rows.
        if (weight * (own + norm * lengths[r]) <= largest) continue;
        largest = Math.max(largest, weight * (own + leverage(columns, r)));
      }
    },
    finish: () => Math.min(1, largest),
  };
}

/** Turns a value u in units of its reference into units of the equations: (u − mean) · unit; and 1/n of the constant. */
function frame({ equations, kept }: DesignFactor) {
  const { layout, means, equilibration, weightSum } = equations;
  const scale = layout.weightScale ?? 1;
  return {
    own: layout.intercept ? (scale * scale) / weightSum : 0,
    mean: kept.map((column) => means.hi[column]),
    unit: kept.map((column) => equilibration[column]),
  };
}

function largestRowSum(matrix: Float64Array, width: number): number {
  let largest = 0;
  for (let i = 0; i < width; i++) {
    let sum = 0;
    for (let j = 0; j < width; j++) sum += Math.abs(matrix[i * width + j]);
    largest = Math.max(largest, sum);
  }
  return largest;
}
