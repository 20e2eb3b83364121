import type { SiteFlag } from '../model/report.ts';

/** One doubt about one site: impossible moments, rows, scale, location, a constant column, sign, fit. */
export interface Flag extends SiteFlag {
  readonly kind: 'impossible' | 'rows' | 'scale' | 'location' | 'constant' | 'sign' | 'fit';
}
