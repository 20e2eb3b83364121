import { fTailLog, studentTailLog } from '../numeric/distributions.ts';
import type { Glance, TermRow } from './inference.ts';
import { alignDecimals, grouped, probability, significant } from './number-text.ts';
import type { Report, SiteLine } from './report.ts';
import { type Ink, layOut, plainInk } from './text-table.ts';

/** A report as R's summary() would lay it out, with the sites and the state of the arithmetic below. */
export function reportText(report: Report, ink: Ink = plainInk): string {
  const answers =
    report.responses ??
    (report.terms !== undefined && report.glance !== undefined
      ? [{ response: '', terms: report.terms, glance: report.glance }]
      : []);
  const parts = [ink.bold(report.formula)];
  for (const { response, terms, glance } of answers) {
    if (response !== '') parts.push(ink.bold(`Response ${response}`));
    parts.push(coefficientTable(terms, glance, report.aliased, ink));
    parts.push(glanceText(glance, report));
  }
  parts.push(siteTable(report.sites, ink));
  parts.push(arithmeticText(report, ink));
  return `${parts.join('\n\n')}\n`;
}

function stars(p: number): string {
  if (p < 0.001) return '***';
  if (p < 0.01) return '** ';
  if (p < 0.05) return '*  ';
  return p < 0.1 ? '.  ' : '   ';
}

function coefficientTable(
  terms: readonly TermRow[],
  glance: Glance,
  aliased: readonly string[],
  ink: Ink,
): string {
  const full = terms.every((row) => row['std.error'] !== undefined);
  const freedom = glance['df.residual'] ?? Number.NaN;
  const names = [...terms.map((row) => row.term), ...aliased];
  const column = (title: string, text: (row: TermRow) => string): string[] => [
    title,
    ...alignDecimals([...terms.map(text), ...aliased.map(() => 'NA')]),
  ];
  const columns = [['', ...names], column('Estimate', (row) => significant(row.estimate))];
  if (full) {
    columns.push(
      column('Std. Error', (row) => significant(row['std.error'] ?? Number.NaN)),
      column('t value', (row) => significant(row.statistic ?? Number.NaN, 4)),
      column('Pr(>|t|)', (row) => probability(studentTailLog(row.statistic ?? 0, freedom))),
      ['', ...terms.map((row) => stars(row['p.value'] ?? 1)), ...aliased.map(() => '   ')],
      column('2.5 %', (row) => significant(row['conf.low'] ?? Number.NaN)),
      column('97.5 %', (row) => significant(row['conf.high'] ?? Number.NaN)),
    );
    if (terms.some((row) => row.vif !== undefined)) {
      columns.push(column('VIF', (row) => (row.vif === undefined ? '' : significant(row.vif, 3))));
    }
  }
  const lines = layOut(columns, ink);
  if (full && terms.some((row) => (row['p.value'] ?? 1) < 0.1)) {
    lines.push(ink.faint("Signif. codes: 0 '***' 0.001 '**' 0.01 '*' 0.05 '.' 0.1 ' ' 1"));
  }
  if (aliased.length > 0) {
    lines.push(
      `(${aliased.length} not defined because of singularities: ${aliased.join(', ')} ${
        aliased.length === 1 ? 'is a combination' : 'are combinations'
      } of the terms above)`,
    );
  }
  return lines.join('\n');
}

/** Residuals smaller than this share of the response are rounding; R warns then too. */
const PERFECT_FIT = 1e-20;

function glanceText(glance: Glance, report: Report): string {
  const lines: string[] = [];
  const freedom = glance['df.residual'] ?? Number.NaN;
  if (glance.sigma !== undefined) {
    lines.push(
      `Residual standard error: ${significant(glance.sigma)} on ${grouped(freedom)} degrees of freedom`,
    );
  }
  const adjusted = glance['adj.r.squared'];
  lines.push(
    `Multiple R-squared: ${significant(glance['r.squared'], 4)}` +
      (adjusted === undefined ? '' : `,  Adjusted R-squared: ${significant(adjusted, 4)}`),
  );
  if (glance.statistic !== undefined && glance.df !== undefined) {
    const p = probability(fTailLog(glance.statistic, glance.df, freedom));
    lines.push(
      `F-statistic: ${significant(glance.statistic, 4)} on ${glance.df} and ${grouped(freedom)} DF,  p-value: ${p}`,
    );
  }
  if (1 - glance['r.squared'] < PERFECT_FIT && glance.nobs > 0 && glance.sigma !== undefined) {
    lines.push('Essentially perfect fit: errors and tests may mean nothing');
  }
  if (glance.logLik !== undefined) {
    lines.push(
      `logLik: ${significant(glance.logLik, 7)},  AIC: ${significant(glance.AIC ?? 0, 7)},  BIC: ${significant(glance.BIC ?? 0, 7)}`,
    );
  }
  if (report.ridge !== undefined) {
    const { value, rule, edf, gcv } = report.ridge;
    lines.push(
      `Ridge: ${significant(value)} (${rule === 'gcv' ? 'chosen by GCV' : 'given'})` +
        (edf === undefined ? '' : `,  effective df: ${significant(edf)}`) +
        (gcv === undefined ? '' : `,  GCV: ${significant(gcv)}`),
    );
  }
  return lines.join('\n');
}

const MOST_SITES = 20;

function siteTable(sites: readonly SiteLine[], ink: Ink): string {
  const shown = sites.slice(0, MOST_SITES);
  const lines = layOut(
    [
      ['Site', ...shown.map((site) => site.name)],
      ['rows', ...shown.map((site) => grouped(site.n))],
      ['dropped', ...shown.map((site) => grouped(site.dropped))],
      ['', ...shown.map((site) => missingText(site))],
    ].map((texts, k) =>
      k === 3 ? texts.map((t) => t.padEnd(Math.max(...texts.map((x) => x.length)))) : texts,
    ),
    ink,
  );
  if (sites.length > MOST_SITES) {
    const rest = sites.slice(MOST_SITES);
    const rows = rest.reduce((sum, site) => sum + site.n, 0);
    lines.push(ink.faint(`… and ${rest.length} more sites with ${grouped(rows)} rows`));
  }
  return lines.join('\n');
}

function missingText(site: SiteLine): string {
  const entries = Object.entries(site.missing ?? {}).sort((a, b) => b[1] - a[1]);
  if (entries.length === 0) return '';
  return `missing: ${entries.map(([column, count]) => `${column} ${grouped(count)}`).join(', ')}`;
}

function arithmeticText(report: Report, ink: Ink): string {
  const kind =
    report.arithmetic === 'exact'
      ? `exact integers on a ${report.grid}-bit grid`
      : 'compact 64-bit statistic';
  return [
    `${grouped(report.n)} rows from ${grouped(report.sites.length)} ${report.sites.length === 1 ? 'site' : 'sites'}; ${kind}`,
    ...(report.condition === undefined || report.digits === undefined
      ? []
      : [
          `condition number ${significant(report.condition, 3)}; at least ${Math.floor(report.digits)} digits vouched for`,
        ]),
    ink.faint(`total ${report.digest}`),
  ].join('\n');
}
