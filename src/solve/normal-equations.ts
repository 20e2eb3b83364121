import {
  addMultiple,
  type DdArray,
  type DdMatrix,
  ddArray,
  ddAt,
  ddMatrix,
  ddSet,
  mirrorUpper,
} from '../numeric/dd-matrix.ts';
import { type DoubleDouble, dd, ddDivide, ddNegate, ddScale } from '../numeric/double-double.ts';
import { wordsOf } from '../statistic/layout.ts';
import {
  fractionBitsOf,
  type LinearLayout,
  packedIndex,
  triangleEntries,
} from '../statistic/linear-layout.ts';
import { ringDoubleDouble, ringDoubleDoubles, ringEntry } from '../statistic/ring.ts';
import { type LinearStatistic, rowCount } from '../statistic/statistic.ts';

/**
 * The total, centred and equilibrated: entry (i, j) is eᵢ eⱼ Σ (uᵢ − ūᵢ)(uⱼ − ūⱼ) over the
 * predictors and then the responses, with powers of two e that bring the diagonal near 1.
 * Without an intercept nothing is centred.
 */
export interface NormalEquations {
  readonly layout: LinearLayout;
  /** Number of rows, ignoring weights. */
  readonly rows: number;
  /** Σ w in the user's units; the number of rows when unweighted. */
  readonly weightSum: number;
  readonly logWeightSum: number;
  readonly predictors: number;
  readonly responses: number;
  readonly matrix: DdMatrix;
  readonly equilibration: Float64Array;
  /** ū, in units of the references; zero without an intercept. */
  readonly means: DdArray;
  /** Entry before equilibration, times one common factor, exact: refinement uses it for residuals. */
  integer(i: number, j: number): bigint;
}

/** Above this many columns, centring is in double-double instead of exact long integers. */
const EXACT_WIDTH = 300;

/** Decodes, centres and equilibrates a total. */
export function normalEquations(total: LinearStatistic): NormalEquations {
  const { layout, values } = total;
  const words = wordsOf(layout);
  const bits = fractionBitsOf(layout);
  const z = layout.columns.length;
  const width = z - 1;
  const integerAt = (i: number, j: number) => ringEntry(values, words, packedIndex(z, i, j));
  const realAt = (i: number, j: number) =>
    ringDoubleDouble(values, words, packedIndex(z, i, j), bits);

  const weight = integerAt(0, 0);
  const integer = (i: number, j: number): bigint =>
    layout.intercept
      ? weight * integerAt(i + 1, j + 1) - integerAt(0, i + 1) * integerAt(0, j + 1)
      : integerAt(i + 1, j + 1);
  const weightReal = realAt(0, 0);
  const exact = (i: number, j: number): DoubleDouble =>
    layout.intercept
      ? ddDivide(bigDoubleDouble(integer(i, j), 2 * bits), weightReal)
      : bigDoubleDouble(integer(i, j), bits);
  const first = ddArray(z);
  ringDoubleDoubles(values, words, 0, z, bits, first, 0);
  const matrix = ddMatrix(width);
  if (width <= EXACT_WIDTH) {
    fillUpper(matrix, exact);
  } else {
    for (let i = 0; i < width; i++) {
      const entry = packedIndex(z, i + 1, i + 1);
      ringDoubleDoubles(values, words, entry, width - i, bits, matrix, i * width + i);
    }
    if (layout.intercept) centre(matrix, first);
  }
  return {
    ...equilibrated(layout, matrix, first),
    rows: rowCount(total),
    logWeightSum: logWeightSum(total),
    integer,
  };
}

function fillUpper(matrix: DdMatrix, entry: (i: number, j: number) => DoubleDouble): void {
  const { width } = matrix;
  for (let i = 0; i < width; i++) {
    for (let j = i; j < width; j++) ddSet(matrix, i * width + j, entry(i, j));
  }
}

/** Sums of products become sums about the means, in the upper triangle: Σ uᵢuⱼ − (Σuᵢ/Σw) Σuⱼ, the sums being in `first`. */
function centre(matrix: DdMatrix, first: DdArray): void {
  const { width } = matrix;
  const weight = ddAt(first, 0);
  const sums = { hi: first.hi.subarray(1), lo: first.lo.subarray(1) };
  for (let i = 0; i < width; i++) {
    const mean = ddDivide(ddAt(sums, i), weight);
    addMultiple(matrix, i * width, ddNegate(mean), sums, 0, i, width);
  }
}

