import { grouped, significant } from '../model/number-text.ts';
import { privacyWords, rowsWords } from '../model/privacy-text.ts';
import type { ResponseReport } from '../model/report.ts';
import { ruleWords } from '../study/method-words.ts';
import { studyDigest } from '../study/study.ts';
import { type ExportedModel, learntBy } from './exported-model.ts';
import { escapeHtml } from './html-text.ts';
import { pText } from './report-tables.ts';

/** What was done and how it went, for someone who has not read the study. */
export function summaryWords(model: ExportedModel): string[] {
  const { sites, digits, deviation, arithmetic, ridge, lasso } = model.report;
  const dropped = sites.reduce((sum, site) => sum + (site.dropped ?? 0), 0);
  const whose = sites.length === 1 ? '1 site' : `${grouped(sites.length)} sites`;
  const exact =
    deviation === undefined && arithmetic === 'exact' && digits !== undefined
      ? ` The result is the one that pooled rows would give, to at least ${Math.floor(digits)} digits.`
      : '';
  const sent =
    deviation === undefined
      ? 'Each site sent sums once;'
      : `Each site sent its likelihood’s curvature and top${deviation.steps === 0 ? ' once' : ', once a round'};`;
  const left =
    dropped === 0
      ? ''
      : ` ${grouped(dropped)} ${dropped === 1 ? 'row was' : 'rows were'} left out because a cell was missing.`;
  return [
    `The model was made of ${rowsWords(model.report)} rows from ${whose}, by ${learntBy(model)}. ` +
      `${sent} no row left its site.${left}${exact}`,
    ...privacyWords(model.report),
    ...(ridge === undefined
      ? []
      : [
          `The ridge is ${significant(ridge.value, 4)} (${ridge.rule === 'given' ? 'given' : `chosen by ${ruleWords(ridge.rule)}`})` +
            `${ridge.edf === undefined ? '' : `, which leaves ${significant(ridge.edf, 4)} effective degrees of freedom`}.`,
        ]),
    ...(lasso === undefined
      ? []
      : [
          `At the penalty ${significant(lasso.lambda, 4)}, ${lasso.nonzero} ${lasso.nonzero === 1 ? 'slope is' : 'slopes are'} not zero.`,
        ]),
  ];
}

/** How well one response is explained, as far as its kind of model can say. */
export function fitWords({ terms, glance }: ResponseReport): string[] {
  const { 'r.squared': share, 'adj.r.squared': adjusted, sigma, 'p.value': together } = glance;
  const tested = terms.filter((row) => row.term !== '(Intercept)' && row['p.value'] !== undefined);
  const clear = tested.filter((row) => row['p.value']! < 0.05);
  return [
    ...(share === undefined
      ? []
      : [
          `The model explains ${percent(share)} of the variation` +
            `${adjusted === undefined ? '' : ` (adjusted for its size, ${percent(adjusted)})`}.`,
        ]),
    ...(sigma === undefined ? [] : [`A typical prediction is off by ${significant(sigma, 4)}.`]),
    ...(tested.length === 0
      ? []
      : [
          `${clear.length} of ${tested.length} ${tested.length === 1 ? 'slope differs' : 'slopes differ'} from zero at the 5 % level` +
            `${together === undefined ? '' : ` (all together: p = ${pText(together)})`}.`,
        ]),
  ];
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** What lets a reader check that a page belongs to a study. */
export function certificate({ study, report }: ExportedModel): string {
  const { condition, digits, arithmetic, grid, digest } = report;
  const facts: readonly (readonly [string, string, string?])[] = [
    ['Study', studyDigest(study), 'digest'],
    ['Total', digest, 'digest'],
    [
      'Arithmetic',
      arithmetic === 'exact' ? `exact integers on a ${grid}-bit grid` : 'compact, 64 bits',
    ],
    ...(condition === undefined ? [] : [['Condition number', significant(condition, 3)] as const]),
    ...(digits === undefined ? [] : [['Digits vouched for', String(Math.floor(digits))] as const]),
  ];
  const lines = facts.map(
    ([name, value, style]) =>
      `<dt>${name}</dt><dd${style === undefined ? '' : ` class="${style}"`}>${escapeHtml(value)}</dd>`,
  );
  return `<dl>${lines.join('\n')}</dl>`;
}

/** What one contribution of sums cannot answer, and why. */
export const notInOneRound: string =
  'Sites sent sums, not rows. So there are no residual plots, no leverage or Cook’s distance of single rows, no medians or other ' +
  'quantiles, no heteroskedasticity-robust errors by row (HC0 to HC3), and no rank tests: each needs every row again, with the ' +
  'coefficients at hand. Errors robust to correlation within sites, and all tests of the coefficients, need no more than what was sent.';
