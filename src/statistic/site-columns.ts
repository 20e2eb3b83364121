import { unitReference } from '../features/reference.ts';
import { SITE_COLUMN } from '../study/codebook.ts';
import { entriesOf, wordsOf } from './layout.ts';
import { type LinearLayout, packedIndex, triangleEntries } from './linear-layout.ts';
import { ringAddInto } from './ring.ts';
import type { LinearSiteStatistic } from './site-statistics.ts';
import type { LinearStatistic } from './statistic.ts';

/** The name of a site's indicator, as for the formula term `.site`. */
export function siteColumn(site: string): string {
  return `${SITE_COLUMN}${site}`;
}

/** Sites with an indicator, in order of name: all but the first with an intercept, else all. */
export function indicatedSites(sites: readonly LinearSiteStatistic[]): string[] {
  const names = sites.map(({ site }) => site).sort();
  return sites[0].statistic.layout.intercept ? names.slice(1) : names;
}

/**
 * The statistic of the same rows with an indicator for every site but the first, after the predictors. It equals that of
 * `+ .site` in the formula to the last bit, because the first row of a site's statistic has its sums with the constant.
 */
export function withSiteColumns(sites: readonly LinearSiteStatistic[]): LinearStatistic {
  const { layout } = sites[0].statistic;
  const names = indicatedSites(sites);
  const own = new Map(sites.map(({ site, statistic }) => [site, statistic.values]));
  const width = layout.columns.length;
  const before = width - layout.responses;
  const wide = widened(layout, before, names);
  const words = wordsOf(layout);
  const total = new Uint32Array(sites[0].statistic.values.length);
  for (const { statistic } of sites) ringAddInto(total, statistic.values, words);
  const values = new Uint32Array(entriesOf(wide) * words);
  const copy = (entry: number, from: Uint32Array, source: number) => {
    values.set(from.subarray(source * words, (source + 1) * words), entry * words);
  };
  const old = (column: number) => (column < before ? column : column - names.length);
  const nameAt = (column: number): string | undefined => names[column - before];
  let entry = 0;
  for (let i = 0; i < wide.columns.length; i++) {
    for (let j = i; j < wide.columns.length; j++, entry++) {
      const [left, right] = [nameAt(i), nameAt(j)];
      if (left === undefined && right === undefined) {
        copy(entry, total, packedIndex(width, old(i), old(j)));
      } else if (left === undefined) {
        copy(entry, own.get(right!)!, old(i));
      } else if (right === undefined) {
        copy(entry, own.get(left)!, old(j));
      } else if (left === right) {
        copy(entry, own.get(left)!, 0);
      }
    }
  }
  for (let extra = triangleEntries(layout); extra < entriesOf(layout); extra++) {
    copy(entry++, total, extra);
  }
  return { layout: wide, values };
}

function widened(layout: LinearLayout, at: number, sites: readonly string[]): LinearLayout {
  const insert = <T>(list: readonly T[], more: readonly T[]): T[] => [
    ...list.slice(0, at),
    ...more,
    ...list.slice(at),
  ];
  return {
    ...layout,
    columns: insert(layout.columns, sites.map(siteColumn)),
    references: insert(
      layout.references,
      sites.map(() => unitReference),
    ),
  };
}
