import type { Layout } from './layout.ts';
import type { LinearLayout } from './linear-layout.ts';
import type { Statistic } from './statistic.ts';

/** A site's share of a total: the sum of what it has sent. */
export interface SiteStatistic<L extends Layout = Layout> {
  readonly site: string;
  readonly statistic: Statistic<L>;
}

/** A site's share of the total of a regression. */
export type LinearSiteStatistic = SiteStatistic<LinearLayout>;
