import { isRare } from '../analysis/topics.ts';
import { declinedGroups } from '../analysis/unanswered-text.ts';
import { significant } from '../model/number-text.ts';
import { clippedWords } from '../model/privacy-text.ts';
import type { Deviation, ResponseReport } from '../model/report.ts';
import { answerAbout, biasOf, type ExportedModel, responsesOf } from './exported-model.ts';
import { furtherAnswers } from './further-answers.ts';
import { htmlPage } from './html-page.ts';
import { pageStyle } from './html-style.ts';
import { figures, paragraph, section } from './html-table.ts';
import { escapeHtml } from './html-text.ts';
import { correlationFigure, pathFigure, selectionFigure, slopeFigure } from './report-figures.ts';
import { certificate, fitWords, summaryWords, unavailable } from './report-summary.ts';
import { anovaTable, coefficientTable } from './report-tables.ts';
import { siteSections } from './site-sections.ts';

/** Everything known about a model on one page that needs nothing else: no script, no request. */
export function htmlReport(model: ExportedModel): string {
  const { study, report } = model;
  const title = study.name ?? report.formula;
  const responses = responsesOf(report);
  const [lacking, reason] = unavailable(report);
  const body = [
    `<h1>${escapeHtml(title)}</h1>`,
    ...(study.name === undefined ? [] : [`<p><code>${escapeHtml(report.formula)}</code></p>`]),
    ...summaryWords(model).map((text) => paragraph(text)),
    ...(report.deviation === undefined ? [] : [deviationNotice(report.deviation)]),
    ...responses.map((response, k) =>
      responseSection(model, response, k === 0 ? selectionFigure(model) : []),
    ),
    section('The columns', figures(correlationFigure(model))),
    ...siteSections(model, responses[0]!.response),
    furtherAnswers(model),
    section(lacking, [paragraph(reason), ...declined(model)]),
    section('Certificate', [
      certificate(model),
      paragraph('suffice verify checks a signed model against these.', 'soft'),
    ]),
  ];
  return htmlPage({ title, style: pageStyle, body });
}

function responseSection(
  model: ExportedModel,
  response: ResponseReport,
  chosen: readonly string[],
): string {
  const { report } = model;
  const name = response.response;
  const anova = answerAbout(model, 'anova', name || undefined);
  const ratios = { binomial: 'Odds ratio', poisson: 'Rate ratio' } as const;
  const title = name === '' ? 'Coefficients' : `Coefficients of ${name}`;
  return section(title, [
    ...clippedWords(report).map((text) => paragraph(text, 'notice')),
    ...fitWords(response, report).map((text) => paragraph(text)),
    ...errorWords(model),
    coefficientTable(
      response.terms,
      report.aliased,
      report.family === undefined ? undefined : ratios[report.family],
    ),
    ...(report.aliased.length === 0
      ? []
      : [
          paragraph(
            `Not defined, because they are combinations of the others: ${report.aliased.join(', ')}.`,
            'soft',
          ),
        ]),
    ...figures([...slopeFigure(model, response), ...pathFigure(model, name), ...chosen]),
    ...(anova === undefined
      ? []
      : ['<h3>What each term adds to all the others</h3>', anovaTable(anova)]),
  ]);
}

function errorWords(model: ExportedModel): string[] {
  const known = responsesOf(model.report).some(({ terms }) =>
    terms.some((row) => row['std.error'] !== undefined),
  );
  const bias = biasOf(model);
  return [
    ...(model.report.errors === 'clustered'
      ? [paragraph('Standard errors are robust to correlation within sites.', 'soft')]
      : []),
    ...(known && bias !== undefined
      ? [
          paragraph(
            `Standard errors ignore the bias of the ${bias}, so there are no tests or intervals.`,
            'soft',
          ),
        ]
      : []),
  ];
}

function deviationNotice({ steps, estimate, measured, advice }: Deviation): string {
  const found =
    measured === undefined ? '' : ` (measured: ${significant(measured, 2)} standard errors)`;
  const made = steps === 0 ? 'one round' : `${steps} Newton ${steps === 1 ? 'step' : 'steps'}`;
  const text = `This answer of ${made} is not exactly the pooled one: no coefficient should be more than about ${significant(estimate, 2)} standard errors away${found}. Advice: ${advice}.`;
  return `<p class="notice" role="note">${escapeHtml(text)}</p>`;
}

/** Questions that were asked and had no answer. */
function declined({ answers = [] }: ExportedModel): string[] {
  const declined = answers.flatMap((answer) => ('problem' in answer ? [answer] : []));
  const news = declined.filter(({ about }) => !isRare(about));
  return declinedGroups(news).map(({ topics, problem, advice }) =>
    paragraph(`Not for this model: ${topics.join(', ')}. Reason: ${problem} (${advice}).`, 'soft'),
  );
}
