import { type DdArray, type DdMatrix, ddArray, ddAt, ddSet } from '../numeric/dd-matrix.ts';
import type { Kernels } from '../numeric/kernels.ts';
import { withPenalty } from './penalty.ts';
import { refineByResiduals } from './refine.ts';
import { shiftedSolver } from './shifted-solver.ts';

/** Ridge regressions of one response for many penalties: the weakest in double-double, the others as differences from it. */
export interface Ridges {
  /** β at the weakest ridge. */
  readonly weakest: DdArray;
  /** β − weakest: row j is predictor j along the ridges. */
  readonly differences: Float64Array;
}

/** Relative change at which the weakest ridge is exact enough: far below what a score shows. */
const ENOUGH = 2 ** -80;
const STEPS = 6;
/** Relative error of a plain solution below which refining it changes no score by 1e-12. */
const PLAIN_ERROR = 2 ** -43;

/**
 * Ridge regressions of every response of a centred matrix, predictors first. Differences obey (S + λP)δ = (λ₀ − λ)Pβ₀, so
 * small differences keep their digits.
 */
export function ridges(
  kernels: Kernels,
  matrix: DdMatrix,
  unit: Float64Array,
  penalties: readonly number[],
): Ridges[] {
  const p = unit.length;
  const weakest = Math.min(...penalties);
  const solver = shiftedSolver(kernels, square(matrix, p), unit);
  const alike = areAlike(unit);
  const penalised = withPenalty(
    matrix,
    unit.map((u) => u * weakest),
  );
  return Array.from({ length: matrix.width - p }, (_, r) => {
    const moment = ddArray(p);
    for (let j = 0; j < p; j++) {
      if (unit[j] > 0) ddSet(moment, j, ddAt(matrix, (p + r) * matrix.width + j));
    }
    const solve = (b: Float64Array) => solver.one(weakest, b);
    const { solution, changes } = refineByResiduals(penalised, moment, solve, {
      steps: STEPS,
      enough: ENOUGH,
    });
    const pull = unit.map((u, j) => u * solution.hi[j]);
    const shares = penalties.map((ridge) => weakest - ridge);
    // The second change is the error of a plain solution at the weakest ridge, where it is largest.
    const isPlainEnough = alike && !(changes[1] > PLAIN_ERROR);
    const solveMany = isPlainEnough ? solver.many : solver.refined;
    return { weakest: solution, differences: solveMany(penalties, pull, shares) };
  });
}

/** Whether the tridiagonal form of P^−½ S P^−½ costs no digits: the roots of the penalties are within a factor of two. */
function areAlike(unit: Float64Array): boolean {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const u of unit) {
    if (u < least) least = u;
    if (u > most) most = u;
  }
  return most <= 4 * least;
}

/** β of one response for every penalty, each to full relative precision: row j is predictor j along the ridges. */
export function ridgeCoefficients(
  kernels: Kernels,
  matrix: DdMatrix,
  unit: Float64Array,
  penalties: readonly number[],
  response: number,
): Float64Array {
  const p = unit.length;
  const row = (p + response) * matrix.width;
  const moment = matrix.hi.slice(row, row + p);
  const { refined } = shiftedSolver(kernels, square(matrix, p), unit);
  return refined(
    penalties,
    moment,
    penalties.map(() => 1),
  );
}

/** The leading p × p part, to double precision. */
export function square(matrix: DdMatrix, p: number): Float64Array {
  const leading = new Float64Array(p * p);
  for (let i = 0; i < p; i++) {
    leading.set(matrix.hi.subarray(i * matrix.width, i * matrix.width + p), i * p);
  }
  return leading;
}
