import type { Method } from '../fusion/method.ts';
import { estimateReportText } from '../model/estimate-text.ts';
import { mapText } from '../model/map-text.ts';
import {
  gridText,
  privacyText,
  residualText,
  roundsSent,
  rowsText,
} from '../model/privacy-text.ts';
import type { Report, ResponseReport } from '../model/report.ts';
import { ruleText } from '../study/rule-text.ts';
import { studyDigest } from '../study/study.ts';
import { escapeHtml } from '../text/html-text.ts';
import { grouped, pPhrase, significant } from '../text/number-text.ts';
import { type ExportedModel, methodTextOf, modelMethod } from './exported-model.ts';

/** How the model was fitted, for a reader who does not know the study. */
export function summaryText(model: ExportedModel): string[] {
  const { sites, digits, deviation, arithmetic, ridge, lasso } = model.report;
  const dropped = sites.reduce((sum, site) => sum + (site.dropped ?? 0), 0);
  const whose = sites.length === 1 ? '1 site' : `${grouped(sites.length)} sites`;
  const exact =
    deviation === undefined && arithmetic === 'exact' && digits !== undefined
      ? ` The result is the one that pooled rows would give, to at least ${Math.floor(digits)} digits.`
      : '';
  const left =
    dropped === 0
      ? ''
      : ` ${grouped(dropped)} ${dropped === 1 ? 'row was' : 'rows were'} left out because a cell was missing.`;
  return [
    `The model was fitted to ${rowsText(model.report)} rows from ${whose}, by ${methodTextOf(model)}. ` +
      `${sentText(model)} no row left its site.${left}${exact}`,
    ...privacyText(model.report),
    ...estimateReportText(model.report),
    ...(ridge === undefined
      ? []
      : [
          `The ridge is ${significant(ridge.value, 4)} (${ridge.rule === 'given' ? 'given' : `chosen by ${ruleText(ridge.rule)}`})` +
            `${ridge.edf === undefined ? '' : `, which leaves ${significant(ridge.edf, 4)} effective degrees of freedom`}.`,
        ]),
    ...(lasso === undefined
      ? []
      : [
          `At the penalty ${significant(lasso.lambda, 4)}, ${lasso.nonzero} ${lasso.nonzero === 1 ? 'slope is' : 'slopes are'} not zero.`,
        ]),
  ];
}

function sentText(model: ExportedModel): string {
  const { deviation, privacy, estimates } = model.report;
  if (estimates !== undefined) return 'Each site sent its own coefficients once;';
  if (deviation !== undefined) {
    return `Each site sent the curvature and maximum of its likelihood${deviation.steps === 0 ? ' once' : ', once a round'};`;
  }
  if (modelMethod(model).network !== undefined) {
    return 'Each site trained a network on its rows and sent it once;';
  }
  const rounds = privacy === undefined ? 1 : roundsSent(privacy);
  return `Each site sent sums ${rounds === 1 ? 'once' : `in ${rounds} rounds`};`;
}

/** How well one response is explained, as far as its kind of model allows. */
export function fitText({ terms, glance }: ResponseReport, report: Report): string[] {
  const { 'r.squared': share, 'adj.r.squared': adjusted, sigma, 'p.value': together } = glance;
  const tested = terms.filter((row) => row.term !== '(Intercept)' && row['p.value'] !== undefined);
  const clear = tested.filter((row) => row['p.value']! < 0.05);
  const [mapped] = mapText(report);
  return [
    ...(mapped === undefined ? [] : [`${mapped[0].toUpperCase()}${mapped.slice(1)}.`]),
    ...(share === undefined
      ? []
      : [
          `The model explains ${percent(share)} of the variation` +
            `${adjusted === undefined ? '' : ` (adjusted for its size, ${percent(adjusted)})`}.`,
        ]),
    ...(sigma === undefined
      ? []
      : [`A typical prediction is off by ${residualText(sigma, report, 4)}.`]),
    ...(tested.length === 0
      ? []
      : [
          `${clear.length} of ${tested.length} ${tested.length === 1 ? 'slope differs' : 'slopes differ'} from zero at the 5 % level` +
            `${together === undefined ? '' : ` (all together: ${pPhrase(together)})`}.`,
        ]),
  ];
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** The digests and numbers that let a reader check which study a page belongs to. */
export function certificate({ study, report }: ExportedModel): string {
  const { condition, digits, arithmetic, digest } = report;
  const facts: readonly (readonly [string, string, string?])[] = [
    ['Study', studyDigest(study), 'digest'],
    ['Total', digest, 'digest'],
    ['Arithmetic', arithmetic === 'exact' ? gridText(report) : 'compact, 64 bits'],
    ...(condition === undefined ? [] : [['Condition number', significant(condition, 3)] as const]),
    ...(digits === undefined ? [] : [['Digits vouched for', String(Math.floor(digits))] as const]),
  ];
  const lines = facts.map(
    ([name, value, style]) =>
      `<dt>${name}</dt><dd${style === undefined ? '' : ` class="${style}"`}>${escapeHtml(value)}</dd>`,
  );
  return `<dl>${lines.join('\n')}</dl>`;
}

/** What the model cannot answer, and why: a heading and its text. */
export function unavailable(
  { noise, questions }: Pick<Method, 'noise' | 'questions'>,
  { privacy, estimates }: Report,
): readonly [string, string] {
  if (noise === undefined && estimates === undefined && 'none' in questions) {
    const { problem } = questions.none;
    return ['Not available', `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`];
  }
  if (estimates !== undefined) return ['Not available', notOfEstimates];
  return privacy === undefined
    ? ['Not available in one round', notInOneRound]
    : ['Not available', notInPrivate];
}

const notOfEstimates =
  'Sites sent coefficients, not sums. So there is no R², no residual variance, no test of terms together, no other penalty and no model ' +
  'with fewer terms, and nothing about columns or sites besides their weights: each needs the sums that the exact fusion sends.';

const notInPrivate =
  'Only this report is published; nothing more can be asked of it. Other models, comparisons, residuals, or what a single site ' +
  'adds would each reveal more than was promised: each needs its own study, with its own promise.';

const notInOneRound =
  'Sites sent sums, not rows. So there are no residual plots, no leverage or Cook’s distance of single rows, no medians or other ' +
  'quantiles, no heteroskedasticity-robust errors by row (HC0 to HC3), and no rank tests: each needs every row again, with the ' +
  'coefficients known. Errors robust to correlation within sites, and all tests of the coefficients, need no more than what was sent.';
