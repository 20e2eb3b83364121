import { grouped, significant } from '../model/number-text.ts';
import type { Summary } from '../statistic/cross-product.ts';
import { entriesOf, wordsOf } from '../statistic/layout.ts';
import { fractionBitsOf } from '../statistic/linear-layout.ts';
import { ringDoubleDouble } from '../statistic/ring.ts';
import { linearStatistic } from '../statistic/statistic.ts';

/** Means that a person is shown before the rest is counted. */
export const SHOWN_NUMBERS = 6;

/** What sums over rows are. */
export const sumsLeave: readonly string[] = [
  'sums over rows of',
  'every column and of every product of two. No row, no cell, no file name.',
];

/** Who sees what of sums in plain; `more` is what everyone sees of a site beside its name. */
export function sumsSight(more: string): string[] {
  return [
    'The coordinator sees your statistic, sums over all your rows,',
    'in plain, and whoever runs the study may ask it how your site by itself compares with the others.',
    `Everyone in the study sees the model, and of each site its name${more}.`,
  ];
}

/** Means as the sums give them: center + scale · Σu / Σ1. */
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
