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
import type { Rows } from '../data/generator.ts';
import { delta } from './paper.ts';

/** The paper's ridge. */
export const ridgeOneShot = 0.01;

/** Range of a column in the codebook; rows of the generator stay far inside. */
export const range: readonly [number, number] = [-16, 16];

/**
 * The study of a setting: no intercept, as in the paper. Public knowledge about the generator: features and response
 * have standard deviations of about 1 (in fact 0.8 to 1.2 for a feature at a site, 1.01 on average for the response).
 */
export function studyOf(features: number, privacy: PrivacyTerms | null): TableStudy {
  const column = { type: 'number', range, center: 0, sd: 1 } as const;
  const names = Array.from({ length: features }, (_, j) => `x${j + 1}`);
  return {
    schema: 'suffice/study@1',
    formula: `y ~ ${names.join(' + ')} - 1`,
    codebook: Object.fromEntries([...names, 'y'].map((name) => [name, column])),
    fusion: { kind: 'ridge', ridge: ridgeOneShot },
    arithmetic: 'exact',
    privacy,
  };
}

/** Terms of this experiment: one row added or removed is protected, noise is added once unless given. */
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
  const fit = resolveRidge(total, { kind: 'ridge', ridge: ridgeOneShot });
  if ('problem' in fit) throw new Error(fit.problem);
  return fit.models[0]!.estimates;
}

/** The published sum of the sites' statistics, and the number of noises in it. */
export interface Published {
  readonly total: LinearStatistic;
  readonly noises: number;
}

/** Adds the noise at the sites, at both aggregators or on the total, as in the terms. */
export function publishTotal(
  statistics: readonly LinearStatistic[],
  terms: PrivacyTerms,
  random: WordSource,
): Published {
  const { layout } = statistics[0]!;
  const mechanism = mechanismOf(terms, privateColumns(layout));
  const { atSite, atHelper, onTotal, noises } = placementOf(terms);
  const sent = statistics.map((statistic) => atSite(statistic, mechanism, random));
  const sum = sumStatistics(layout, sent);
  // Masks cancel: noise on their sum is noise on the total.
  const opened = atHelper?.(sum, mechanism, random) ?? sum;
  return {
    total: onTotal(opened, mechanism, random),
    noises: noises(statistics.length),
  };
}

/** The fit of a published total. */
export function solved(
  { total, noises }: Published,
  terms: PrivacyTerms,
  first: LinearLayout = total.layout,
): PrivateFit {
  const fit = resolvePrivate(total, terms, first, { noises, ridge: ridgeOneShot });
  if ('problem' in fit) throw new Error(fit.problem);
  return fit;
}

/** All rounds of a hybrid whose noise is on the sum, from the exact statistics of its first round. */
export function hybrid(
  sites: readonly Rows[],
  statistics: readonly LinearStatistic[],
  terms: PrivacyTerms,
  random: WordSource,
): Float64Array {
  const first = statistics[0]!.layout;
  let fit = solved(publishTotal(statistics, terms, random), terms);
  while (fit.next !== undefined) {
    const further = { ...terms, refinement: fit.next };
    // What a site sends does not depend on who adds noise to the sum.
    const { placement: _, ...exactTerms } = further;
    const agreed = agreement(studyOf(sites[0]!.features.length, exactTerms));
    const sent = sites.map((rows) => siteStatistic(agreed, rows));
    fit = solved(publishTotal(sent, further, random), further, first);
  }
  return fit.estimates;
}
