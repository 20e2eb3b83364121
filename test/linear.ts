import type { Collected } from '../src/aggregation/aggregation.ts';
import type { Design } from '../src/features/design.ts';
import * as federate from '../src/federate.ts';
import type { WordSource } from '../src/random/words.ts';
import type { Summarizer, SummarizerOptions, Summary } from '../src/statistic/cross-product.ts';
import type { Contribution, ContributionNumbering } from '../src/statistic/envelope.ts';
import { isLinear, type Layout } from '../src/statistic/layout.ts';
import type { LinearLayout } from '../src/statistic/linear-layout.ts';
import type { LinearSiteStatistic } from '../src/statistic/site-statistics.ts';
import { type LinearStatistic, linearStatistic } from '../src/statistic/statistic.ts';
import type { Study } from '../src/study/study.ts';

// What src/federate.ts gives, with the types that regressions have: tests of these need not ask which layout it is.

export interface Agreement extends federate.Agreement {
  readonly design: Design;
  readonly layout: LinearLayout;
  readonly rowsLayout: LinearLayout;
}

export function agreement(study: Study): Agreement {
  const agreed = federate.agreement(study);
  const { layout, rowsLayout } = agreed;
  const { design } = federate.regressionOf(agreed);
  return { ...agreed, design, layout: linear(layout), rowsLayout: linear(rowsLayout) };
}

function linear(layout: Layout): LinearLayout {
  if (isLinear(layout)) return layout;
  throw new Error('the layout is no regression’s');
}

export type LinearSummary = Summary<LinearLayout>;

export function reduction(
  agreed: federate.Agreement,
  options: SummarizerOptions,
): Summarizer<LinearLayout> {
  const site = federate.reduction(agreed, options);
  return {
    add: site.add,
    finish() {
      const summary = site.finish();
      return { ...summary, statistic: linearStatistic(summary.statistic) };
    },
  };
}

export interface LinearContribution extends Contribution {
  readonly statistic: LinearStatistic;
}

export function contribution(
  agreed: federate.Agreement,
  site: string,
  summary: Summary,
  turn?: ContributionNumbering,
): LinearContribution {
  const made = federate.contribution(agreed, site, summary, turn);
  return { ...made, statistic: linearStatistic(made.statistic) };
}

export interface LinearSums extends Collected {
  readonly total: LinearStatistic;
  readonly parts: readonly LinearSiteStatistic[];
}

export function collect(
  agreed: federate.Agreement,
  contributions: Iterable<Contribution>,
): LinearSums {
  const found = federate.collect(agreed, contributions);
  if ('problem' in found) throw new Error(found.problem);
  return linearSums(found);
}

export function published(
  agreed: federate.Agreement,
  sent: Collected,
  words?: WordSource,
): LinearSums {
  return linearSums(federate.releasable(agreed, sent, words));
}

function linearSums({ total, parts = [], contributions }: Collected): LinearSums {
  return {
    total: linearStatistic(total),
    contributions,
    parts: parts.map(({ site, statistic }) => ({ site, statistic: linearStatistic(statistic) })),
  };
}
