import type { CoefficientErrors } from './fit.ts';

/** How the sites' estimates were combined, and how many bytes each site sent. */
export interface EstimateFacts {
  readonly kind: 'average' | 'fesc';
  readonly weights: readonly SiteWeight[];
  /** Bytes of the numbers that each site sent. */
  readonly bytes: number;
  /** Bytes of the exact statistic, which would give the pooled fit. */
  readonly exactBytes: number;
}

/** A site's weight in the average; FESC may give the smallest sites 0. */
export interface SiteWeight {
  readonly site: string;
  readonly n: number;
  readonly weight: number;
}

/** The average of the sites' estimates. */
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
  /** Absent where sites sent no covariance and fewer than three of them count. */
  readonly errors?: CoefficientErrors;
}
