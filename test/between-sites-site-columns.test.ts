import { describe, expect, it } from 'vitest';
import { withSiteColumns } from '../src/statistic/site-columns.ts';
import type { LinearSiteStatistic } from '../src/statistic/site-statistics.ts';
import { sumStatistics } from '../src/statistic/statistic.ts';
import { chance } from './chance.ts';
import { agreement } from './linear.ts';
import { studyOf, summaryOf, type Table, tableOf } from './tables.ts';

const { below } = chance(4);
const rows = 60;
const sites = ['north', 'east', 'west', 'Äst'];
const levels = [...sites].sort();
const siteOf = Array.from({ length: rows }, () => below(4));
const plain = tableOf(
  {
    x: siteOf.map(() => below(10000) / 7),
    y: siteOf.map(() => below(1000) / 10),
    v: siteOf.map(() => below(100)),
    w: siteOf.map(() => 1 + below(300) / 100),
    g: siteOf.map(() => below(3)),
  },
  { g: ['a', 'b', 'c'] },
);
const table: Table = {
  ...plain,
  codebook: { ...plain.codebook, '.site': { type: 'category', levels } },
  cells: {
    ...plain.cells,
    '.site': Float64Array.from(siteOf, (k) => levels.indexOf(sites[k])),
  },
};

describe('withSiteColumns gives, bit for bit, what "+ .site" in the formula would', () => {
  it.each([
    ['y ~ x + g', {}],
    ['y ~ x + g', { weights: 'w' }],
    ['y ~ x - 1', {}],
    ['y ~ x - 1', { weights: 'w' }],
    ['cbind(y, v) ~ x + g', { grid: 88 }],
    ['y ~ 1', { arithmetic: 'compact' }],
  ] as const)('%s %j', (formula, choices) => {
    const without = agreement(studyOf(table, formula, choices));
    const within = agreement(studyOf(table, `${formula} + .site`, choices));
    const owned = (k: number) => siteOf.flatMap((site, r) => (site === k ? [r] : []));
    const parts: LinearSiteStatistic[] = sites.map((site, k) => ({
      site,
      statistic: summaryOf(without, table, owned(k)).statistic,
    }));
    const written = sumStatistics(
      within.layout,
      sites.map((_, k) => summaryOf(within, table, owned(k)).statistic),
    );
    const made = withSiteColumns(parts);
    expect(made.layout).toEqual(written.layout);
    expect(made.values).toEqual(written.values);
  });
});
