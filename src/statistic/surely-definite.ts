import { wordsOf } from './layout.ts';
import { fractionBitsOf, packedIndex } from './linear-layout.ts';
import { ringDoubleDoubles } from './ring.ts';
import type { LinearStatistic } from './statistic.ts';

/** Most columns that are tried: the factor of more takes longer than it saves. */
const MOST_COLUMNS = 200;

const ROUNDING = 2 ** -53;

/**
 * Whether the products of the leading `count` columns are positive definite beyond the rounding of float64; false says
 * nothing. The products are scaled to a unit diagonal, which is lowered by eight times n(n + 2)·2⁻⁵³. If a Cholesky factor
 * still exists, its backward error n(n + 1)·2⁻⁵³ (Higham 2002, Theorem 10.3) and the rounding of the scaled products,
 * below 5n·2⁻⁵³, cannot hide a negative eigenvalue.
 */
export function isSurelyDefinite({ layout, values }: LinearStatistic, count: number): boolean {
  if (count > MOST_COLUMNS) return false;
  const columns = layout.columns.length;
  const [words, bits] = [wordsOf(layout), fractionBitsOf(layout)];
  const row = { hi: new Float64Array(count), lo: new Float64Array(count) };
  const factor = new Float64Array(count * count);
  const scale = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    ringDoubleDoubles(values, words, packedIndex(columns, i, i), count - i, bits, row, i);
    if (!(row.hi[i] > 0)) return false;
    scale[i] = 1 / Math.sqrt(row.hi[i]);
    factor.set(row.hi.subarray(i), i * count + i);
  }
  const least = 1 - 8 * count * (count + 2) * ROUNDING;
  for (let i = 0; i < count; i++) {
    for (let j = i; j < count; j++) {
      let rest = i === j ? least : factor[i * count + j] * scale[i] * scale[j];
      for (let k = 0; k < i; k++) rest -= factor[k * count + i] * factor[k * count + j];
      if (i < j) factor[i * count + j] = rest / factor[i * count + i];
      else if (rest > 0) factor[i * count + i] = Math.sqrt(rest);
      else return false;
    }
  }
  return true;
}
