import { figure, figures, paragraph } from '../../src/export/html-table.ts';
import { escapeHtml } from '../../src/text/html-text.ts';
import type { Conclusion, ExperimentResult, ResultFigure } from '../paper-result.ts';
import { secondsText } from '../text/value-text.ts';
import { placedClaim } from './claim-text.ts';
import { figureReadingText } from './figure-text.ts';
import { histogramFigure } from './histogram-figure.ts';
import { lineFigure } from './line-figure.ts';
import { resultTable } from './result-table.ts';

/** The anchor of an experiment on the page. */
export function anchorOf({ id }: ExperimentResult): string {
  return `experiment-${id.replace(/[^\w-]/g, '-')}`;
}

/** The name of an experiment: the paper's have their number. */
export function experimentName({ id, title }: ExperimentResult): string {
  return /^\d+$/.test(id) ? `Experiment ${id}: ${title}` : title;
}

/** One experiment: what was done, tables and figures, where the numbers differ, what follows. */
export function experimentSection(result: ExperimentResult): string {
  const { about, tables, figures: drawn, differences, conclusions, seconds } = result;
  return [
    `<section aria-labelledby="${anchorOf(result)}">`,
    `<h2 id="${anchorOf(result)}">${escapeHtml(experimentName(result))}</h2>`,
    paragraph(about),
    ...verdicts('The paper’s claims', conclusions, 'paper'),
    ...verdicts('Ours', conclusions, 'ours'),
    ...tables.map((table) => resultTable(table, experimentName(result))),
    ...figures(drawn.map(drawnFigure)),
    ...(differences.length === 0
      ? []
      : ['<h3>Where printed and measured differ</h3>', sentences(differences)]),
    paragraph(`Took ${secondsText(seconds)}.`, 'soft'),
    '</section>',
  ].join('\n');
}

function drawnFigure(result: ResultFigure): string {
  const picture = result.kind === 'histogram' ? histogramFigure(result) : lineFigure(result);
  return figure(result.title, figureReadingText(result), picture);
}

function sentences(texts: readonly string[]): string {
  const items = texts.map((text) => `<li>${escapeHtml(text)}</li>`);
  return `<ul class="differences">\n${items.join('\n')}\n</ul>`;
}

/** The claims of the paper, or ours, and whether they hold; the sign repeats this for the eye only. */
function verdicts(heading: string, all: readonly Conclusion[], of: Conclusion['of']): string[] {
  const conclusions = all.filter((one) => one.of === of);
  if (conclusions.length === 0) return [];
  const items = conclusions.map((conclusion) => {
    const { holds, because } = conclusion;
    const [sign, word] = holds ? ['✓', 'Holds'] : ['✗', 'Does not hold'];
    const parts = [
      `<span class="sign" aria-hidden="true">${sign}</span>`,
      `<span class="word">${word}.</span> ${escapeHtml(placedClaim(conclusion))}`,
      ` <span class="soft">(${escapeHtml(because)})</span>`,
    ];
    return `<li${holds ? '' : ' class="fails"'}>${parts.join('')}</li>`;
  });
  return [`<h3>${heading}</h3>`, `<ul class="verdicts">\n${items.join('\n')}\n</ul>`];
}
