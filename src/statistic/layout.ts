import type { Reference } from '../features/reference.ts';
import { packedLength } from '../numeric/gram.ts';

/** How a statistic is held: exact integers on a grid, or a float64 sum rounded once. */
export type Arithmetic = 'exact' | 'compact';

/** Grid steps a unit of scale is cut into, as bits: two, three or four slices of 22. */
export type Grid = 44 | 66 | 88;

/** The grid of private rows, whose length is at most 1: noise hides what is finer. */
export const PRIVATE_GRID = 16;

/**
 * What a private row is: x = (z − center) / scale cut at length 1 together with its response, and truncated to the
 * grid, so that one row moves the integers by at most a known amount. `products` are Σ of the row's products and the
 * number of rows behind; a `gradient` is Σ x·r over the predictors, r the residual at `at`. Responses, or residuals, are
 * clipped at `bound` grid steps. Where the noise is added `at-sites`, nothing about a contribution can be checked.
 */
export type PrivateLayout = {
  readonly bound: number;
  readonly noise: 'at-sites' | 'at-coordinator';
} & ({ readonly kind: 'products' } | { readonly kind: 'gradient'; readonly at: readonly number[] });

/**
 * The shape of a statistic and the meaning of its numbers: the packed upper triangle of
 * Σ u uᵀ over rows, u = (z − center) / scale and z = (1, x…, y…); weighted studies append the
 * number of rows and Σ ln w. Of a `family` it is Fisher information: rows weighted by the variance of
 * their response, the linear predictor in place of the response, and the number of rows, the
 * log-likelihood and Σ y / weightScale² behind. Of an `estimate` it is the number of rows n, then n·θ for each response,
 * θ the coefficients of u, and where asked for n²·Var(θ) as a packed triangle: so that sums over sites give the average
 * by rows and its variance.
 */
export interface Layout {
  /** Names of z; the first is the constant. */
  readonly columns: readonly string[];
  readonly references: readonly Reference[];
  readonly responses: number;
  readonly intercept: boolean;
  readonly arithmetic: Arithmetic;
  readonly grid: Grid | typeof PRIVATE_GRID;
  /** Power of two that covers √w, or null when rows are not weighted. */
  readonly weightScale: number | null;
  /** Of a logistic or Poisson regression. */
  readonly family?: 'binomial' | 'poisson';
  /** Of a private study. */
  readonly privacy?: PrivateLayout;
  /** Where a site sends coefficients of its own. */
  readonly estimate?: { readonly covariance: boolean };
}

/** Words and fractional bits of an estimate's entries: half of 128 bits, so that ill-determined coefficients fit. */
const ESTIMATE_WORDS = 4;
const ESTIMATE_BITS = 64;

/** Thirty-two-bit words an entry takes in the ring. */
export function wordsOf(layout: Layout): number {
  if (layout.estimate !== undefined) return ESTIMATE_WORDS;
  if (layout.arithmetic === 'compact') return 2;
  return { 16: 2, 44: 4, 66: 6, 88: 8 }[layout.grid];
}

/** Fractional bits of an entry: an integer N stands for N / 2^bits. */
export function fractionBitsOf(layout: Layout): number {
  if (layout.estimate !== undefined) return ESTIMATE_BITS;
  return layout.arithmetic === 'compact' ? 32 : 2 * layout.grid;
}

/** Entries of the packed triangle: q(q+1)/2 for q columns of z. */
export function triangleEntries(layout: Layout): number {
  return packedLength(layout.columns.length);
}

/** Entries in all. */
export function entriesOf(layout: Layout): number {
  if (layout.estimate !== undefined) return 1 + layout.responses * estimateEntries(layout);
  const triangle = triangleEntries(layout);
  if (layout.privacy?.kind === 'gradient') return predictorsOf(layout);
  if (layout.privacy !== undefined) return triangle + 1;
  if (layout.family !== undefined) return triangle + 3;
  return layout.weightScale === null ? triangle : triangle + 2;
}

/** Columns of z before the responses, the constant included. */
export function predictorsOf({ columns, responses }: Layout): number {
  return columns.length - responses;
}

/** Coefficients of a response: the constant is one with an intercept alone. */
export function coefficientsOf(layout: Layout): number {
  return predictorsOf(layout) - (layout.intercept ? 0 : 1);
}

/** Entries that an estimate has for each response. */
export function estimateEntries(layout: Layout): number {
  const width = coefficientsOf(layout);
  return width + (layout.estimate?.covariance === true ? packedLength(width) : 0);
}

/** Where entry (i, j), i ≤ j, of a packed upper triangle of the given width sits. */
export function packedIndex(width: number, i: number, j: number): number {
  return i <= j ? i * width - (i * (i - 1)) / 2 + (j - i) : packedIndex(width, j, i);
}
