import { htmlPage } from '../../src/export/html-page.ts';
import { paragraph } from '../../src/export/html-table.ts';
import { escapeHtml } from '../../src/text/html-text.ts';
import type { ExperimentResult, PaperName, PaperResult } from '../paper-result.ts';
import { circumstances } from './circumstances.ts';
import { verdictCounts } from './claim-text.ts';
import { anchorOf, experimentName, experimentSection } from './experiment-section.ts';
import { leadSection } from './lead-section.ts';
import { paperStyle } from './page-style.ts';

/** Marks a page as one of ours, so that the next one may replace it. */
export const pageMark = '<meta name="generator" content="suffice paper">';

const tried =
  'Every table and figure of the paper, measured here. Statements are quoted, and tried under each reading that the text leaves open. Numbers are means ± standard deviations over the seeds. What the paper prints stands below them, in italics';

const introductions: Readonly<Record<PaperName, string>> = {
  ridge: tried,
  fesc: tried,
  images:
    'Ridge regression on fixed features of images: one message from each site, and the model of the pooled images to the last bit. What FedFisher prints for its own method stands beside it, in italics',
  fisher: `${tried}. Networks are trained and fused with the code that Suffice ships; beside every fusion stands exact ridge regression on fixed features, which needs no training and one message`,
};

/** All results for a paper on one page, without scripts or requests. */
export function paperPage(result: PaperResult): string {
  const { title, source, experiments } = result;
  return htmlPage({
    title: `${title}, measured`,
    style: paperStyle,
    head: [pageMark],
    body: [
      `<h1>${escapeHtml(title)}</h1>`,
      paragraph(`${introductions[result.paper]} (${source}).`),
      leadSection(result),
      circumstances(result),
      contents(experiments),
      ...experiments.map(experimentSection),
    ],
  });
}

/** The number of statements by verdict, and of our own claims that hold. */
function tallyOf({ conclusions }: ExperimentResult): string {
  const [held, open, failed] = verdictCounts(conclusions.filter((one) => one.of === 'paper'));
  const own = conclusions.filter((one) => one.of === 'ours');
  const holding = own.filter(({ holds }) => holds).length;
  return [
    ...(held === 0 ? [] : [`${held} ${held === 1 ? 'holds' : 'hold'}`]),
    ...(open === 0 ? [] : [`${open} ${open === 1 ? 'depends' : 'depend'}`]),
    ...(failed === 0 ? [] : [`${failed} ${failed === 1 ? 'does' : 'do'} not`]),
    ...(own.length === 0 ? [] : [`ours ${holding} of ${own.length}`]),
  ].join(' · ');
}

function contents(experiments: readonly ExperimentResult[]): string {
  const items = experiments.map((result) => {
    return `<li><a href="#${anchorOf(result)}">${escapeHtml(experimentName(result))}</a> <span class="tally">${tallyOf(result)}</span></li>`;
  });
  return [
    '<nav aria-labelledby="contents">',
    '<h2 id="contents">Experiments</h2>',
    paragraph(
      'Beside each, how many of the paper’s statements hold, depend on a reading, or do not hold; and our own claims.',
      'soft',
    ),
    `<ol>\n${items.join('\n')}\n</ol>`,
    '</nav>',
  ].join('\n');
}
