import type { Codebook } from './codebook.ts';
import { digestJson } from './digest.ts';

/** The public agreement every site works from; its digest is its identity. */
export interface Study {
  readonly schema: 'suffice/study@1';
  readonly name?: string;
  readonly formula: string;
  readonly codebook: Codebook;
  readonly weights?: string;
  readonly fusion: RidgeFusion;
  readonly arithmetic: 'exact' | 'compact';
  /** Bits a unit of scale is cut into; 44 (thirteen digits) unless the study needs a finer grid. */
  readonly grid?: 44 | 66 | 88;
  /** Who sees a site's statistic: with `plain`, the coordinator does. */
  readonly aggregation?: { readonly kind: 'plain' };
  /** Noise added to what is published; none so far. */
  readonly privacy?: null;
  readonly quorum?: Quorum;
}

/** When a study may resolve without every site. */
export interface Quorum {
  /** Sites that must have contributed; 1 unless given. */
  readonly sites?: number;
  /** When collecting ends, as an ISO 8601 time in UTC. */
  readonly deadline?: string;
}

/** Ridge regression; a penalty of 0 is least squares. The intercept is never penalised. */
export interface RidgeFusion {
  readonly kind: 'ridge';
  readonly ridge: number | 'gcv';
  /** Penalise coefficients of columns scaled by their population SD instead of raw ones. */
  readonly standardize?: boolean;
}

export function studyDigest(study: Study): string {
  return digestJson(study);
}
