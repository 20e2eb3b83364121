import { type Agreement, agreement, reduction } from '../../src/federate.ts';
import { resolvePrivate } from '../../src/fusion/private.ts';
import { resolveRidge } from '../../src/fusion/ridge.ts';
import type { PrivateFit } from '../../src/model/private-fit.ts';
import { mechanismOf } from '../../src/privacy/mechanism.ts';
import { placementOf } from '../../src/privacy/placement.ts';
import { privateColumns } from '../../src/privacy/private-layout.ts';
import type { WordSource } from '../../src/random/words.ts';
import type { LinearLayout } from '../../src/statistic/linear-layout.ts';
import {
  type LinearStatistic,
  linearStatistic,
  sumStatistics,
} from '../../src/statistic/statistic.ts';
import type { PrivacyTerms, TableStudy } from '../../src/study/study.ts';
import type { Rows } from '../ridge/generator.ts';
import { delta } from './paper.ts';

/** The paper's ridge. */
export const ridge = 0.01;

/** Values a column may have by the codebook; no row of the generator comes near. */
export const range: readonly [number, number] = [-16, 16];

/**
 * The study of a setting: no intercept, as in the paper. What is public of the generator is that features and response
 * have standard deviations of about 1 (it has 0.8 to 1.2 for a feature at a site, 1.01 on average for the response).
 */
export function studyOf(features: number, privacy: PrivacyTerms | null): TableStudy {
  const column = { type: 'number', range, center: 0, sd: 1 } as const;
  const names = Array.from({ length: features }, (_, j) => `x${j + 1}`);
  return {
    schema: 'suffice/study@1',
    formula: `y ~ ${names.join(' + ')} - 1`,
    codebook: Object.fromEntries([...names, 'y'].map((name) => [name, column])),
    fusion: { kind: 'ridge', ridge },
    arithmetic: 'exact',
    privacy,
  };
}

/** Terms of this experiment: rows are protected, added or removed, noise is added once unless said otherwise. */
export function termsOf(epsilon: number, more: Partial<PrivacyTerms> = {}): PrivacyTerms {
  return { epsilon, delta, unit: 'row', ...more };
}

/** What a site sends before noise. */
export function siteStatistic(agreed: Agreement, rows: Rows): LinearStatistic {
  const summarizer = reduction(agreed, { file: 'simulated', missing: 'refuse' });
  const columns = agreed.columns.map(({ name }) =>
    name === 'y' ? rows.response : rows.features[Number(name.slice(1)) - 1]!,
  );
  summarizer.add({ rows: rows.count, columns }, (r) => r + 1);
  return linearStatistic(summarizer.finish().statistic);
}

/** Exact ridge regression over all sites, from their totals. */
export function nonPrivate(statistics: readonly LinearStatistic[]): Float64Array {
  const total = sumStatistics(statistics[0]!.layout, statistics);
  const fit = resolveRidge(total, { kind: 'ridge', ridge });
  if ('problem' in fit) throw new Error(fit.problem);
  return fit.models[0]!.estimates;
}

/** The sum of the sites' statistics as it is published, and how many noises are in it. */
export interface Published {
  readonly total: LinearStatistic;
  readonly noises: number;
}

/** Adds the noise where the terms say, by the sites or on the total. */
export function publish(
  statistics: readonly LinearStatistic[],
  terms: PrivacyTerms,
  words: WordSource,
): Published {
  const { layout } = statistics[0]!;
  const mechanism = mechanismOf(terms, privateColumns(layout));
  const { atSite, onTotal, noises } = placementOf(terms);
  const sent = statistics.map((statistic) => atSite(statistic, mechanism, words));
  return {
    total: onTotal(sumStatistics(layout, sent), mechanism, words),
    noises: noises(statistics.length),
  };
}

/** The fit of what was published. */
export function solved(
  { total, noises }: Published,
  terms: PrivacyTerms,
  first: LinearLayout = total.layout,
): PrivateFit {
  const fit = resolvePrivate(total, terms, first, { noises, ridge });
  if ('problem' in fit) throw new Error(fit.problem);
  return fit;
}

/** All rounds of a hybrid, from the exact statistics of its first. */
export function hybrid(
  sites: readonly Rows[],
  statistics: readonly LinearStatistic[],
  terms: PrivacyTerms,
  words: WordSource,
): Float64Array {
  const first = statistics[0]!.layout;
  let fit = solved(publish(statistics, terms, words), terms);
  while (fit.next !== undefined) {
    const further = { ...terms, refinement: fit.next };
    const agreed = agreement(studyOf(sites[0]!.features.length, further));
    const sent = sites.map((rows) => siteStatistic(agreed, rows));
    fit = solved(publish(sent, further, words), further, first);
  }
  return fit.estimates;
}
