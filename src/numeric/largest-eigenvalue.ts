import type { SymmetricProduct } from './symmetric-product.ts';

const STEPS_BETWEEN_LOOKS = 4;
const MOST_STEPS = 600;

/**
 * The largest eigenvalue of a symmetric positive semidefinite matrix given by its products, by Lanczos with full
 * reorthogonalisation (Golub & Van Loan 2013, §10.1). Stops when the estimated relative error is below `tolerance`.
 * Only sums, products, quotients and square roots of doubles: the same bits on every engine.
 */
export function largestEigenvalue(
  width: number,
  multiply: SymmetricProduct,
  tolerance: number,
): number {
  const basis: Float64Array[] = [];
  const diagonal: number[] = [];
  const offDiagonal: number[] = [];
  let v = startVector(width);
  let found = 0;
  for (let step = 1; step <= Math.min(width, MOST_STEPS); step++) {
    scale(v, 1 / Math.sqrt(dot(v, v)));
    basis.push(v);
    const next = new Float64Array(width);
    multiply(v, next);
    diagonal.push(dot(v, next));
    // Twice is enough for orthogonality to the last digit (Parlett 1998, §6.9).
    for (let pass = 0; pass < 2; pass++) {
      for (const u of basis) subtract(next, dot(u, next), u);
    }
    const rest = Math.sqrt(dot(next, next));
    const isLast = step === Math.min(width, MOST_STEPS) || !(rest > 2 ** -50 * diagonal[0]);
    if (isLast || step % STEPS_BETWEEN_LOOKS === 0) {
      found = eigenvalueFromTop(diagonal, offDiagonal, 1);
      if (isLast || isNear(found, tolerance, diagonal, offDiagonal, rest)) return found;
    }
    offDiagonal.push(rest);
    v = next;
  }
  return found;
}

/** Numbers between 1 and 2 without a pattern, so that no eigenvector of a designed matrix is orthogonal to them. */
function startVector(width: number): Float64Array {
  let state = 1;
  return Float64Array.from({ length: width }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return 1 + state / 2 ** 32;
  });
}

/**
 * Whether the largest eigenvalue of a tridiagonal matrix is near that of A: its distance is about residual²/gap
 * (Parlett 1998, §11.7), or the residual itself where that is smaller.
 */
function isNear(
  value: number,
  tolerance: number,
  diagonal: readonly number[],
  offDiagonal: readonly number[],
  rest: number,
): boolean {
  const residual = rest * lastComponent(diagonal, offDiagonal, value);
  const most = tolerance * value;
  if (residual <= most) return true;
  // The gap is at most twice the value, however the last digits are rounded.
  if (diagonal.length === 1 || residual ** 2 > 2 * value * most) return false;
  const gap = value - eigenvalueFromTop(diagonal, offDiagonal, 2);
  return gap > 0 && residual ** 2 / gap <= most;
}

/** The k-th largest eigenvalue of a tridiagonal matrix, by bisection to the last bit. */
function eigenvalueFromTop(
  diagonal: readonly number[],
  offDiagonal: readonly number[],
  k: number,
): number {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  diagonal.forEach((entry, i) => {
    const radius = Math.abs(offDiagonal[i - 1] ?? 0) + Math.abs(offDiagonal[i] ?? 0);
    low = Math.min(low, entry - radius);
    high = Math.max(high, entry + radius);
  });
  for (;;) {
    const middle = low + (high - low) / 2;
    if (!(middle > low && middle < high)) return high;
    if (countAbove(diagonal, offDiagonal, middle) >= k) low = middle;
    else high = middle;
  }
}

/** How many eigenvalues are above x: the positive pivots of T − x (Golub & Van Loan 2013, §8.4.1). */
function countAbove(
  diagonal: readonly number[],
  offDiagonal: readonly number[],
  x: number,
): number {
  let count = 0;
  let pivot = 1;
  for (let i = 0; i < diagonal.length; i++) {
    pivot = diagonal[i] - x - (i === 0 ? 0 : offDiagonal[i - 1] ** 2 / pivot);
    if (pivot === 0) pivot = -Number.MIN_VALUE;
    if (pivot > 0) count++;
  }
  return count;
}

/** The last entry of the unit eigenvector of the largest eigenvalue, from the last entry up: in this order errors shrink. */
function lastComponent(
  diagonal: readonly number[],
  offDiagonal: readonly number[],
  value: number,
): number {
  let [below, here] = [0, 1];
  let square = 1;
  let last = 1;
  for (let i = diagonal.length - 1; i > 0; i--) {
    const above =
      ((value - diagonal[i]) * here - (offDiagonal[i] ?? 0) * below) / offDiagonal[i - 1];
    [below, here] = [here, above];
    square += here * here;
    if (square > 1e200) {
      [below, here, last, square] = [below / 1e100, here / 1e100, last / 1e100, square / 1e200];
    }
  }
  return last / Math.sqrt(square);
}

function dot(a: Float64Array, b: Float64Array): number {
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  const end = a.length & ~3;
  for (let i = 0; i < end; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  for (let i = end; i < a.length; i++) s0 += a[i] * b[i];
  return s0 + s1 + (s2 + s3);
}

function subtract(target: Float64Array, factor: number, v: Float64Array): void {
  for (let i = 0; i < target.length; i++) target[i] -= factor * v[i];
}

function scale(v: Float64Array, factor: number): void {
  for (let i = 0; i < v.length; i++) v[i] *= factor;
}
