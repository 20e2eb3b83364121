import { readFileSync } from 'node:fs';
import { resultOf } from '../src/conclude.ts';
import type { Report } from '../src/model/report.ts';
import type { Contribution } from '../src/statistic/envelope.ts';
import { rowCount } from '../src/statistic/statistic.ts';
import { type Agreement, collect, contribution, type LinearContribution } from './linear.ts';
import { penguinPath } from './page-states.ts';
import { sharedLines } from './shared-data.ts';
import { summaryOf, type Table, tableOf } from './tables.ts';

/** A table with the rows of each of its sites. */
export interface Dealt {
  readonly table: Table;
  readonly sites: Readonly<Record<string, readonly number[]>>;
}

/** The sites of test/vectors/estimates.R; the last ten rows of torgersen are a site of their own. */
export const dealtSets: Readonly<Record<string, () => Dealt>> = {
  penguins() {
    const linesOf = (island: string) => {
      const [, ...lines] = readFileSync(penguinPath(`${island}.csv`), 'utf8')
        .trim()
        .split('\n');
      return lines;
    };
    const torgersen = linesOf('torgersen');
    const sites = {
      biscoe: linesOf('biscoe'),
      dream: linesOf('dream'),
      torgersen: torgersen.slice(0, -10),
      islet: torgersen.slice(-10),
    };
    const header = 'species,bill_length,bill_depth,flipper_length,body_mass,sex';
    return dealt(header, sites, {
      sex: ['female', 'male'],
      species: ['Adelie', 'Chinstrap', 'Gentoo'],
    });
  },
  heart() {
    const names = ['cleveland', 'hungarian', 'switzerland', 'va'];
    const files = names.map((name) => sharedLines('uci-heart', 'sites', `${name}.csv`));
    const sites = Object.fromEntries(names.map((name, k) => [name, files[k].lines]));
    return dealt(files[0].header, sites, {});
  },
};

function dealt(
  header: string,
  sites: Readonly<Record<string, readonly string[]>>,
  levels: Readonly<Record<string, readonly string[]>>,
): Dealt {
  const rows = Object.values(sites).flat();
  const cells = rows.map((line) => line.split(','));
  const columns = header.split(',').map((name, k) => {
    const values = cells.map((row) => {
      const text = row[k].trim();
      if (['', 'NA', '?'].includes(text)) return Number.NaN;
      return name in levels ? levels[name].indexOf(text) : Number(text);
    });
    return [name, values] as const;
  });
  let from = 0;
  const ranges = Object.entries(sites).map(([name, lines]) => {
    from += lines.length;
    return [name, lines.map((_, r) => from - lines.length + r)] as const;
  });
  return {
    table: tableOf(Object.fromEntries(columns), levels),
    sites: Object.fromEntries(ranges),
  };
}

/** What each site would send. */
export function contributionsOf(agreed: Agreement, { table, sites }: Dealt): LinearContribution[] {
  return Object.entries(sites).map(([site, rows]) =>
    contribution(agreed, site, summaryOf(agreed, table, rows)),
  );
}

/** The report over contributions, as a coordinator makes it. */
export function reportOf(agreed: Agreement, contributions: readonly Contribution[]): Report {
  const lines = contributions.map(({ site, dropped, statistic }) => ({
    name: site,
    n: rowCount(statistic),
    dropped,
  }));
  const found = resultOf(agreed, collect(agreed, contributions), lines);
  if ('problem' in found) throw new Error(found.problem);
  return found.report;
}
