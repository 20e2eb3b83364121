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
