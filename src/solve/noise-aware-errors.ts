import { normalTail } from '../numeric/distributions.ts';
import { applied, type NoisyMoments, type SpectralFilter, turned } from './denoise.ts';

/** Coefficients w = Φh̃ of a noisy total, with what is needed for their errors. */
export interface NoisySolution {
  readonly filter: SpectralFilter;
  readonly noisy: NoisyMoments;
  readonly coefficients: Float64Array;
  /** Mean squared residual of a scaled row. */
  readonly residual: number;
  /** Share of h̃ lost by clipping the responses. */
  readonly clipped: number;
  /** Index of the constant among the columns, if there is one. */
  readonly constant?: number;
}

/**
 * Covariance of w about the coefficients of the rows' population. With E the noise of the gram and e that of the moments, the
 * error is Φ(e − Ew + sampling) to first order, plus the shrinkage by filter and clipping; so the covariance is
 * Φ[σ_h²I + ½σ_G²(‖w‖²I + wwᵀ) + r(G + ggᵀ/g₀)]Φ + bbᵀ with b = (I − ΦG̃)w + w·c/(1 − c).
 */
export function noiseAwareCovariance(solution: NoisySolution): Float64Array {
  const { filter, noisy, coefficients, residual } = solution;
  const { vectors, cleaned } = filter;
  const d = coefficients.length;
  const half = noisy.sigmaGram ** 2 / 2;
  const length = coefficients.reduce((sum, w) => sum + w * w, 0);
  const noise = noisy.sigmaMoment ** 2 + half * length;
  const own = filter.filter.map((phi, i) => phi ** 2 * (noise + residual * cleaned[i]!));
  const along = applied(filter, coefficients).map((part) => part * Math.sqrt(half));
  const ranks = [along, heldBack(solution), unequalRows(solution)];
  const covariance = new Float64Array(d * d);
  for (let r = 0; r < d; r++) {
    for (let s = r; s < d; s++) {
      let sum = ranks.reduce((all, rank) => all + rank[r]! * rank[s]!, 0);
      for (let i = 0; i < d; i++) sum += vectors[r * d + i]! * own[i]! * vectors[s * d + i]!;
      covariance[r * d + s] = sum;
      covariance[s * d + r] = sum;
    }
  }
  return covariance;
}

/** b: the estimated shrinkage of the coefficients by filter and clipping. */
function heldBack({ filter, coefficients, clipped }: NoisySolution): Float64Array {
  const { vectors, values } = filter;
  const d = coefficients.length;
  const parts = turned(vectors, coefficients).map(
    (part, i) => (1 - filter.filter[i]! * values[i]!) * part,
  );
  return coefficients.map((w, r) => {
    let sum = (w * clipped) / (1 - clipped);
    for (let i = 0; i < d; i++) sum += vectors[r * d + i]! * parts[i]!;
    return sum;
  });
}

/**
 * Φg·√(r/g₀), g the constant's column of the gram. Scaled rows have unequal residuals: larger for short rows, which are
 * close to the constant. For normal rows the fourth moments would add twice this square (Isserlis).
 */
function unequalRows({ filter, noisy, constant, residual }: NoisySolution): Float64Array {
  const d = noisy.moment.length;
  const own = constant === undefined ? 0 : noisy.gram[constant * d + constant]!;
  if (constant === undefined || !(own > 0)) return new Float64Array(d);
  const column = noisy.gram.slice(constant * d, constant * d + d);
  return applied(filter, column).map((part) => part * Math.sqrt(residual / own));
}

/** φ·ξ of the eigenvectors, at most 1: the share of a coefficient that the filter keeps. */
export function keptShares({ filter, cleaned }: SpectralFilter): {
  readonly smallest: number;
  readonly mean: number;
} {
  const shares = filter.map((phi, i) => Math.min(1, phi * cleaned[i]!));
  return {
    smallest: Math.min(...shares),
    mean: shares.reduce((sum, share) => sum + share, 0) / shares.length,
  };
}

/**
 * The share of Σ a·b that is lost by clipping b at ±bound, for normal b: P(|b| > bound) (Stein's lemma). Needs only the mean
 * square of the clipped b.
 */
export function clippedShare(meanSquare: number, bound: number): number {
  const observed = Math.max(0, meanSquare) / bound ** 2;
  let narrow = 0.01;
  let wide = 100;
  if (observed >= clippedSquare(narrow)) return 1;
  for (let step = 0; step < 60; step++) {
    const reach = (narrow + wide) / 2;
    if (clippedSquare(reach) > observed) narrow = reach;
    else wide = reach;
  }
  return normalTail(wide);
}

/** E[min(b², c²)] / c² for a normal b with SD c/reach. */
function clippedSquare(reach: number): number {
  const outside = normalTail(reach);
  const density = Math.exp(-(reach ** 2) / 2) / Math.sqrt(2 * Math.PI);
  return (1 - outside - 2 * reach * density) / reach ** 2 + outside;
}
