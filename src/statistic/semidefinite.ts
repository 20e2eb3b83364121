import { cholesky } from '../numeric/cholesky.ts';
import { ddCholesky } from '../numeric/dd-cholesky.ts';
import { type DdMatrix, ddAt, ddMatrix, ddSet } from '../numeric/dd-matrix.ts';
import {
  type DoubleDouble,
  dd,
  ddAdd,
  ddDivide,
  ddMultiply,
  ddScale,
  ddSubtract,
} from '../numeric/double-double.ts';
import { createKernels } from '../numeric/kernels.ts';
import { wordsOf } from './layout.ts';
import { fractionBitsOf, packedIndex } from './linear-layout.ts';
import { ringDoubleDouble } from './ring.ts';
import type { LinearStatistic } from './statistic.ts';

/** How far honest products can be from exact sums: a share of √(Gᵢᵢ Gⱼⱼ), and a number. */
export interface ProductError {
  readonly relative: number;
  readonly absolute: number;
}

/** Most columns that are factored in double-double: some hundredths of a second. */
const MOST_DOUBLE_DOUBLE = 200;

/**
 * Most columns that are factored together. Time and memory of a factor would otherwise grow beyond what a coordinator can
 * give to one file: 27 seconds and 3 GB for 9,000 columns.
 */
const MOST_TOGETHER = 1000;

/** Rounding of a double-double operation, with a margin. */
const FINE = 2 ** -98;

/**
 * The first of the leading `count` columns whose products with the columns before it no rows can give: Σ u uᵀ is positive
 * semidefinite, and so is what remains of it after the constant. A Cholesky factor of a matrix with unit diagonal exists if
 * its smallest eigenvalue exceeds the rounding (Higham 2002, Theorem 10.7); the diagonal is raised by that, and by what the
 * products may be off, so honest sums of any rank pass. Up to 200 columns the factor is in double-double, beyond in float64.
 * More than 1,000 columns are taken in groups of neighbours, each with the last column, which is the response.
 */
export function impossibleColumn(
  statistic: LinearStatistic,
  count: number,
  error: ProductError,
): string | undefined {
  for (const group of groupsOf(count)) {
    const broken = impossibleAmong(statistic, group, error);
    if (broken !== undefined) return statistic.layout.columns[broken];
  }
  return undefined;
}

/** The columns after the constant, as they are factored. */
function groupsOf(count: number): number[][] {
  const columns = Array.from({ length: count - 1 }, (_, k) => k + 1);
  if (columns.length <= MOST_TOGETHER) return [columns];
  const last = columns.splice(-1);
  const groups = Math.ceil(columns.length / MOST_TOGETHER);
  return Array.from({ length: groups }, (_, k) => [
    ...columns.slice(k * MOST_TOGETHER, (k + 1) * MOST_TOGETHER),
    ...last,
  ]);
}

/** The first of these columns whose products with the constant and the columns before it no rows can give. */
function impossibleAmong(
  statistic: LinearStatistic,
  group: readonly number[],
  { relative, absolute }: ProductError,
): number | undefined {
  const columns = [0, ...group];
  const count = columns.length;
  const raise = (square: DoubleDouble) =>
    ddAdd(ddAdd(square, ddScale(square, count * relative)), dd(count * absolute));
  const products = productsOf(statistic, columns, raise);
  const present = Array.from({ length: count - 1 }, (_, k) => k + 1).filter(
    (k) => products.hi[k * count + k] > 0,
  );
  const width = present.length;
  const wide = width > MOST_DOUBLE_DOUBLE;
  const rounding = wide ? 4 * width * (width + 2) * 2 ** -53 : width ** 3 * FINE;
  const rest = ddMatrix(width);
  for (let a = 0; a < width; a++) {
    const mean = meanOf(products, present[a]);
    for (let b = a; b < width; b++) {
      const before = ddAt(products, present[a] * count + present[b]);
      const value = ddSubtract(before, ddMultiply(mean, ddAt(products, present[b])));
      ddSet(rest, a * width + b, value);
      ddSet(rest, b * width + a, value);
    }
    const own = ddAt(rest, a * width + a);
    const before = products.hi[present[a] * count + present[a]];
    ddSet(rest, a * width + a, ddAdd(own, dd(Math.abs(own.hi) * rounding + before * count * FINE)));
  }
  const broken = wide ? indefiniteFloat(rest) : ddCholesky(rest, width, () => false).aliased[0];
  return broken === undefined ? undefined : columns[present[broken]];
}

function productsOf(
  { layout, values }: LinearStatistic,
  columns: readonly number[],
  raise: (square: DoubleDouble) => DoubleDouble,
): DdMatrix {
  const count = columns.length;
  const products = ddMatrix(count);
  const words = wordsOf(layout);
  const bits = fractionBitsOf(layout);
  for (let i = 0; i < count; i++) {
    for (let j = i; j < count; j++) {
      const index = packedIndex(layout.columns.length, columns[i], columns[j]);
      const entry = ringDoubleDouble(values, words, index, bits);
      ddSet(products, i * count + j, i === j ? raise(entry) : entry);
    }
  }
  return products;
}

/** G₀ᵢ / G₀₀; 0 if the constant is 0 in every row. */
function meanOf(products: DdMatrix, i: number): DoubleDouble {
  const constant = ddAt(products, 0);
  return constant.hi > 0 ? ddDivide(ddAt(products, i), constant) : dd(0);
}

function indefiniteFloat({ hi, width }: DdMatrix): number | undefined {
  const outcome = cholesky(createKernels(), hi, width);
  return 'indefiniteAt' in outcome ? outcome.indefiniteAt : undefined;
}
