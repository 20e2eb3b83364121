import { createKernels } from '../numeric/kernels.ts';
import { type ProjectedPass, passProjector } from '../numeric/project-rows.ts';
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
  const { kept } = factor;
  const inverse = factor.inverse();
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
  const predictors = designFactor(statistic);
  const all = wholeFactor(statistic) ?? predictors;
  // The predictors come first, so the sum that is the leverage over all begins with the leverage over them.
  const together = all.exact === predictors.exact;
  const inner = together ? undefined : counterOver(predictors, statistic, []);
  const outer = counterOver(all, statistic, together ? [predictors.kept.length] : []);
  return {
    add(rows, columns, _, weights) {
      inner?.add(rows, columns, weights);
      outer.add(rows, columns, weights);
    },
    finish() {
      const [largest, whole] = [...(inner?.finish() ?? []), ...outer.finish()];
      return all === predictors ? { largest } : { largest, whole };
    },
  };
}

/** Rows that are measured together. */
const STRETCH = 256;

/** The largest leverages over the leading columns of a factor, for each number of them in `before`, and over all columns. */
function counterOver(factor: DesignFactor, statistic: LinearStatistic, before: readonly number[]) {
  const { kept } = factor;
  const { own, mean, unit } = frame(factor);
  const widths = [...before, kept.length];
  const matrix = factor.inverseFactor();
  const norms = widths.map((width) => inverseNormBound(matrix, kept.length, width));
  const kernels = createKernels();
  const project = passProjector(kernels, matrix, kept.length, kept.length);
  const references = kept.map((column) => statistic.layout.references[column + 1]);
  const { weightScale } = statistic.layout;
  const inUnits = (weightScale ?? 1) ** -2;
  const rows = kept.map(() => ({ values: new Float64Array(STRETCH), center: 0, scale: 1 }));
  const lengths = new Float64Array(STRETCH);
  const weight = new Float64Array(STRETCH).fill(1);
  const squares = new Float64Array(STRETCH);
  const largest = widths.map(() => 0);

  /** Puts rows into units of the equations. */
  const take = (columns: readonly Float64Array[], from: number, count: number) => {
    lengths.fill(0);
    rows.forEach(({ values }, k) => {
      const { center, scale } = references[k];
      const column = columns[kept[k] + 1];
      for (let r = 0; r < count; r++) {
        const v = ((column[from + r] - center) / scale - mean[k]) * unit[k];
        values[r] = v;
        lengths[r] += v * v;
      }
    });
  };

  /** ‖v‖²‖G⁻¹‖ bounds the leverage, and is enough for most rows if columns are few. */
  const mayBeLargest = (r: number) =>
    norms.some((norm, w) => !(weight[r] * (own + norm * lengths[r]) <= largest[w]));

  const measure = ({ pointer, stride, first, count }: ProjectedPass) => {
    const projected = kernels.f64(pointer, kept.length * stride);
    squares.fill(0);
    let column = 0;
    widths.forEach((width, w) => {
      for (; column < width; column++) {
        const at = column * stride;
        for (let r = 0; r < count; r++) squares[r] += projected[at + r] * projected[at + r];
      }
      for (let r = 0; r < count; r++) {
        largest[w] = Math.max(largest[w], weight[first + r] * (own + squares[r]));
      }
    });
  };

  return {
    add(count: number, columns: readonly Float64Array[], weights?: Float64Array): void {
      for (let from = 0; from < count; from += STRETCH) {
        const taken = Math.min(STRETCH, count - from);
        take(columns, from, taken);
        if (weightScale !== null) {
          for (let r = 0; r < taken; r++) weight[r] = inUnits * (weights?.[from + r] ?? Number.NaN);
        }
        const chosen: number[] = [];
        for (let r = 0; r < taken; r++) if (mayBeLargest(r)) chosen.push(r);
        if (chosen.length === 0) continue;
        if (chosen.length < taken) {
          for (const values of [weight, ...rows.map((row) => row.values)]) {
            for (let k = 0; k < chosen.length; k++) values[k] = values[chosen[k]];
          }
        }
        project(rows, chosen.length, measure);
      }
    },
    finish: () => largest.map((value) => Math.min(1, value)),
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

/** ‖W‖₁‖W‖∞ of the leading block of a matrix W: at least ‖WWᵀ‖. */
function inverseNormBound(matrix: Float64Array, stride: number, width: number): number {
  const byRow = new Float64Array(width);
  const byColumn = new Float64Array(width);
  for (let i = 0; i < width; i++) {
    for (let j = 0; j < width; j++) {
      const size = Math.abs(matrix[i * stride + j]);
      byRow[i] += size;
      byColumn[j] += size;
    }
  }
  const most = (sums: Float64Array) => sums.reduce((a, b) => Math.max(a, b), 0);
  return most(byRow) * most(byColumn);
}
