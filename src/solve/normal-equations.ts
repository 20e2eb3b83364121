import {
  type DdArray,
  type DdMatrix,
  ddArray,
  ddAt,
  ddMatrix,
  ddSet,
} from '../numeric/dd-matrix.ts';
import {
  type DoubleDouble,
  dd,
  ddDivide,
  ddMultiply,
  ddScale,
  ddSubtract,
} from '../numeric/double-double.ts';
import {
  fractionBitsOf,
  type Layout,
  packedIndex,
  triangleEntries,
  wordsOf,
} from '../statistic/layout.ts';
import { ringDoubleDouble, ringEntry } from '../statistic/ring.ts';
import { rowCount, type Statistic } from '../statistic/statistic.ts';

/**
 * The total, centred and equilibrated: entry (i, j) is eᵢ eⱼ Σ (uᵢ − ūᵢ)(uⱼ − ūⱼ) over the
 * predictors and then the responses, with powers of two e that bring the diagonal near 1.
 * Without an intercept nothing is centred.
 */
export interface NormalEquations {
  readonly layout: Layout;
  /** Rows, whatever their weights. */
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
  /** Before equilibration, times one common factor, exactly: what refinement measures against. */
  integer(i: number, j: number): bigint;
}

/** Above this many columns the exact centring by long integers gives way to double-double. */
const EXACT_WIDTH = 300;

/** Decodes, centres and equilibrates a total. */
export function normalEquations(total: Statistic): NormalEquations {
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
  const rounded = (i: number, j: number): DoubleDouble =>
    layout.intercept
      ? ddSubtract(
          realAt(i + 1, j + 1),
          ddDivide(ddMultiply(realAt(0, i + 1), realAt(0, j + 1)), weightReal),
        )
      : realAt(i + 1, j + 1);

  const entry = width <= EXACT_WIDTH ? exact : rounded;
  const equilibration = new Float64Array(width);
  for (let i = 0; i < width; i++) equilibration[i] = inverseRootPowerOfTwo(entry(i, i).hi);
  const matrix = ddMatrix(width);
  for (let i = 0; i < width; i++) {
    for (let j = i; j < width; j++) {
      const value = ddScale(entry(i, j), equilibration[i] * equilibration[j]);
      ddSet(matrix, i * width + j, value);
      ddSet(matrix, j * width + i, value);
    }
  }
  const means = ddArray(width);
  if (layout.intercept) {
    for (let i = 0; i < width; i++) ddSet(means, i, ddDivide(realAt(0, i + 1), weightReal));
  }
  const weightScale = layout.weightScale ?? 1;
  return {
    layout,
    rows: rowCount(total),
    weightSum: weightReal.hi * weightScale * weightScale,
    logWeightSum:
      layout.weightScale === null
        ? 0
        : ringDoubleDouble(values, words, triangleEntries(layout) + 1, bits).hi,
    predictors: width - layout.responses,
    responses: layout.responses,
    matrix,
    equilibration,
    means,
    integer,
  };
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
