import { alignDecimals, grouped, probability, significant } from '../text/number-text.ts';
import { type Ink, layOut, layOutBlocks, plainInk } from '../text/text-table.ts';
import { classesText, shownTerms, showsClasses } from './classes-text.ts';
import { disagreementText } from './disagreement.ts';
import { twoSidedLog } from './errors.ts';
import type { EstimateFacts } from './estimate-fit.ts';
import { estimateReportText } from './estimate-text.ts';
import type { Glance, TermRow } from './inference.ts';
import { mapText, readableTerms } from './map-text.ts';
import { clippedText, gridText, privacyText, residualText, rowsText } from './privacy-text.ts';
import { ratioColumns, ratioScales } from './ratios.ts';
import type { Deviation, Report, SiteLine } from './report.ts';
import { reportedPenaltyText } from './reported-penalty-text.ts';
import { siteEffectsText } from './site-effects-text.ts';
import { flagsText } from './site-flag.ts';
import { jointTailLog } from './wald.ts';

/**
 * A report as R's summary() would lay it out, with the sites and the state of the arithmetic below. `baselines` says what the
 * levels of the categories are compared with; of a model of pixels only the fit is shown, as no coefficient of a pixel is read.
 */
export function reportText(
  report: Report,
  ink: Ink = plainInk,
  baselines?: string,
  shown: 'coefficients' | 'fit alone' = 'coefficients',
): string {
  const answers =
    report.responses ??
    (report.terms === undefined
      ? []
      : [{ glance: { nobs: report.n }, ...report, response: '', terms: report.terms }]);
  const sections = [ink.bold(report.formula)];
  if (report.fused !== undefined) sections.push(sentence(report.fused.text));
  if (report.disagreement !== undefined) sections.push(disagreementText(report.disagreement));
  const byClasses = showsClasses(report);
  if (byClasses) sections.push(...classesText(report, ink));
  else if (shown === 'fit alone') sections.push(fitTable(answers, ink));
  const isBrief = byClasses || shown === 'fit alone';
  for (const { response, terms, glance, original } of isBrief ? [] : answers) {
    if (response !== '') sections.push(ink.bold(`Response ${response}`));
    // Mapped columns mean nothing to a reader: where the map is linear, the formula's columns are shown.
    const shown = original ?? readableTerms(report, terms);
    sections.push(
      shown === terms
        ? coefficientTable(terms, glance, report, ink)
        : coefficientTable(shown, glance, { ...report, aliased: [] }, ink),
    );
    if (baselines !== undefined && response === answers[0].response) {
      sections.push([sections.pop(), ink.faint(`baselines: ${baselines}`)].join('\n'));
    }
    sections.push(...clippedText(report), glanceText(glance, report));
  }
  const penalty = reportedPenaltyText(report);
  if (penalty !== '') sections.push([sections.pop(), penalty].filter(Boolean).join('\n'));
  sections.push(mapText(report).join('\n'));
  if (report.siteEffects !== undefined) sections.push(siteEffectsText(report.siteEffects, ink));
  if (report.deviation !== undefined) {
    sections.push(deviationText(report.deviation, report.separated));
  }
  if (report.privacy !== undefined) sections.push(privacyText(report).join('\n'));
  if (report.estimates !== undefined) sections.push(estimateReportText(report).join('\n'));
  sections.push(siteTable(report, ink));
  if (report.flags !== undefined) {
    const title = 'Suspicious contributions (they count all the same)';
    sections.push(`${ink.bold(title)}\n${flagsText(report.flags, ink)}`);
  }
  sections.push(arithmeticText(report, ink));
  return `${sections.filter((text) => text !== '').join('\n\n')}\n`;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function fitTable(
  answers: readonly { readonly response: string; readonly glance: Glance }[],
  ink: Ink,
): string {
  if (answers.every(({ glance }) => glance['r.squared'] === undefined)) return '';
  const share = ({ 'r.squared': value }: Glance) => (value === undefined ? '' : value.toFixed(4));
  const columns = [
    ['', ...answers.map(({ response }) => response)],
    ['R-squared', ...answers.map(({ glance }) => share(glance))],
  ];
  return layOutBlocks(columns, ink).join('\n');
}

function stars(p: number): string {
  if (p < 0.001) return '***';
  if (p < 0.01) return '** ';
  if (p < 0.05) return '*  ';
  return p < 0.1 ? '.  ' : '   ';
}

/** Degrees of freedom of the tests; infinite where the statistics are z. */
function freedomOf({ freedom }: Report, glance: Glance): number {
  if (freedom === 'normal') return Number.POSITIVE_INFINITY;
  return freedom ?? glance['df.residual'] ?? Number.NaN;
}

function coefficientTable(
  all: readonly TermRow[],
  glance: Glance,
  report: Report,
  ink: Ink,
): string {
  const { aliased, errors } = report;
  const { shown: terms, more } = shownTerms(all);
  const full = terms.some((row) => row.statistic !== undefined);
  const freedom = freedomOf(report, glance);
  const letter = freedom === Number.POSITIVE_INFINITY ? 'z' : 't';
  const names = [...terms.map((row) => row.term), ...aliased];
  const column = (title: string, text: (row: TermRow) => string): string[] => [
    title,
    ...alignDecimals([...terms.map(text), ...aliased.map(() => 'NA')]),
  ];
  const columns = [['', ...names], column('Estimate', (row) => significant(row.estimate))];
  if (terms.some((row) => row['std.error'] !== undefined)) {
    columns.push(
      column('Std. Error', (row) =>
        row['std.error'] === undefined ? '' : significant(row['std.error']),
      ),
    );
  }
  if (full) {
    columns.push(
      column(`${letter} value`, (row) => known(row.statistic, (t) => significant(t, 4))),
      column(`Pr(>|${letter}|)`, (row) =>
        known(row.statistic, (t) => probability(twoSidedLog(t, freedom))),
      ),
      ['', ...terms.map((row) => stars(row['p.value'] ?? 1)), ...aliased.map(() => '   ')],
      column('2.5 %', (row) => known(row['conf.low'], significant)),
      column('97.5 %', (row) => known(row['conf.high'], significant)),
    );
    const scale = report.family && ratioScales[report.family];
    for (const { name, of } of ratioColumns(scale)) {
      columns.push(column(name, (row) => known(of(row), (ratio) => significant(ratio, 4))));
    }
    if (terms.some((row) => row.vif !== undefined)) {
      columns.push(column('VIF', (row) => (row.vif === undefined ? '' : significant(row.vif, 3))));
    }
  }
  const lines = layOutBlocks(columns, ink);
  if (more !== undefined) lines.push(ink.faint(more));
  if (errors === 'widened') {
    lines.push(
      ink.faint('standard errors are widened for the distance from the pooled regression'),
    );
  }
  if (errors === 'clustered') lines.push(ink.faint('standard errors are clustered by site'));
  if (errors === 'HC0' || errors === 'HC1') {
    lines.push(ink.faint(`standard errors do not rely on the variance of the family (${errors})`));
  }
  if (full && terms.some((row) => (row['p.value'] ?? 1) < 0.1)) {
    lines.push(ink.faint("Signif. codes: 0 '***' 0.001 '**' 0.01 '*' 0.05 '.' 0.1 ' ' 1"));
  }
  if (report.ridge !== undefined && terms.some((row) => row['std.error'] !== undefined)) {
    lines.push(
      ink.faint('standard errors ignore the bias of the penalty: not for intervals or tests'),
    );
  }
  if (aliased.length > 0) {
    const [combination, close] =
      aliased.length === 1
        ? ['is a combination', 'is too close to a combination']
        : ['are combinations', 'are too close to combinations'];
    lines.push(
      report.arithmetic === 'compact'
        ? `(${aliased.length} not defined: ${aliased.join(', ')} ${close} of the terms above for compact arithmetic; exact arithmetic tells whether it is one)`
        : `(${aliased.length} not defined because of singularities: ${aliased.join(', ')} ${combination} of the terms above)`,
    );
  }
  return lines.join('\n');
}

/** The text of a number that may be absent. */
function known(value: number | undefined, text: (value: number) => string): string {
  return value === undefined ? '' : text(value);
}

/** Residuals below this share of the response are rounding; R warns at the same point. */
const PERFECT_FIT = 1e-20;

function glanceText(glance: Glance, report: Report): string {
  const lines: string[] = [];
  const left = glance['df.residual'];
  if (glance.sigma !== undefined) {
    lines.push(
      `Residual standard error: ${residualText(glance.sigma, report, 5)}` +
        (left === undefined ? '' : ` on ${grouped(left)} degrees of freedom`),
    );
  }
  const rSquared = glance['r.squared'];
  const adjusted = glance['adj.r.squared'];
  if (rSquared !== undefined) {
    lines.push(
      `Multiple R-squared: ${significant(rSquared, 4)}` +
        (adjusted === undefined ? '' : `,  Adjusted R-squared: ${significant(adjusted, 4)}`),
    );
  }
  if (glance.statistic !== undefined && glance.df !== undefined) {
    const freedom = freedomOf(report, glance);
    const p = probability(jointTailLog(glance.statistic, glance.df, freedom));
    lines.push(
      `${report.freedom === undefined ? 'F-statistic' : 'Wald F-statistic'}: ${significant(glance.statistic, 4)} on ${glance.df} and ${grouped(freedom)} DF,  p-value: ${p}`,
    );
  }
  if (
    rSquared !== undefined &&
    1 - rSquared < PERFECT_FIT &&
    glance.nobs > 0 &&
    glance.sigma !== undefined
  ) {
    lines.push('Essentially perfect fit: errors and tests may mean nothing');
  }
  const nullDeviance = glance['null.deviance'];
  if (report.family !== undefined && glance.deviance !== undefined) {
    lines.push(
      `${nullDeviance === undefined ? '' : `Null deviance: ${significant(nullDeviance)},  `}Residual deviance: ${significant(glance.deviance)}` +
        (left === undefined ? '' : ` on ${grouped(left)} degrees of freedom`),
    );
  }
  if (glance.logLik !== undefined) {
    const figures = (['logLik', 'AIC', 'BIC'] as const).flatMap((name) => {
      const value = glance[name];
      return value === undefined ? [] : [`${name}: ${significant(value, 7)}`];
    });
    lines.push(figures.join(',  '));
  }
  return lines.join('\n');
}

function deviationText(
  { steps, estimate, converged, measured, advice: nextStep }: Deviation,
  separated: readonly string[] = [],
): string {
  const rounds = steps === 0 ? 'One round' : `${steps} Newton ${steps === 1 ? 'step' : 'steps'}`;
  if (converged === true) return [`Converged after ${rounds}`, nextStep].join('\n');
  return [
    `${rounds}: within ${significant(estimate, 2)} standard errors of the pooled regression in 99 of 100 studies${separated.length === 0 ? '' : ', separated terms aside'}` +
      (measured === undefined ? '' : ` (measured: ${significant(measured, 2)})`),
    nextStep,
  ].join('\n');
}

const MOST_SITES = 20;

function siteTable({ sites, estimates }: Report, ink: Ink): string {
  const shown = sites.slice(0, MOST_SITES);
  const hasCounts = sites.some(({ n }) => n !== undefined);
  const names = ['Site', ...shown.map((site) => site.name)];
  const missing = ['', ...shown.map(missingText)];
  const widest = Math.max(...missing.map((text) => text.length));
  const columns = hasCounts
    ? [
        names,
        ['rows', ...shown.map((site) => known(site.n, grouped))],
        ['dropped', ...shown.map((site) => known(site.dropped, grouped))],
        ...(estimates === undefined ? [] : [weightColumn(estimates, shown)]),
        missing.map((text) => text.padEnd(widest)),
      ]
    : [names];
  const lines = layOut(columns, ink);
  if (sites.length > MOST_SITES) {
    const rest = sites.slice(MOST_SITES);
    const rows = rest.reduce((sum, site) => sum + (site.n ?? 0), 0);
    const many = hasCounts ? ` with ${grouped(rows)} rows` : '';
    lines.push(ink.faint(`… and ${rest.length} more sites${many}`));
  }
  return lines.join('\n');
}

/** A site without rows has no weight to show. */
function weightColumn({ weights }: EstimateFacts, sites: readonly SiteLine[]): string[] {
  const bySite = new Map(weights.map(({ site, weight }) => [site, weight]));
  const shown = sites.map(({ name }) => known(bySite.get(name), (weight) => weight.toFixed(4)));
  return ['weight', ...shown];
}

function missingText(site: SiteLine): string {
  const entries = Object.entries(site.missing ?? {}).sort((a, b) => b[1] - a[1]);
  if (entries.length === 0) return '';
  return `missing: ${entries.map(([column, count]) => `${column} ${grouped(count)}`).join(', ')}`;
}

function arithmeticText(report: Report, ink: Ink): string {
  const kind = report.arithmetic === 'exact' ? gridText(report) : 'compact 64-bit statistic';
  return [
    `${rowsText(report)} rows from ${grouped(report.sites.length)} ${report.sites.length === 1 ? 'site' : 'sites'}; ${kind}`,
    ...(report.condition === undefined || report.digits === undefined
      ? []
      : [
          `condition number ${significant(report.condition, 3)}; at least ${Math.floor(report.digits)} digits vouched for`,
        ]),
    ...(report.rounded === undefined
      ? []
      : [
          `${report.rounded.join(', ')}: numbers beyond 2⁵³, where whole numbers are rounded before anything is computed`,
        ]),
    ink.faint(`study and total ${report.digest}`),
  ].join('\n');
}
