import type { Kernels } from './kernels.ts';
import { type Tridiagonal, tridiagonalize } from './tridiagonal.ts';

/** One ridge fit along the path; NaN if G + λI is not positive definite. */
export interface RidgePoint {
  readonly ridge: number;
  /** Effective degrees of freedom: tr G(G + λI)⁻¹ and the unpenalised ones. */
  readonly edf: number;
  /** Residual sum of squares ‖y − Xβ‖². */
  readonly rss: number;
  /** Generalised cross-validation n·rss / (n − edf)² (Golub, Heath & Wahba 1979). */
  readonly gcv: number;
}

/** Ridge fits for many λ. */
export interface RidgePath {
  /** The fit at one λ, in O(d). */
  at(ridge: number): RidgePoint;
  /** β = (G + λI)⁻¹h, for any λ. */
  coefficients(ridge: number): Float64Array;
  /** ln det(G + λI), in O(d). */
  logDeterminant(ridge: number): number;
  /** βᵀβ′ of the fits at two λ, in O(d). */
  inner(ridge: number, other: number): number;
}

/**
 * Ridge fits of y on X for any λ from G = XᵀX (full, row-major), h = Xᵀy, yᵀy and n: one tridiagonalisation, then O(d)
 * for each λ, no eigenvectors (Eldén 1984). `extraDegrees` counts unpenalised columns already projected out: 1 for an
 * intercept.
 */
export function ridgePath(
  kernels: Kernels,
  gram: Float64Array,
  d: number,
  moment: Float64Array,
  square: number,
  n: number,
  extraDegrees = 0,
): RidgePath {
  return pathOf(tridiagonalize(kernels, gram, d), d, { moment, square }, n, extraDegrees);
}

/** The h and yᵀy of one response. */
export interface PathResponse {
  readonly moment: Float64Array;
  readonly square: number;
}

/** The same for several responses on one X, still by one tridiagonalisation. */
export function ridgePaths(
  kernels: Kernels,
  gram: Float64Array,
  d: number,
  responses: readonly PathResponse[],
  n: number,
  extraDegrees: number,
): RidgePath[] {
  const tridiagonal = tridiagonalize(kernels, gram, d);
  return responses.map((response) => pathOf(tridiagonal, d, response, n, extraDegrees));
}

function pathOf(
  { diagonal, offDiagonal, applyQt, applyQ }: Tridiagonal,
  d: number,
  { moment, square }: PathResponse,
  n: number,
  extraDegrees: number,
): RidgePath {
  const q = applyQt(moment);
  const pivots = new Float64Array(d);
  const y = new Float64Array(d);

  // (T + λI)y = q by LDLᵀ; false if a pivot is not positive.
  function solve(ridge: number): boolean {
    for (let i = 0; i < d; i++) {
      const ratio = i === 0 ? 0 : offDiagonal[i - 1]! / pivots[i - 1]!;
      pivots[i] = diagonal[i]! + ridge - (i === 0 ? 0 : ratio * offDiagonal[i - 1]!);
      if (!(pivots[i]! > 0)) return false;
      y[i] = q[i]! - (i === 0 ? 0 : ratio * y[i - 1]!);
    }
    for (let i = d - 1; i >= 0; i--) {
      y[i] = (y[i]! - (i === d - 1 ? 0 : offDiagonal[i]! * y[i + 1]!)) / pivots[i]!;
    }
    return true;
  }

  // tr(T + λI)⁻¹: entry i of the inverse's diagonal is 1/(pivotᵢ + pivotᵢ from below − (tᵢ + λ)).
  function traceOfInverse(ridge: number): number {
    let trace = 0;
    let fromBelow = 0;
    for (let i = d - 1; i >= 0; i--) {
      const entry = diagonal[i]! + ridge;
      fromBelow = entry - (i === d - 1 ? 0 : offDiagonal[i]! ** 2 / fromBelow);
      trace += 1 / (pivots[i]! + fromBelow - entry);
    }
    return trace;
  }

  function pointAt(ridge: number): RidgePoint {
    if (!solve(ridge)) return { ridge, edf: Number.NaN, rss: Number.NaN, gcv: Number.NaN };
    let explained = 0;
    for (let i = 0; i < d; i++) explained += y[i]! * (q[i]! + ridge * y[i]!);
    const rss = Math.max(0, square - explained);
    const edf = d - ridge * traceOfInverse(ridge) + extraDegrees;
    return { ridge, edf, rss, gcv: (n * rss) / (n - edf) ** 2 };
  }

  return {
    at: pointAt,
    coefficients: (ridge) => (solve(ridge) ? applyQ(y) : new Float64Array(d).fill(Number.NaN)),
    logDeterminant: (ridge) =>
      solve(ridge) ? pivots.reduce((sum, pivot) => sum + Math.log(pivot), 0) : Number.NaN,
    inner(ridge, other) {
      if (!solve(other)) return Number.NaN;
      const there = y.slice();
      return solve(ridge) ? y.reduce((sum, b, i) => sum + b * there[i]!, 0) : Number.NaN;
    },
  };
}
