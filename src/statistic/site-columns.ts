import { unitReference } from '../features/reference.ts';
import { SITE_COLUMN } from '../study/codebook.ts';
import { entriesOf, wordsOf } from './layout.ts';
import { type LinearLayout, packedIndex, triangleEntries } from './linear-layout.ts';
import { ringAddInto } from './ring.ts';
import type { LinearPart } from './site-part.ts';
import type { LinearStatistic } from './statistic.ts';

/** The name of a site's indicator, as the formula term `.site` spells it. */
export function siteColumn(site: string): string {
  return `${SITE_COLUMN}${site}`;
}

/** Sites that get an indicator, in order of name: all but the first beside an intercept, else all. */
export function indicatedSites(parts: readonly LinearPart[]): string[] {
  const names = parts.map(({ site }) => site).sort();
  return parts[0].statistic.layout.intercept ? names.slice(1) : names;
}

/**
 * The statistic of the same rows with an indicator for every site but the first, behind the predictors: what `+ .site`
 * in the formula would have sent, to the last bit, because a site's first row holds its sums against the constant.
 */
export function withSiteColumns(parts: readonly LinearPart[]): LinearStatistic {
  const { layout } = parts[0].statistic;
  const names = indicatedSites(parts);
  const own = new Map(parts.map(({ site, statistic }) => [site, statistic.values]));
  const width = layout.columns.length;
  const before = width - layout.responses;
  const wide = widened(layout, before, names);
  const words = wordsOf(layout);
  const total = new Uint32Array(parts[0].statistic.values.length);
  for (const { statistic } of parts) ringAddInto(total, statistic.values, words);
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
      } else if (left === undefined || right === undefined || left === right) {
        const other = left === undefined ? old(i) : right === undefined ? old(j) : 0;
        copy(entry, own.get(left ?? (right as string))!, other);
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