/** Brings the upper triangle of centred entries near 1, in place, and keeps the means; `first` is the row of the constant. */
function equilibrated(
  layout: LinearLayout,
  matrix: DdMatrix,
  first: DdArray,
): Omit<NormalEquations, 'rows' | 'logWeightSum' | 'integer'> {
  const { width, hi, lo } = matrix;
  const equilibration = new Float64Array(width);
  for (let i = 0; i < width; i++) equilibration[i] = inverseRootPowerOfTwo(hi[i * width + i]);
  for (let i = 0; i < width; i++) {
    for (let j = i, at = i * width + i; j < width; j++, at++) {
      const scale = equilibration[i] * equilibration[j];
      hi[at] *= scale;
      lo[at] *= scale;
    }
  }
  mirrorUpper(matrix);
  const weight = ddAt(first, 0);
  const means = ddArray(width);
  if (layout.intercept) {
    for (let i = 0; i < width; i++) ddSet(means, i, ddDivide(ddAt(first, i + 1), weight));
  }
  const weightScale = layout.weightScale ?? 1;
  return {
    layout,
    weightSum: weight.hi * weightScale * weightScale,
    predictors: width - layout.responses,
    responses: layout.responses,
    matrix,
    equilibration,
    means,
  };
}

/** Σ ln w; 0 if rows are not weighted. */
export function logWeightSum({ layout, values }: LinearStatistic): number {
  if (layout.weightScale === null || layout.family !== undefined) return 0;
  const at = triangleEntries(layout) + 1;
  return ringDoubleDouble(values, wordsOf(layout), at, fractionBitsOf(layout)).hi;
}

/** Entries of a matrix of reals become integers with at least this many bits on the diagonal. */
const INTEGER_BITS = 160;

/**
 * The equations of a matrix of reals in units of the references, constant first: for a sum of weighted or projected
 * statistics, which has no integer total.
 */
export function normalEquationsOf(
  sums: DdMatrix,
  layout: LinearLayout,
  counts: { readonly rows: number; readonly logWeightSum: number },
): NormalEquations {
  const matrix = ddMatrix(sums.width - 1);
  fillUpper(matrix, (i, j) => ddAt(sums, (i + 1) * sums.width + j + 1));
  if (layout.intercept) centre(matrix, sums);
  const real = equilibrated(layout, matrix, sums);
  const { equilibration } = real;
  const bits = INTEGER_BITS + 2 * Math.max(0, ...Array.from(equilibration, Math.log2));
  return {
    ...real,
    ...counts,
    integer(i, j) {
      const back = 1 / (equilibration[i] * equilibration[j]);
      const { hi, lo } = ddAt(matrix, i * matrix.width + j);
      return fixedPoint(hi * back, bits) + fixedPoint(lo * back, bits);
    },
  };
}

/** x · 2^bits, its fraction cut off. */
function fixedPoint(x: number, bits: number): bigint {
  if (x === 0) return 0n;
  const exponent = Math.floor(Math.log2(Math.abs(x))) - 52;
  const shift = BigInt(bits + exponent);
  const mantissa = BigInt(Math.round(x / 2 ** exponent));
  return shift >= 0n ? mantissa << shift : mantissa >> -shift;
}

/** N / 2^bits to 106 bits. */
export function bigDoubleDouble(value: bigint, bits: number): DoubleDouble {
  const hi = Number(value);
  const lo = Number(value - BigInt(hi));
  return ddScale(dd(hi, lo), 2 ** -bits);
}

function inverseRootPowerOfTwo(diagonal: number): number {
  return diagonal > 0 ? 2 ** -Math.round(Math.log2(diagonal) / 2) : 1;
}

/** The column of the matrix that response r forms against the given predictors. */
export function moments(
  equations: NormalEquations,
  kept: readonly number[],
  response: number,
): DdArray {
  const b = ddArray(kept.length);
  const row = (equations.predictors + response) * equations.matrix.width;
  kept.forEach((column, k) => {
    ddSet(b, k, ddAt(equations.matrix, row + column));
  });
  return b;
}

/**
 * Σ u uᵀ as a full matrix of reals, in units of the references. Sites of one layout share these units,
 * so their matrices can be weighted and added. Rows and columns are the layout's.
 */
export function crossProducts({ layout, values }: LinearStatistic): DdMatrix {
  const width = layout.columns.length;
  const words = wordsOf(layout);
  const bits = fractionBitsOf(layout);
  const matrix = ddMatrix(width);
  for (let i = 0, entry = 0; i < width; i++) {
    ringDoubleDoubles(values, words, entry, width - i, bits, matrix, i * width + i);
    entry += width - i;
  }
  mirrorUpper(matrix);
  return matrix;
}
