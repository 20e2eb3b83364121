import { figure, figures, paragraph } from '../../src/export/html-table.ts';
import { escapeHtml } from '../../src/text/html-text.ts';
import type { PaperResult, StatementVerdict } from '../paper-result.ts';
import { aboutRules, ownTallyText, tallyText, verdictWords } from './claim-text.ts';
import { anchorOf, experimentName, readingItem } from './experiment-section.ts';
import { figureReadingText } from './figure-text.ts';
import { leadWords } from './lead-words.ts';
import { lineFigure } from './line-figure.ts';
import { type Matter, mattersOf } from './matters.ts';

const headings: Readonly<Record<StatementVerdict, string>> = {
  holds: 'What holds',
  depends: 'What depends on what the paper leaves open',
  fails: 'What does not hold under any reading tried',
};

/** The page in short: what the paper gets right with a figure, then the open readings, then what fails, then our own claims. */
export function leadSection(result: PaperResult): string {
  const { experiments } = result;
  const matters = mattersOf(experiments);
  const own = experiments.flatMap((experiment) =>
    experiment.conclusions.flatMap((one) =>
      one.of === 'ours' ? [{ claim: one, experiment }] : [],
    ),
  );
  if (matters.length + own.length === 0) return '';
  const failed = own.filter(({ claim }) => !claim.holds);
  return [
    '<section aria-labelledby="in-short">',
    '<h2 id="in-short">In short</h2>',
    ...opening(result, matters),
    ...list(
      own
        .filter(({ claim }) => claim.isLead === true)
        .map(({ claim: { claim, holds, because }, experiment }) =>
          leadClaim(experimentName(experiment), claim, holds, because),
        ),
    ),
    ...statementParts(result, matters),
    `<p class="tally">${ownTallyText(own.map(({ claim }) => claim))}</p>`,
    ...list(
      failed.map(
        ({ claim, experiment }) =>
          `<li class="fails"><span class="sign" aria-hidden="true">✗</span>${escapeHtml(claim.claim)} <a href="#${anchorOf(experiment)}">${escapeHtml(experimentName(experiment))}</a></li>`,
      ),
    ),
    '</section>',
  ].join('\n');
}

/** One of our claims with the name of its experiment and its numbers. */
function leadClaim(name: string, claim: string, holds: boolean, because: string): string {
  const [sign, word] = holds ? ['✓', 'Holds'] : ['✗', 'Does not hold'];
  return [
    `<li${holds ? '' : ' class="fails"'}><span class="sign" aria-hidden="true">${sign}</span>`,
    `<span class="word">${word}.</span> <b>${escapeHtml(name)}.</b> ${escapeHtml(claim)} <span class="soft">(${escapeHtml(because)})</span></li>`,
  ].join('\n');
}

/** What became of the paper's statements, where they are tried. */
function statementParts({ paper }: PaperResult, matters: readonly Matter[]): string[] {
  const rules = aboutRules[paper];
  if (rules === undefined) return [];
  return [
    `<p class="tally">${tallyText(matters)}</p>`,
    ...(['holds', 'depends', 'fails'] as const).flatMap((verdict) => part(matters, verdict)),
    paragraph(rules, 'soft'),
  ];
}

function opening({ paper, experiments }: PaperResult, matters: readonly Matter[]): string[] {
  const words = leadWords[paper];
  if (words === undefined) return [];
  const { matter, right, experiment, figure: id } = words;
  if (matters.find(({ name }) => name === matter)?.verdict !== 'holds') return [];
  const drawn = experiments
    .find((one) => one.id === experiment)
    ?.figures.find((one) => one.id === id);
  const picture =
    drawn === undefined
      ? []
      : figures([figure(drawn.title, figureReadingText(drawn), lineFigure(drawn))]);
  return [paragraph(right), ...picture];
}

function part(matters: readonly Matter[], verdict: StatementVerdict): string[] {
  const chosen = matters.filter((one) => one.verdict === verdict);
  if (chosen.length === 0) return [];
  return [`<h3>${headings[verdict]}</h3>`, ...list(chosen.map(matterItem))];
}

function list(items: readonly string[]): string[] {
  return items.length === 0 ? [] : [`<ul class="verdicts">\n${items.join('\n')}\n</ul>`];
}

/** A matter: its statements as quotations, and under each reading the numbers. */
function matterItem({ name, verdict, statements, readings, remarks }: Matter): string {
  const quotes = statements.map(
    ({ claim, where, result }) =>
      `“${escapeHtml(claim)}” (<a href="#${anchorOf(result)}">${escapeHtml(where)}</a>)`,
  );
  const items = readings.map(({ as, holds, numbers }) => {
    const same = new Set(numbers.map(({ because }) => because)).size === 1;
    const texts = numbers.map(({ where, because }) => (same ? because : `${where}: ${because}`));
    return readingItem(as, holds, same ? texts[0]! : texts.join('; '));
  });
  return [
    `<li class="${verdict}"><span class="sign" aria-hidden="true">${verdictWords[verdict].sign}</span>`,
    `<b>${escapeHtml(name)}.</b> ${quotes.join('; ')}`,
    `<ul class="readings">\n${items.join('\n')}\n</ul>`,
    `<span class="remark">${escapeHtml(remarks.join(' '))}</span></li>`,
  ].join('\n');
}
