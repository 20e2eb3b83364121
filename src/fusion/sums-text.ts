import { aggregationOf } from '../aggregation/aggregations.ts';
import { whoSeesHidden } from '../aggregation/who-sees.ts';
import type { Summary } from '../statistic/cross-product.ts';
import { entriesOf, wordsOf } from '../statistic/layout.ts';
import { fractionBitsOf } from '../statistic/linear-layout.ts';
import { ringDoubleDouble } from '../statistic/ring.ts';
import { linearStatistic } from '../statistic/statistic.ts';
import type { Study } from '../study/study.ts';
import { grouped, significant } from '../text/number-text.ts';

/** Number of means that are shown; the rest is counted. */
export const SHOWN_NUMBERS = 6;

/** What the sent sums are. */
export const sentSumsText: readonly string[] = [
  'sums over rows of',
  'every column and of every product of two. No row, no cell, no file name.',
];

/** Who sees what of a site's sums; `more` is what everyone sees of a site besides its name, where sums are not hidden. */
export function whoSeesSums(more: string, study: Pick<Study, 'aggregation'>): string[] {
  const aggregation = aggregationOf(study);
  const hidden = whoSeesHidden(aggregation);
  if (hidden !== undefined) return hidden;
  const fewest = aggregation.minimumSites;
  const analyst =
    fewest === undefined
      ? [
          'in plain. The analyst may ask it how your site by itself compares with the others, and can work out',
          'your exact statistic: from two totals, one with and one without your site.',
        ]
      : [
          'in plain. The analyst gets no total and nothing about your site by itself:',
          `two models differ by ${fewest} sites or more, and by no smaller group.`,
        ];
  return [
    'The coordinator sees your statistic, sums over all your rows,',
    ...analyst,
    `Everyone in the study sees the model, and of each site its name${more}.`,
  ];
}

/** Means from the sums: center + scale · Σu / Σ1. */
export function meansText({ statistic }: Summary): string[] {
  const { layout, values } = linearStatistic(statistic);
  const bits = fractionBitsOf(layout);
  const entry = (k: number) => ringDoubleDouble(values, wordsOf(layout), k, bits).hi;
  const total = entry(0);
  if (!(total > 0)) return [];
  const word = layout.weightScale === null ? 'mean' : 'weighted mean';
  const shown = layout.columns.slice(1, 1 + SHOWN_NUMBERS).map((name, k) => {
    const { center, scale } = layout.references[k + 1];
    const mean = center + (scale * entry(k + 1)) / total;
    return `${word} ${name} ${significant(mean, 4)}`;
  });
  return [...shown, `and ${grouped(entriesOf(layout) - 1 - shown.length)} more numbers`];
}
