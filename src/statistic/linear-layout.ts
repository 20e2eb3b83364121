import type { Reference } from '../features/reference.ts';
import { packedLength } from '../numeric/gram.ts';
import { type Shape, triangle, vector, type Words } from './segments.ts';

/** How a statistic is stored: exact integers on a grid, or a float64 sum rounded once. */
export type Arithmetic = 'exact' | 'compact';

/** Grid steps in a unit of scale, in bits: one to four slices of 22. */
export type Grid = 22 | 44 | 66 | 88;

/** The grid of private rows, whose length is at most 1; the noise is coarser than this. */
export const PRIVATE_GRID = 16;

/**
 * A private row: x = (z − center) / scale, scaled to length at most 1 together with its response and truncated to the
 * grid, so that one row changes the integers by at most a known amount. `products` are the sums of a row's products and the
 * number of rows; a `gradient` is Σ x·r over the predictors, r the residual at `at`. Responses, or residuals, are
 * clipped at `bound` grid steps. With noise `at-sites`, a contribution cannot be checked.
 */
export type PrivateLayout = {
  readonly bound: number;
  readonly noise: 'at-sites' | 'at-coordinator' | 'at-aggregators';
} & ({ readonly kind: 'products' } | { readonly kind: 'gradient'; readonly at: readonly number[] });

/**
 * The layout of a regression: u = (z − center) / scale over the columns of z = (1, x…, y…). Its JSON is part of the
 * digest of every total, so its keys must not change; `linearShape` gives the segments.
 */
export interface LinearLayout {
  /** Names of z; the first is the constant. */
  readonly columns: readonly string[];
  readonly references: readonly Reference[];
  readonly responses: number;
  readonly intercept: boolean;
  readonly arithmetic: Arithmetic;
  readonly grid: Grid | typeof PRIVATE_GRID;
  /** A power of two of at least √w, or null if rows are not weighted. */
  readonly weightScale: number | null;
  /** In a logistic or Poisson regression. */
  readonly family?: 'binomial' | 'poisson';
  /**
   * What a Fisher statistic has besides: with either value the saturated log-likelihood, with `expected` also what the
   * expansion about a site's own optimum is expected to leave out. Absent in layouts made before 0.2.
   */
  readonly remainder?: 'expected' | 'none';
  /** In a logistic or Poisson regression whose rows have weights of their own. */
  readonly priorWeights?: true;
  /** In a logistic or Poisson regression with an offset. */
  readonly offset?: true;
  /** Whether a Fisher statistic has the squares of the rows' scores, Σ s² u uᵀ / weightScale⁴. */
  readonly scores?: true;
  /** In a private study. */
  readonly privacy?: PrivateLayout;
  /** If sites send their own coefficients. */
  readonly estimate?: { readonly covariance: boolean };
}

/** Words and fractional bits of an estimate's entries: half of 128 bits, so that large, uncertain coefficients fit. */
const ESTIMATE_WORDS = 4;
const ESTIMATE_BITS = 64;

/**
 * The segments of a regression's statistic. `products` is the packed upper triangle of Σ u uᵀ over rows; weighted studies
 * append the number of `rows` and Σ ln w. With a `family` it is Fisher information: rows weighted by the variance of their
 * response, with the linear predictor in place of the response, followed by the number of rows, the log-likelihood and
 * Σ y / weightScale², by what `remainder` asks for, and by Σ w / weightScale² and the log-likelihood of rounded weights if rows
 * are weighted. All likelihoods of weighted rows are over weightScale². An `estimate` is the number of rows n, then for each response n·θ (θ the coefficients of u) and, if asked
 * for, n²·Var(θ): sums over sites then give the average weighted by rows and its variance.
 */
export function linearShape(layout: LinearLayout): Shape {
  const known = shapes.get(layout);
  if (known !== undefined) return known;
  const shape = layout.estimate === undefined ? sumsShape(layout) : estimateShape(layout);
  shapes.set(layout, shape);
  return shape;
}

