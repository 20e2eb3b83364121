import type { Statistic } from './statistic.ts';

/** One site's share of a total. Parts add up to the total, to the last bit. */
export interface SitePart {
  readonly site: string;
  readonly statistic: Statistic;
}
