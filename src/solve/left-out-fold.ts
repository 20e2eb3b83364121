import {
  addMultiple,
  type DdArray,
  type DdMatrix,
  ddArray,
  ddAt,
  ddDot,
  ddMatrix,
  ddSet,
  mirrorUpper,
} from '../numeric/dd-matrix.ts';
import {
  type DoubleDouble,
  dd,
  ddAdd,
  ddDivide,
  ddMultiply,
  ddNegate,
  ddScale,
  ddSubtract,
} from '../numeric/double-double.ts';
import type { Kernels } from '../numeric/kernels.ts';
import { transposedProduct } from '../numeric/transposed-product.ts';
import { wordsOf } from '../statistic/layout.ts';
import { fractionBitsOf } from '../statistic/linear-layout.ts';
import { ringDoubleDouble, ringDoubleDoubles } from '../statistic/ring.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import { square } from './choose-ridges.ts';
import type { NormalEquations } from './normal-equations.ts';

/** A total without some sites; both matrices are in the total's equilibrated units, predictors first. */
export interface Fold {
  /** Normal equations of the remaining sites, about their own means. */
  readonly train: DdMatrix;
  /** Sum of their weights in the statistic's units. */
  readonly trainWeight: number;
  /** Cross-products of the sites left out, about the means of the remaining ones. */
  readonly left: DdMatrix;
  readonly leftWeight: number;
}

/** The matrices of a fold, to be filled again for the next one. */
export type FoldSpace = Pick<Fold, 'train' | 'left'>;

export function foldSpace(width: number): FoldSpace {
  return { train: ddMatrix(width), left: ddMatrix(width) };
}

/** Sum of the weights (the number of rows without weights) in the statistic's units. */
export function weightOf({ layout, values }: LinearStatistic): DoubleDouble {
  return ringDoubleDouble(values, wordsOf(layout), 0, fractionBitsOf(layout));
}

/** The part of the total's equations that folds are made from. */
export type FoldEquations = Omit<NormalEquations, 'integer'>;

/**
 * Leaves sites out of a total, whose weight is given. With A and s the cross-products and sums of the sites left out about the total's means, and N
 * and m the weights of the total and of these sites, the remaining sites have S − A − ssᵀ/(N − m), and those left out have,
 * about the means of the remaining ones, A + ssᵀ(2N − m)/(N − m)².
 */
export function foldOf(
  { matrix, equilibration, means, layout }: FoldEquations,
  total: DoubleDouble,
  out: LinearStatistic,
  space: FoldSpace = foldSpace(matrix.width),
): Fold {
  const { width } = matrix;
  const { train, left } = space;
  const [words, bits] = [wordsOf(layout), fractionBitsOf(layout)];
  const weight = weightOf(out);
  const rest = ddSubtract(total, weight);
  const constant = ddArray(width + 1);
  ringDoubleDoubles(out.values, words, 0, width + 1, bits, constant, 0);
  const first = ddArray(width); // Σ e∘u over the sites left out, then e∘ū of the total and Σ e∘(u − ū)
  const mean = ddArray(width);
  const sum = ddArray(width);
  for (let i = 0; i < width && layout.intercept; i++) {
    ddSet(first, i, ddScale(ddAt(constant, i + 1), equilibration[i]));
    ddSet(mean, i, ddScale(ddAt(means, i), equilibration[i]));
    ddSet(sum, i, ddSubtract(ddAt(first, i), ddMultiply(ddAt(mean, i), weight)));
  }
  const trainShare = ddDivide(dd(-1), rest);
  const leftShare = ddDivide(ddAdd(ddAdd(rest, rest), weight), ddMultiply(rest, rest));
  train.hi.set(matrix.hi);
  train.lo.set(matrix.lo);
  for (let i = 0, entry = width + 1; i < width; entry += width - i, i++) {
    const row = i * width;
    ringDoubleDoubles(out.values, words, entry, width - i, bits, left, row + i);
    for (let j = i; j < width; j++) {
      const scale = equilibration[i] * equilibration[j];
      left.hi[row + j] *= scale;
      left.lo[row + j] *= scale;
    }
    const own = ddAt(sum, i);
    if (layout.intercept) {
      addMultiple(left, row, ddNegate(ddAt(mean, i)), first, 0, i, width);
      addMultiple(left, row, ddNegate(own), mean, 0, i, width);
    }
    addMultiple(train, row, dd(-1), left, row, i, width);
    if (layout.intercept) {
      addMultiple(train, row, ddMultiply(own, trainShare), sum, 0, i, width);
      addMultiple(left, row, ddMultiply(own, leftShare), sum, 0, i, width);
    }
  }
  mirrorUpper(train);
  mirrorUpper(left);
  return { train, trainWeight: rest.hi, left, leftWeight: weight.hi };
}

/**
 * Squared errors of prediction for the sites left out, Σ w(y − a − xβ)² in equilibrated units, with coefficients base + δ for
 * each column δ. The base is in double-double, so that a nearly perfect prediction keeps its small error.
 */
export function leftOutLosses(
  kernels: Kernels,
  { left }: Fold,
  response: number,
  base: DdArray,
  differences: Float64Array,
): Float64Array {
  const p = base.hi.length;
  const { width } = left;
  const direction = ddArray(width);
  for (let j = 0; j < p; j++) ddSet(direction, j, dd(-base.hi[j], -base.lo[j]));
  direction.hi[p + response] = 1;
  const image = ddArray(width);
  for (let i = 0; i < width; i++) ddSet(image, i, ddDot(left, i * width, direction, 0, width));
  const start = ddDot(direction, 0, image, 0, width).hi;
  if (p === 0) return Float64Array.of(start);
  const count = differences.length / p;
  const turned = transposedProduct(kernels, square(left, p), differences, p);
  const losses = new Float64Array(count).fill(start);
  for (let j = 0, at = 0; j < p; j++) {
    for (let l = 0; l < count; l++, at++) {
      losses[l] += differences[at] * (turned[at] - 2 * image.hi[j]);
    }
  }
  return losses.map((loss) => Math.max(0, loss));
}
