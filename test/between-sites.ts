import type { LinearSiteStatistic } from '../src/statistic/site-statistics.ts';
import { type LinearStatistic, sumStatistics } from '../src/statistic/statistic.ts';
import { agreement } from './linear.ts';
import { studyOf, summaryOf, type Table, tableOf } from './tables.ts';

/** Columns of numbers or texts as test/vectors/across.R writes them. */
export type Columns = Readonly<Record<string, readonly (number | string)[]>>;

/** The table of a vector file: texts become categories, levels in the given order. */
export function vectorTable(
  columns: Columns,
  levels: Readonly<Record<string, readonly string[]>>,
): Table {
  const coded = Object.fromEntries(
    Object.entries(columns).map(([name, cells]) => [
      name,
      cells.map((cell) => (typeof cell === 'number' ? cell : levels[name].indexOf(cell))),
    ]),
  );
  return tableOf(coded, levels);
}

/** What each site of a table sends, by the site named for each row, and the sum. */
export function partsOfTable(
  table: Table,
  siteOf: readonly string[],
  formula: string,
  weights?: string,
): { readonly total: LinearStatistic; readonly parts: readonly LinearSiteStatistic[] } {
  const agreed = agreement(studyOf(table, formula, weights === undefined ? {} : { weights }));
  const names = [...new Set(siteOf)];
  const parts = names.map((site) => {
    const rows = siteOf.flatMap((name, r) => (name === site ? [r] : []));
    return { site, statistic: summaryOf(agreed, table, rows).statistic };
  });
  const total = sumStatistics(
    agreed.layout,
    parts.map(({ statistic }) => statistic),
  );
  return { total, parts };
}

/** The answer, or a failing test that says why there is none. */
export function sound<T extends object>(found: T): Exclude<T, { readonly problem: string }> {
  if ('problem' in found) throw new Error(String(found.problem));
  return found as Exclude<T, { readonly problem: string }>;
}
