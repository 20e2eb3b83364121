import { figure, figures, paragraph } from '../../src/export/html-table.ts';
import { escapeHtml } from '../../src/text/html-text.ts';
import type { Conclusion, ExperimentResult, ResultFigure } from '../paper-result.ts';
import { secondsText } from '../text/value-text.ts';
import { placedClaim, verdictWords } from './claim-text.ts';
import { figureReadingText } from './figure-text.ts';
import { histogramFigure } from './histogram-figure.ts';
import { lineFigure } from './line-figure.ts';
import { pictureSheet } from './picture-sheet.ts';
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
  const {
    about,
    tables,
    figures: drawn,
    pictures = [],
    differences,
    conclusions,
    seconds,
  } = result;
  return [
    `<section aria-labelledby="${anchorOf(result)}">`,
    `<h2 id="${anchorOf(result)}">${escapeHtml(experimentName(result))}</h2>`,
    paragraph(about),
    ...statements(conclusions),
    ...ownClaims(conclusions),
    ...tables.map((table) => resultTable(table, experimentName(result))),
    ...figures([...drawn.map(drawnFigure), ...pictures.map(pictureSheet)]),
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

/** The paper's statements, each with its readings; the sign repeats the verdict for the eye only. */
function statements(conclusions: readonly Conclusion[]): string[] {
  const all = conclusions.filter((one) => one.of === 'paper');
  if (all.length === 0) return [];
  const items = all.map((one) => {
    const { verdict, because, readings } = one;
    const { sign, words } = verdictWords[verdict];
    const tried = readings.map((reading) =>
      readingItem(reading.as, reading.holds, reading.because),
    );
    return [
      `<li class="${verdict}"><span class="sign" aria-hidden="true">${sign}</span>`,
      `<span class="word">${words}.</span> ${escapeHtml(placedClaim(one))}`,
      `<ul class="readings">\n${tried.join('\n')}\n</ul>`,
      `<span class="remark">${escapeHtml(because)}</span></li>`,
    ].join('\n');
  });
  return ['<h3>The paper’s statements</h3>', `<ul class="verdicts">\n${items.join('\n')}\n</ul>`];
}

function ownClaims(conclusions: readonly Conclusion[]): string[] {
  const all = conclusions.filter((one) => one.of === 'ours');
  if (all.length === 0) return [];
  const items = all.map(({ claim, holds, because }) => {
    const [sign, word] = holds ? ['✓', 'Holds'] : ['✗', 'Does not hold'];
    const parts = [
      `<span class="sign" aria-hidden="true">${sign}</span>`,
      `<span class="word">${word}.</span> ${escapeHtml(claim)}`,
      ` <span class="soft">(${escapeHtml(because)})</span>`,
    ];
    return `<li${holds ? '' : ' class="fails"'}>${parts.join('')}</li>`;
  });
  return ['<h3>Ours</h3>', `<ul class="verdicts">\n${items.join('\n')}\n</ul>`];
}

/** A reading with its numbers. */
export function readingItem(as: string, holds: boolean, numbers: string): string {
  const [sign, word] = holds ? ['✓', 'Holds'] : ['✗', 'Does not hold'];
  return `<li><span class="sign" aria-hidden="true">${sign}</span><span class="word">${word}</span>: ${escapeHtml(as)} <span class="numbers">${escapeHtml(numbers)}</span></li>`;
}
