import { type Cholesky, cholesky } from '../numeric/cholesky.ts';
import type { Kernels } from '../numeric/kernels.ts';

/** Minimises ½bᵀGb − cᵀb + l1‖b‖₁ + ½ l2‖b‖². */
export interface LassoProblem {
  /** d × d, row-major; for columns of unit SD their correlations. */
  readonly gram: Float64Array;
  readonly moment: Float64Array;
}

/** Coefficients, and their violation of the Karush–Kuhn–Tucker conditions relative to the size of the terms. */
export interface LassoOptimum {
  readonly coefficients: Float64Array;
  readonly violation: number;
}

const SWEEPS = 2;
const ROUNDS = 1000;
const TOLERANCE = 1e-13;
/** Share of a column's length that is left beside the others, below which the rest is rounding. */
const DEPENDENT = 1e-12;

/**
 * Cyclic coordinate descent with covariance updates (Friedman, Hastie & Tibshirani 2010, §2.2) from a start. After each round
 * it solves the normal equations of the nonzero coefficients directly; a coefficient that would change its sign on the way
 * stops at zero (Lee et al. 2007, feature-sign search). Every step lowers the objective.
 */
export function lassoDescent(
  kernels: Kernels,
  { gram, moment }: LassoProblem,
  l1: number,
  l2: number,
  start: Float64Array,
): LassoOptimum {
  const d = moment.length;
  const b = start.slice();
  const gradient = new Float64Array(d);
  const everyone = Array.from({ length: d }, (_, j) => j);
  const largestMoment = moment.reduce((most, c) => Math.max(most, Math.abs(c)), 0);

  // Returns the largest sum of the terms of a gradient entry, the scale of its rounding.
  function refreshGradient(): number {
    gradient.set(moment);
    const terms = moment.map(Math.abs);
    for (let j = 0; j < d; j++) {
      if (b[j] === 0) continue;
      move(j, b[j]);
      const size = Math.abs(b[j]);
      for (let k = 0; k < d; k++) terms[k] += Math.abs(gram[j * d + k]) * size;
    }
    return terms.reduce((most, size) => Math.max(most, size), 0);
  }

  function move(j: number, by: number): void {
    const row = j * d;
    for (let k = 0; k < d; k++) gradient[k] -= gram[row + k] * by;
  }

  function sweep(columns: readonly number[]): number {
    let largest = 0;
    for (const j of columns) {
      const curvature = gram[j * d + j];
      if (!(curvature + l2 > 0)) continue;
      const pull = gradient[j] + curvature * b[j];
      const next = Math.abs(pull) > l1 ? (pull - Math.sign(pull) * l1) / (curvature + l2) : 0;
      if (next === b[j]) continue;
      largest = Math.max(largest, Math.abs(next - b[j]));
      move(j, next - b[j]);
      b[j] = next;
    }
    return largest;
  }

  function violation(): number {
    const size = refreshGradient();
    const worst = everyone.reduce((most, j) => {
      const slope = gradient[j] - l2 * b[j];
      const off = b[j] === 0 ? Math.abs(slope) - l1 : Math.abs(slope - Math.sign(b[j]) * l1);
      return gram[j * d + j] + l2 > 0 ? Math.max(most, off) : most;
    }, 0);
    return size > 0 ? worst / size : 0;
  }

  let left = violation();
  for (let round = 0; round < ROUNDS && left > TOLERANCE; round++) {
    sweep(everyone);
    const active = everyone.filter((j) => b[j] !== 0);
    for (let k = 0; k < SWEEPS && sweep(active) > TOLERANCE * largestMoment; k++);
    solveActive(kernels, { gram, moment }, l1, l2, b);
    left = violation();
  }
  return { coefficients: b, violation: left };
}

/**
 * Moves b to the optimum of its nonzero coefficients with their present signs. If their columns are dependent, it moves along
 * the dependence, which does not change the fit, until one of them is zero.
 */
function solveActive(
  kernels: Kernels,
  { gram, moment }: LassoProblem,
  l1: number,
  l2: number,
  b: Float64Array,
): void {
  const d = b.length;
  let active = Array.from(b.keys()).filter((j) => b[j] !== 0);
  while (active.length > 0) {
    const a = active.length;
    const part = new Float64Array(a * a);
    for (let k = 0, at = 0; k < a; k++) {
      const row = active[k] * d;
      for (let l = 0; l < a; l++, at++) part[at] = gram[row + active[l]];
      part[k * a + k] += l2;
    }
    const outcome = factorOf(kernels, part, a);
    const signs = active.map((j) => Math.sign(b[j]));
    let ways: readonly Float64Array[];
    if ('factor' in outcome) {
      const goal = outcome.factor.solve(
        Float64Array.from(active, (j, k) => moment[j] - l1 * signs[k]),
      );
      if (l1 === 0 || active.every((_, k) => goal[k] * signs[k] > 0)) {
        active.forEach((j, k) => {
          b[j] = goal[k];
        });
        return;
      }
      ways = [goal.map((value, k) => value - b[active[k]])];
    } else {
      if (l1 === 0) return;
      const way = dependence(kernels, part, a, outcome.indefiniteAt);
      const growth = way.reduce((sum, value, k) => sum + value * signs[k], 0);
      const back = way.map((value) => -value);
      ways = growth > 0 ? [back, way] : [way, back];
    }
    const stop = firstZero(b, active, ways);
    if (stop === undefined) return;
    active.forEach((j, k) => {
      b[j] = k === stop.at ? 0 : b[j] + stop.step * stop.way[k];
    });
    active = active.filter((j) => b[j] !== 0);
  }
}

/** The factor; or the first column that depends on those before it, as far as rounding lets one see. */
function factorOf(kernels: Kernels, part: Float64Array, a: number): Cholesky {
  const less = part.slice();
  for (let k = 0; k < a; k++) less[k * a + k] *= 1 - DEPENDENT;
  const doubtful = cholesky(kernels, less, a);
  return 'factor' in doubtful ? cholesky(kernels, part, a) : doubtful;
}

/** A combination of columns that is zero: the column at which the factor failed, minus its projection on those before it. */
function dependence(kernels: Kernels, part: Float64Array, a: number, column: number): Float64Array {
  const way = new Float64Array(a);
  way[column] = -1;
  const before = Float64Array.from(
    { length: column * column },
    (_, at) => part[Math.floor(at / column) * a + (at % column)],
  );
  const outcome = cholesky(kernels, before, column);
  if (column > 0 && 'factor' in outcome) {
    way.set(outcome.factor.solve(part.slice(column * a, column * a + column)));
  }
  return way;
}

/** The first direction in which a coefficient becomes zero, and the step to it. */
function firstZero(
  b: Float64Array,
  active: readonly number[],
  ways: readonly Float64Array[],
): { readonly way: Float64Array; readonly step: number; readonly at: number } | undefined {
  for (const way of ways) {
    let [step, at] = [Number.POSITIVE_INFINITY, -1];
    active.forEach((j, k) => {
      if (way[k] * b[j] < 0 && -b[j] / way[k] < step) [step, at] = [-b[j] / way[k], k];
    });
    if (at >= 0) return { way, step, at };
  }
  return undefined;
}
