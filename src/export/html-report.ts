import { answerText, declinedGroups } from '../analysis/answer-text.ts';
import { isRare, type TopicName, topics } from '../analysis/topics.ts';
import { baselinesText } from '../features/term-text.ts';
import { disagreementIn, disagreementText } from '../model/disagreement.ts';
import { readableTerms } from '../model/map-text.ts';
import { modelNames } from '../model/model-names.ts';
import { clippedText } from '../model/privacy-text.ts';
import type { Deviation, ResponseReport } from '../model/report.ts';
import { escapeHtml } from '../text/html-text.ts';
import { significant } from '../text/number-text.ts';
import { plainInk } from '../text/text-table.ts';
import {
  answerAbout,
  biasOf,
  type ExportedModel,
  modelMethod,
  responsesOf,
} from './exported-model.ts';
import { htmlPage } from './html-page.ts';
import { pageStyle } from './html-style.ts';
import { figures, paragraph, section } from './html-table.ts';
import { correlationFigure, pathFigure, selectionFigure, slopeFigure } from './report-figures.ts';
import { certificate, fitText, summaryText, unavailable } from './report-summary.ts';
import { anovaTable, coefficientTable } from './report-tables.ts';
import { siteSections } from './site-sections.ts';

/** Everything known about a model, on one self-contained page: no script, no request. */
export function htmlReport(model: ExportedModel): string {
  const { study, report } = model;
  const title = study.name ?? report.formula;
  const responses = responsesOf(report);
  const [lacking, reason] = unavailable(modelMethod(model), report);
  const body = [
    `<h1>${escapeHtml(title)}</h1>`,
    ...(study.name === undefined ? [] : [`<p><code>${escapeHtml(report.formula)}</code></p>`]),
    ...summaryText(model).map((text) => paragraph(text)),
    ...disagreementNotice(model),
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
  const names = modelNames(model.study, report);
  const readable = (term: string) => names.columns.get(term) ?? term;
  const title = name === '' ? 'Coefficients' : `Coefficients of ${readable(name)}`;
  const baselines = baselinesText(names);
  return section(title, [
    ...clippedText(report).map((text) => paragraph(text, 'notice')),
    ...fitText(response, report).map((text) => paragraph(text)),
    ...errorText(model),
    coefficientTable(readableTerms(report, response.terms), report, names),
    ...(baselines === undefined
      ? []
      : [paragraph(`Levels are compared with a baseline: ${baselines}.`, 'soft')]),
    ...(report.aliased.length === 0
      ? []
      : [
          paragraph(
            report.arithmetic === 'compact'
              ? `Not defined, because they are too close to combinations of the others for compact arithmetic: ${report.aliased.map(readable).join(', ')}.`
              : `Not defined, because they are combinations of the others: ${report.aliased.map(readable).join(', ')}.`,
            'soft',
          ),
        ]),
    ...figures([...slopeFigure(model, response), ...pathFigure(model, name), ...chosen]),
    ...(anova === undefined
      ? []
      : ['<h3>What each term adds to all the others</h3>', anovaTable(anova, names)]),
  ]);
}

function errorText(model: ExportedModel): string[] {
  const known = responsesOf(model.report).some(({ terms }) =>
    terms.some((row) => row['std.error'] !== undefined),
  );
  const bias = biasOf(model);
  const { errors } = model.report;
  return [
    ...(errors === 'HC0' || errors === 'HC1'
      ? [
          paragraph(
            `Standard errors do not rely on the variance of the family (${errors}).`,
            'soft',
          ),
        ]
      : []),
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

/** The sites’ disagreement, from the report or from the answers that came with it. */
function disagreementNotice(model: ExportedModel): string[] {
  const { disagreement, siteEffects, responses } = model.report;
  const compared = answerAbout(model, 'heterogeneity');
  const found =
    disagreement ??
    (compared === undefined || siteEffects !== undefined || responses !== undefined
      ? undefined
      : disagreementIn(compared));
  if (found === undefined) return [];
  return [`<p class="notice" role="note">${escapeHtml(disagreementText(found))}</p>`];
}

function deviationNotice({
  steps,
  estimate,
  converged,
  measured,
  advice: nextStep,
}: Deviation): string {
  if (converged === true) return paragraph(`${capital(nextStep)}.`);
  const found =
    measured === undefined ? '' : ` (measured: ${significant(measured, 2)} standard errors)`;
  const made = steps === 0 ? 'one round' : `${steps} Newton ${steps === 1 ? 'step' : 'steps'}`;
  const text = `This fit of ${made} is not exactly the pooled one: in 99 of 100 studies no coefficient is more than ${significant(estimate, 2)} standard errors away${found}, and the intervals allow for that. ${capital(nextStep)}.`;
  return `<p class="notice" role="note">${escapeHtml(text)}</p>`;
}

function capital(text: string): string {
  return `${text[0].toUpperCase()}${text.slice(1)}`;
}

/** Questions that were asked and had no answer. */
function declined({ answers = [] }: ExportedModel): string[] {
  const declined = answers.flatMap((answer) => ('problem' in answer ? [answer] : []));
  const reported = declined.filter(({ about }) => !isRare(about));
  return declinedGroups(reported).map(({ topics, problem, remedy }) =>
    paragraph(`Not for this model: ${topics.join(', ')}. Reason: ${problem} (${remedy}).`, 'soft'),
  );
}

/** Answers shown in other sections, and the covariance, which is for programs. */
const elsewhere: readonly TopicName[] = [
  'anova',
  'description',
  'standardized',
  'covariance',
  'path',
  'heterogeneity',
  'influence',
  'coverage',
  'sanity',
];

const shownAsText: ReadonlySet<string> = new Set(
  (Object.keys(topics) as TopicName[]).filter((name) => !elsewhere.includes(name)),
);

/** The other answers, as a terminal shows them. */
export function furtherAnswers({ answers = [] }: ExportedModel): string {
  const shown = answers.filter((answer) => shownAsText.has(answer.about) && !('problem' in answer));
  const blocks = shown.map(
    (answer) => `<pre tabindex="0">${escapeHtml(answerText(answer, plainInk).trimEnd())}</pre>`,
  );
  return section('Further answers', blocks);
}
