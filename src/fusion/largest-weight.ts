import { DataError } from '../data-error.ts';
import type { TableStudy } from '../study/study.ts';

/** Largest weight of a row by the codebook; undefined where rows are not weighted. */
export function largestWeight({ codebook, weights: name }: TableStudy): number | undefined {
  if (name === undefined) return undefined;
  const column = codebook[name];
  if (column?.type !== 'number' || column.range === undefined) {
    throw new DataError(
      'weights must be a number column with a range',
      { column: name },
      'give it a range in the codebook, such as [0, 10]',
    );
  }
  const [smallest, largest] = column.range;
  if (!(smallest >= 0 && largest > 0)) {
    throw new DataError(
      'weights must not be negative and not all zero',
      { column: name },
      'correct the weights, or the range the codebook gives them',
    );
  }
  return largest;
}
