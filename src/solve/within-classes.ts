import {
  addMultiple,
  type DdMatrix,
  ddArray,
  ddAt,
  ddMatrix,
  ddSet,
  mirrorUpper,
} from '../numeric/dd-matrix.ts';
import { ddDivide, ddNegate, ddSubtract } from '../numeric/double-double.ts';
import { wordsOf } from '../statistic/layout.ts';
import { fractionBitsOf, packedIndex } from '../statistic/linear-layout.ts';
import { ringDoubleDouble, ringDoubleDoubles, ringEntry } from '../statistic/ring.ts';
import { type LinearStatistic, rowCount } from '../statistic/statistic.ts';
import type { ClassMembers } from './class-members.ts';
import { bigDoubleDouble, type NormalEquations } from './normal-equations.ts';

/** The scatter within classes and the class means, in units of the references. */
export interface WithinClasses {
  /**
   * Σₖ Σ (u − ūₖ)(u − ūₖ)ᵀ over the predictors, equilibrated; the "responses" are ūₖ − ū, so that
   * solving gives the discriminant directions of every class.
   */
  readonly equations: NormalEquations;
  /** Σ w of each class in the total's units: divided by the square of the weights' scale. */
  readonly weights: readonly number[];
}

/** Bits of the means, so that centred sums are accurate to about 200 bits. */
const COMMON = 400n;

/** Above this many columns, double-double is used instead of long integers. */
const EXACT_WIDTH = 300;

/** Scatter within classes, from a total with a 0/1 response for each class; no class may be empty. */
export function withinClasses(
  total: LinearStatistic,
  members: readonly ClassMembers[],
): WithinClasses {
  const { layout, values } = total;
  const words = wordsOf(layout);
  const bits = fractionBitsOf(layout);
  const z = layout.columns.length;
  const predictors = z - 1 - layout.responses;
  const width = predictors + members.length;
  const integerAt = (i: number, j: number) => ringEntry(values, words, packedIndex(z, i, j));
  const realAt = (i: number, j: number) =>
    ringDoubleDouble(values, words, packedIndex(z, i, j), bits);
  // Sums over each class: of the constant, then of the predictors.
  const sums = members.map(({ column, less }) =>
    Array.from({ length: predictors + 1 }, (_, i) =>
      less === undefined ? integerAt(i, column) : integerAt(i, column) - integerAt(i, less),
    ),
  );
  const shares = sums.map(([n]) => (1n << COMMON) / n);
  const wholeShare = (1n << COMMON) / integerAt(0, 0);
  const integer = (i: number, j: number): bigint => {
    if (i >= predictors) return integer(j, i);
    if (j < predictors) {
      return sums.reduce(
        (sum, own, k) => sum - own[i + 1] * own[j + 1] * shares[k],
        integerAt(i + 1, j + 1) << COMMON,
      );
    }
    const k = j - predictors;
    const own = sums[k][i + 1] * shares[k];
    return (own - integerAt(0, i + 1) * wholeShare) << BigInt(bits);
  };
  const matrix = ddMatrix(width);
  if (predictors <= EXACT_WIDTH) {
    for (let i = 0; i < predictors; i++) {
      for (let j = i; j < width; j++) {
        ddSet(matrix, i * width + j, bigDoubleDouble(integer(i, j), bits + Number(COMMON)));
      }
    }
  } else {
    fillRounded(matrix, total, sums);
  }
  const equilibration = new Float64Array(width).fill(1);
  for (let i = 0; i < predictors; i++) {
    const diagonal = matrix.hi[i * (width + 1)];
    if (diagonal > 0) equilibration[i] = 2 ** -Math.round(Math.log2(diagonal) / 2);
  }
  for (let i = 0; i < predictors; i++) {
    for (let j = i; j < width; j++) {
      const scale = equilibration[i] * equilibration[j];
      matrix.hi[i * width + j] *= scale;
      matrix.lo[i * width + j] *= scale;
    }
  }
  mirrorUpper(matrix);
  const means = ddArray(width);
  for (let i = 0; i < predictors; i++) ddSet(means, i, ddDivide(realAt(0, i + 1), realAt(0, 0)));
  const weightScale = layout.weightScale ?? 1;
  const first = layout.columns.slice(0, predictors + 1);
  const unitFrame = { center: 0, scale: 1 };
  return {
    equations: {
      layout: {
        ...layout,
        columns: [...first, ...members.map(({ name }) => name)],
        references: [
          ...layout.references.slice(0, predictors + 1),
          ...members.map(() => unitFrame),
        ],
        responses: members.length,
      },
      rows: rowCount(total),
      weightSum: realAt(0, 0).hi * weightScale * weightScale,
      logWeightSum: 0,
      predictors,
      responses: members.length,
      matrix,
      equilibration,
      means,
      integer,
    },
    weights: sums.map(([n]) => bigDoubleDouble(n, bits).hi),
  };
}

/** The upper triangle in double-double: sums of products less Σₖ Σu Σuᵀ/Σw over the classes, and departures of the means. */
function fillRounded(
  matrix: DdMatrix,
  { layout, values }: LinearStatistic,
  sums: readonly (readonly bigint[])[],
): void {
  const { width } = matrix;
  const words = wordsOf(layout);
  const bits = fractionBitsOf(layout);
  const z = layout.columns.length;
  const predictors = width - sums.length;
  const first = ddArray(predictors + 1);
  ringDoubleDoubles(values, words, 0, predictors + 1, bits, first, 0);
  const reals = sums.map((own) => {
    const real = ddArray(predictors + 1);
    own.forEach((sum, i) => {
      ddSet(real, i, bigDoubleDouble(sum, bits));
    });
    return real;
  });
  for (let i = 0; i < predictors; i++) {
    const [row, count] = [i * width, predictors - i];
    ringDoubleDoubles(values, words, packedIndex(z, i + 1, i + 1), count, bits, matrix, row + i);
    const whole = ddDivide(ddAt(first, i + 1), ddAt(first, 0));
    reals.forEach((real, k) => {
      const mean = ddDivide(ddAt(real, i + 1), ddAt(real, 0));
      addMultiple(matrix, row, ddNegate(mean), real, 1, i, predictors);
      ddSet(matrix, row + predictors + k, ddSubtract(mean, whole));
    });
  }
}
