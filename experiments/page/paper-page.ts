import { htmlPage } from '../../src/export/html-page.ts';
import { paragraph } from '../../src/export/html-table.ts';
import { escapeHtml } from '../../src/text/html-text.ts';
import type { Conclusion, ExperimentResult, PaperResult } from '../paper-result.ts';
import { circumstances } from './circumstances.ts';
import { tallyText } from './claim-text.ts';
import { anchorOf, experimentName, experimentSection } from './experiment-section.ts';
import { paperStyle } from './page-style.ts';

/** Marks a page as one of ours, so that the next one may replace it. */
export const pageMark = '<meta name="generator" content="suffice paper">';

/** All results for a paper on one page, without scripts or requests. */
export function paperPage(result: PaperResult): string {
  const { title, source, experiments } = result;
  return htmlPage({
    title: `${title}, measured`,
    style: paperStyle,
    head: [pageMark],
    body: [
      `<h1>${escapeHtml(title)}</h1>`,
      paragraph(
        `Every table and figure, measured here. Numbers are means ± standard deviations over the seeds; below them in italics is what the paper prints (${source}).`,
      ),
      circumstances(result),
      summary(experiments),
      contents(experiments),
      ...experiments.map(experimentSection),
    ],
  });
}

/** Claims that do not hold, one per line, with a link to the measurement. */
function summary(experiments: readonly ExperimentResult[]): string {
  const all = experiments.flatMap((result) =>
    result.conclusions.map((one) => ({ ...one, result })),
  );
  if (all.length === 0) return '';
  const part = (of: Conclusion['of']) => {
    const theirs = all.filter((one) => one.of === of);
    const failed = theirs.filter(({ holds }) => !holds);
    const lines = failed.map(
      ({ claim, where, result }) =>
        `<li class="fails"><span class="sign" aria-hidden="true">✗</span>${escapeHtml(claim)} <a href="#${anchorOf(result)}">${escapeHtml(where ?? experimentName(result))}</a></li>`,
    );
    return [
      `<p class="tally">${tallyText(of, theirs)}</p>`,
      ...(failed.length === 0
        ? []
        : [
            `<p>${failed.length === 1 ? 'This one does' : 'These do'} not:</p>`,
            `<ul class="verdicts">\n${lines.join('\n')}\n</ul>`,
          ]),
    ];
  };
  return [
    '<section aria-labelledby="in-short">',
    '<h2 id="in-short">In short</h2>',
    ...part('paper'),
    ...part('ours'),
    '</section>',
  ].join('\n');
}

function contents(experiments: readonly ExperimentResult[]): string {
  const items = experiments.map((result) => {
    const tally = (['paper', 'ours'] as const).flatMap((of) => {
      const theirs = result.conclusions.filter((one) => one.of === of);
      const holding = theirs.filter(({ holds }) => holds).length;
      return theirs.length === 0 ? [] : [`${of} ${holding} of ${theirs.length}`];
    });
    return `<li><a href="#${anchorOf(result)}">${escapeHtml(experimentName(result))}</a> <span class="tally">${tally.join(' · ')}</span></li>`;
  });
  return [
    '<nav aria-labelledby="contents">',
    '<h2 id="contents">Experiments</h2>',
    paragraph('Beside each, how many claims hold: the paper’s and ours.', 'soft'),
    `<ol>\n${items.join('\n')}\n</ol>`,
    '</nav>',
  ].join('\n');
}
