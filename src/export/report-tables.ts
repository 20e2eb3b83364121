import type { Anova } from '../analysis/anova.ts';
import type { TermTexts } from '../features/term-text.ts';
import type { TermRow } from '../model/inference.ts';
import { ratioColumns, ratioScales } from '../model/ratios.ts';
import type { Report, SiteLine } from '../model/report.ts';
import { grouped, probability, significant } from '../text/number-text.ts';
import { type HtmlColumn, htmlTable } from './html-table.ts';

const number = (value: number | undefined | null, digits = 5): string =>
  value === undefined || value === null ? '' : significant(value, digits);

/** A p-value as R prints it. */
export function pText(p: number | undefined): string {
  if (p === undefined) return '';
  return p > 0 ? probability(Math.log(p)) : '< 1e-300';
}

/** Most coefficients of a response on a page. */
const MOST_ROWS = 500;

/** The coefficients, with the ratios of a family; empty columns are left out. */
export function coefficientTable(
  terms: readonly TermRow[],
  { aliased, family }: Pick<Report, 'aliased' | 'family'>,
  names: TermTexts,
): string {
  const scale = family && ratioScales[family];
  const all: readonly HtmlColumn<TermRow>[] = [
    {
      title: 'Term',
      text: ({ term }) => names.columns.get(term) ?? term,
      hover: ({ term }) => term,
    },
    ...ratioColumns(scale).map(
      ({ name, of }): HtmlColumn<TermRow> => ({
        title: name,
        text: (row) => number(of(row), 4),
        kind: 'number',
      }),
    ),
    { title: scale?.log ?? 'Estimate', text: (row) => number(row.estimate), kind: 'number' },
    { title: 'Std. error', text: (row) => number(row['std.error']), kind: 'number' },
    { title: 'Statistic', text: (row) => number(row.statistic, 4), kind: 'number' },
    { title: 'p', text: (row) => pText(row['p.value']), kind: 'number' },
    { title: '2.5 %', text: (row) => number(row['conf.low']), kind: 'number' },
    { title: '97.5 %', text: (row) => number(row['conf.high']), kind: 'number' },
    { title: 'VIF', text: (row) => number(row.vif, 3), kind: 'number' },
  ];
  const kept = terms.slice(0, MOST_ROWS);
  const undefinedRows = aliased.map((term) => ({ term, estimate: Number.NaN }));
  const shown = filled(all, kept).map((column) => ({
    ...column,
    text: (row: TermRow) =>
      Number.isNaN(row.estimate) && column.kind === 'number' ? '–' : column.text(row),
  }));
  const caption =
    kept.length === terms.length
      ? 'Coefficients'
      : `The first ${grouped(MOST_ROWS)} of ${grouped(terms.length)} coefficients; the JSON of the model has all`;
  return htmlTable(caption, shown, [...kept, ...undefinedRows]);
}

export function anovaTable({ test, rows }: Anova, names: TermTexts): string {
  const all: readonly HtmlColumn<Anova['rows'][number]>[] = [
    {
      title: 'Term',
      text: ({ term }) => names.terms.get(term) ?? term,
      hover: ({ term }) => term,
    },
    {
      title: 'Df',
      text: ({ df }) => (Number.isInteger(df) ? grouped(df) : number(df)),
      kind: 'number',
    },
    { title: 'Sum of squares', text: ({ sumsq }) => number(sumsq), kind: 'number' },
    { title: 'Mean square', text: ({ meansq }) => number(meansq), kind: 'number' },
    {
      title: test === 'Wald chi-square' ? 'Wald χ²' : test,
      text: ({ statistic }) => number(statistic, 4),
      kind: 'number',
    },
    { title: 'p', text: (row) => pText(row['p.value']), kind: 'number' },
  ];
  return htmlTable('Analysis of variance', filled(all, rows), rows);
}

/** The columns that are not empty. */
function filled<Row>(columns: readonly HtmlColumn<Row>[], rows: readonly Row[]): HtmlColumn<Row>[] {
  return columns.filter(({ text }) => rows.some((row) => text(row) !== ''));
}

export function siteTable(sites: readonly SiteLine[]): string {
  const missing = (site: SiteLine) =>
    Object.entries(site.missing ?? {})
      .sort((a, b) => b[1] - a[1])
      .map(([column, count]) => `${column} ${grouped(count)}`)
      .join(', ');
  const count = (value: number | undefined) => (value === undefined ? '' : grouped(value));
  const all: readonly HtmlColumn<SiteLine>[] = [
    { title: 'Site', text: ({ name }) => name },
    { title: 'Rows', text: ({ n }) => count(n), kind: 'number' },
    { title: 'Left out', text: ({ dropped }) => count(dropped), kind: 'number' },
    { title: 'Missing cells', text: missing, kind: 'long' },
  ];
  return htmlTable('Sites', sites.length === 0 ? all : filled(all, sites), sites);
}
