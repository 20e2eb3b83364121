import { type DdMatrix, ddMatrix, ddSet } from '../numeric/dd-matrix.ts';
import { wordsOf } from '../statistic/layout.ts';
import { fractionBitsOf } from '../statistic/linear-layout.ts';
import { ringDoubleDouble } from '../statistic/ring.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';

/**
 * Σ u uᵀ as a full matrix of reals, in units of the references: what sites of one layout have in
 * common, so that their matrices may be weighted and added. Rows and columns are the layout's.
 */
export function crossProducts({ layout, values }: LinearStatistic): DdMatrix {
  const width = layout.columns.length;
  const words = wordsOf(layout);
  const bits = fractionBitsOf(layout);
  const matrix = ddMatrix(width);
  for (let i = 0, entry = 0; i < width; i++) {
    for (let j = i; j < width; j++, entry++) {
      const value = ringDoubleDouble(values, words, entry, bits);
      ddSet(matrix, i * width + j, value);
      ddSet(matrix, j * width + i, value);
    }
  }
  return matrix;
}
