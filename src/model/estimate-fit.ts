import type { CoefficientErrors } from './errors.ts';

/** How the sites' own estimates were put together, and what that spared them. */
export interface EstimateFacts {
  readonly kind: 'average' | 'fesc';
  readonly weights: readonly SiteWeight[];
  /** Bytes of the numbers that each site sent. */
  readonly bytes: number;
  /** Bytes that the exact statistic, which gives the pooled fit, would have taken. */
  readonly exactBytes: number;
}

/** A site's share in the average; the smallest may have none. */
export interface SiteWeight {
  readonly site: string;
  readonly n: number;
  readonly weight: number;
}

/** What an average of the sites' own estimates has to say. */
export interface EstimateFit extends EstimateFacts {
  readonly rows: number;
  /** Penalty on each site's own slopes. */
  readonly ridge: number;
  readonly models: readonly EstimateModel[];
}

/** The average of one response in the user's units, the intercept first where there is one. */
export interface EstimateModel {
  readonly response: string;
  readonly terms: readonly string[];
  readonly estimates: Float64Array;
  /** Absent where sites told no covariance and are too few to see a spread. */
  readonly errors?: CoefficientErrors;
}
