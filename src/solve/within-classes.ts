import { ddArray, ddMatrix, ddSet } from '../numeric/dd-matrix.ts';
import {
  type DoubleDouble,
  ddDivide,
  ddMultiply,
  ddScale,
  ddSubtract,
} from '../numeric/double-double.ts';
import { wordsOf } from '../statistic/layout.ts';
import { fractionBitsOf, packedIndex } from '../statistic/linear-layout.ts';
import { ringDoubleDouble, ringEntry } from '../statistic/ring.ts';
import { type LinearStatistic, rowCount } from '../statistic/statistic.ts';
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
  const integerAt = (i: number, j: number) => ringEntry(values, words, packedIndex(z, i, j));
  const realAt = (i: number, j: number) =>
    ringDoubleDouble(values, words, packedIndex(z, i, j), bits);
  const classInteger = (i: number, k: number) =>
    members[k].less === undefined
      ? integerAt(i, members[k].column)
      : integerAt(i, members[k].column) - integerAt(i, members[k].less);
  const classReal = (i: number, k: number): DoubleDouble =>
    bigDoubleDouble(classInteger(i, k), bits);

  const counts = members.map((_, k) => classInteger(0, k));
  const whole = integerAt(0, 0);
  const shares = counts.map((n) => (1n << COMMON) / n);
  const wholeShare = (1n << COMMON) / whole;
  const integer = (i: number, j: number): bigint => {
    if (i >= predictors) return integer(j, i);
    if (j < predictors) {
      return shares.reduce(
        (sum, share, k) => sum - classInteger(i + 1, k) * classInteger(j + 1, k) * share,
        integerAt(i + 1, j + 1) << COMMON,
      );
    }
    const k = j - predictors;
    const own = classInteger(i + 1, k) * shares[k];
    return (own - integerAt(0, i + 1) * wholeShare) << BigInt(bits);
  };
  const exact = (i: number, j: number): DoubleDouble =>
    bigDoubleDouble(integer(i, j), bits + Number(COMMON));
  const rounded = (i: number, j: number): DoubleDouble => {
    if (j >= predictors) {
      const k = j - predictors;
      return ddSubtract(
        ddDivide(classReal(i + 1, k), classReal(0, k)),
        ddDivide(realAt(0, i + 1), realAt(0, 0)),
      );
    }
    return members.reduce(
      (sum, _, k) =>
        ddSubtract(
          sum,
          ddDivide(ddMultiply(classReal(i + 1, k), classReal(j + 1, k)), classReal(0, k)),
        ),
      realAt(i + 1, j + 1),
    );
  };

  const width = predictors + members.length;
  const entry = predictors <= EXACT_WIDTH ? exact : rounded;
  const equilibration = new Float64Array(width).fill(1);
  for (let i = 0; i < predictors; i++) {
    const diagonal = entry(i, i).hi;
    if (diagonal > 0) equilibration[i] = 2 ** -Math.round(Math.log2(diagonal) / 2);
  }
  const matrix = ddMatrix(width);
  for (let i = 0; i < predictors; i++) {
    for (let j = i; j < width; j++) {
      const value = ddScale(entry(i, j), equilibration[i] * equilibration[j]);
      ddSet(matrix, i * width + j, value);
      ddSet(matrix, j * width + i, value);
    }
  }
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
    weights: members.map((_, k) => classReal(0, k).hi),
  };
}

/** Σ w of a class in the total's units; 0 if it has no rows. */
export function classWeight(
  { layout, values }: LinearStatistic,
  { column, less }: ClassMembers,
): number {
  const at = (j: number) =>
    ringEntry(values, wordsOf(layout), packedIndex(layout.columns.length, 0, j));
  const sum = less === undefined ? at(column) : at(column) - at(less);
  return bigDoubleDouble(sum, fractionBitsOf(layout)).hi;
}

/** The rows of a class: those where a 0/1 column of the total is 1 and, if given, the column `less` is 0. */
export interface ClassMembers {
  readonly name: string;
  readonly column: number;
  readonly less?: number;
}
