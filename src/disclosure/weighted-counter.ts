import { ddDivide, ddMultiply, ddSubtract } from '../numeric/double-double.ts';
import { wordsOf } from '../statistic/layout.ts';
import { fractionBitsOf, packedIndex } from '../statistic/linear-layout.ts';
import { ringDoubleDouble } from '../statistic/ring.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import type { GroupBaseline } from './baselines.ts';
import type { ColumnFacts } from './column-facts.ts';
import { manyValued } from './row-facts.ts';
import { addToSet, SET_NUMBERS, sidesOf, type WeightedFacts } from './weighted-facts.ts';

export interface WeightedCounter {
  /**
   * Takes the columns of z in the user's units, the constant first, and the weights of the rows. If the columns are mapped,
   * `own` are the formula's.
   */
  add(
    rows: number,
    columns: readonly Float64Array[],
    weights: Float64Array,
    own?: readonly Float64Array[],
  ): void;
  finish(): WeightedFacts;
}

/**
 * Measures how the rows behind a statistic count, in a second pass over them. `facts` and `baselines` are those of the
 * formula's own columns.
 */
export function weightedCounter(
  statistic: LinearStatistic,
  facts: readonly ColumnFacts[],
  baselines: readonly GroupBaseline[],
): WeightedCounter {
  const sums = weightSums(facts, baselines);
  const shares = shareCounter(statistic);
  return {
    add(rows, columns, weights, own = columns) {
      sums.add(rows, own, weights);
      shares.add(rows, columns, weights);
    },
    finish: () => ({ ...sums.finish(), shares: shares.finish() }),
  };
}

/** Sums weights over the sides of two-valued columns. */
function weightSums(facts: readonly ColumnFacts[], baselines: readonly GroupBaseline[]) {
  const sides = sidesOf(facts);
  const many = manyValued(facts);
  const parts = facts.filter(({ part }) => part !== undefined).length;
  const firstPart = facts.length - parts;
  const firstBaseline = firstPart - baselines.length;
  const middles = facts.map(({ values }) =>
    values?.length === 2 ? (values[0] + values[1]) / 2 : Number.NaN,
  );
  const sets = new Float64Array(SET_NUMBERS * sides.length);
  const pairs = new Float64Array((SET_NUMBERS * (sides.length * (sides.length - 1))) / 2);
  const groups = new Float64Array(SET_NUMBERS * sides.length * many.length);
  const within = new Int32Array(sides.length);
  const width = sides.length;
  let sum = 0;
  let squares = 0;

  const valueAt = (columns: readonly Float64Array[], k: number, r: number): number => {
    if (k < firstBaseline) return columns[k + 1][r];
    if (k >= firstPart) return columns[k - baselines.length + 1][r];
    return baselines[k - firstBaseline].columns.reduce((rest, j) => rest - columns[j][r], 1);
  };

  return {
    add(rows: number, columns: readonly Float64Array[], weights: Float64Array): void {
      for (let r = 0; r < rows; r++) {
        const weight = weights[r];
        sum += weight;
        squares += weight * weight;
        let count = 0;
        for (let s = 0; s < width; s++) {
          const { column, high } = sides[s];
          if (valueAt(columns, column, r) > middles[column] === high) within[count++] = s;
        }
        for (let k = 0; k < count; k++) {
          const i = within[k];
          addToSet(sets, SET_NUMBERS * i, weight);
          const first = (i * (2 * width - i - 1)) / 2 - i - 1;
          for (let l = k + 1; l < count; l++) {
            addToSet(pairs, SET_NUMBERS * (first + within[l]), weight);
          }
          for (let c = 0; c < many.length; c++) {
            const size = weight * Math.abs(columns[many[c] + 1][r]);
            addToSet(groups, SET_NUMBERS * (i * many.length + c), size);
          }
        }
      }
    },
    finish: () => ({ sum, squares, sides: sets, pairs, groups }),
  };
}

/** Measures the largest share of one row in the weighted squares of each column of a statistic, about any centre. */
function shareCounter(statistic: LinearStatistic) {
  const { layout, values } = statistic;
  const width = layout.columns.length;
  const entry = (i: number, j: number) =>
    ringDoubleDouble(values, wordsOf(layout), packedIndex(width, i, j), fractionBitsOf(layout));
  const total = entry(0, 0);
  const unit = (layout.weightScale ?? 1) ** -2;
  // Fisher information has the linear predictor in place of the response.
  const last = width - (layout.family === undefined ? 0 : layout.responses);
  const moments = Array.from({ length: last - 1 }, (_, k) => {
    const first = entry(0, k + 1);
    const about = ddSubtract(entry(k + 1, k + 1), ddDivide(ddMultiply(first, first), total));
    return { mean: ddDivide(first, total).hi, squares: about.hi, ...layout.references[k + 1] };
  });
  const shares = new Float64Array(width - 1);
  return {
    add(rows: number, columns: readonly Float64Array[], weights: Float64Array): void {
      moments.forEach(({ mean, squares, center, scale }, k) => {
        const column = columns[k + 1];
        for (let r = 0; r < rows; r++) {
          const away = (column[r] - center) / scale - mean;
          // A column without any spread gives nothing away by its squares.
          const part = away === 0 ? 0 : (away * away) / squares;
          const share = unit * weights[r] * (1 / total.hi + part);
          if (!(share <= shares[k])) shares[k] = share;
        }
      });
    },
    finish: (): Float64Array => shares,
  };
}