/** Cached, because loops over entries ask for the words and bits of each. */
const shapes = new WeakMap<LinearLayout, Shape>();

function sumsShape(layout: LinearLayout): Shape {
  const { columns, arithmetic, grid, privacy } = layout;
  const words: Words = arithmetic === 'compact' ? 2 : gridWords[grid];
  const bits = arithmetic === 'compact' ? 32 : 2 * grid;
  if (privacy?.kind === 'gradient') {
    return { words, segments: [vector('gradient', predictorsOf(layout), bits)] };
  }
  const numbers = numbersAfterProducts(layout).map((name) => vector(name, 1, bits));
  const vectors = vectorsAfterNumbers(layout).map((name) =>
    vector(name, predictorsOf(layout), bits),
  );
  const scores =
    layout.scores === true ? [triangle('squares of the scores', predictorsOf(layout), bits)] : [];
  return {
    words,
    segments: [triangle('products', columns.length, bits), ...numbers, ...vectors, ...scores],
  };
}

function vectorsAfterNumbers({ remainder }: LinearLayout): string[] {
  return remainder === 'expected' ? ['expected remainder', 'sites that bound it'] : [];
}

function numbersAfterProducts(layout: LinearLayout): string[] {
  const { family, privacy, remainder, weightScale, priorWeights, offset } = layout;
  if (privacy !== undefined) return ['rows'];
  if (family !== undefined) {
    return [
      'rows',
      'log-likelihood',
      'sum of the response',
      ...(remainder === undefined
        ? []
        : ['saturated log-likelihood', 'part of the response alone']),
      ...(remainder === 'expected' ? ['directions'] : []),
      ...(priorWeights === true ? ['sum of the weights', 'log-likelihood of whole weights'] : []),
      ...(offset === true ? ['log-likelihood of the offset alone'] : []),
    ];
  }
  return weightScale === null ? [] : ['rows', 'sum of the logarithms of the weights'];
}

/** An entry of n rows is at most n·2^(2·grid): 2³¹ private rows fit, 2⁵¹ rows at 22 bits, 2³⁹ at 44, 2⁵⁹ at 66, 2⁷⁹ at 88. */
const gridWords = { 16: 2, 22: 3, 44: 4, 66: 6, 88: 8 } as const;

function estimateShape(layout: LinearLayout): Shape {
  const width = coefficientsOf(layout);
  const responses = Array.from({ length: layout.responses }, (_, response) => [
    vector(`coefficients ${response + 1}`, width, ESTIMATE_BITS),
    ...(layout.estimate?.covariance === true
      ? [triangle(`covariance ${response + 1}`, width, ESTIMATE_BITS)]
      : []),
  ]);
  return {
    words: ESTIMATE_WORDS,
    segments: [vector('rows', 1, ESTIMATE_BITS), ...responses.flat()],
  };
}

/** Entries of the packed triangle: q(q+1)/2 for q columns of z. */
export function triangleEntries(layout: LinearLayout): number {
  return packedLength(layout.columns.length);
}

/** Columns of z before the responses, the constant included. */
export function predictorsOf({ columns, responses }: LinearLayout): number {
  return columns.length - responses;
}

/** Number of coefficients of a response; the constant counts only with an intercept. */
export function coefficientsOf(layout: LinearLayout): number {
  return predictorsOf(layout) - (layout.intercept ? 0 : 1);
}

/** Entries of an estimate for each response. */
export function estimateEntries(layout: LinearLayout): number {
  const width = coefficientsOf(layout);
  return width + (layout.estimate?.covariance === true ? packedLength(width) : 0);
}

/** Fractional bits of the entries, the same in all segments of a regression. */
export function fractionBitsOf(layout: LinearLayout): number {
  return linearShape(layout).segments[0].fractionBits;
}

/** Index of entry (i, j), i ≤ j, in a packed upper triangle of the given width. */
export function packedIndex(width: number, i: number, j: number): number {
  return i <= j ? i * width - (i * (i - 1)) / 2 + (j - i) : packedIndex(width, j, i);
}
