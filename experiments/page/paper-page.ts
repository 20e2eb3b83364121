import { paragraph } from '../../src/export/html-table.ts';
import { escapeHtml } from '../../src/export/html-text.ts';
import type { ExperimentResult, PaperResult } from '../paper-result.ts';
import { anchorOf, experimentName, experimentSection, verdicts } from './experiment-section.ts';
import { paperStyle } from './page-style.ts';
import { durationText } from './value-text.ts';

/** What marks a page as one of ours, so that it may be replaced by the next. */
export const pageMark = '<meta name="generator" content="suffice paper">';

/** All that was measured of a paper on one page that needs nothing else: no script, no request. */
export function paperPage(result: PaperResult): string {
  const { title, source, experiments } = result;
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    pageMark,
    `<title>${escapeHtml(title)}, measured</title>`,
    `<style>${paperStyle}</style>`,
    '</head>',
    '<body>',
    '<main>',
    `<h1>${escapeHtml(title)}</h1>`,
    paragraph(
      `Every table and figure, measured here. Numbers are means ± standard deviations over the seeds; below them in italics is what the paper prints (${source}).`,
    ),
    circumstances(result),
    summary(experiments),
    contents(experiments),
    ...experiments.map(experimentSection),
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** What was run, where and when, so that it can be run again. */
function circumstances({ date, machine, versions, seconds, settings }: PaperResult): string {
  const pairs = (record: Readonly<Record<string, unknown>>) =>
    Object.entries(record)
      .map(([name, value]) => `${spaced(name)} ${shown(value)}`)
      .join(', ');
  const rows: readonly (readonly [string, string])[] = [
    ['settings', pairs(settings)],
    ['date', date],
    ['time', durationText(seconds)],
    ['machine', machine],
    ['versions', pairs(versions)],
  ];
  const items = rows.map(
    ([name, text]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(text)}</dd>`,
  );
  return `<dl>\n${items.join('\n')}\n</dl>`;
}

const spaced = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function shown(value: unknown): string {
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
}

function summary(experiments: readonly ExperimentResult[]): string {
  const all = experiments.flatMap(({ conclusions }) => conclusions);
  if (all.length === 0) return '';
  const failed = all.filter(({ holds }) => !holds);
  const told =
    failed.length === 0
      ? `All ${all.length} claims hold here.`
      : `${all.length - failed.length} of ${all.length} claims hold here, ${failed.length} ${failed.length === 1 ? 'does' : 'do'} not.`;
  return [
    '<section aria-labelledby="in-short">',
    '<h2 id="in-short">In short</h2>',
    `<p class="tally">${told}</p>`,
    ...(failed.length === 0 ? [] : [verdicts(failed)]),
    '</section>',
  ].join('\n');
}

function contents(experiments: readonly ExperimentResult[]): string {
  const items = experiments.map((result) => {
    const { conclusions } = result;
    const holding = conclusions.filter(({ holds }) => holds).length;
    const tally =
      conclusions.length === 0
        ? ''
        : ` <span class="tally">${holding} of ${conclusions.length} hold</span>`;
    return `<li><a href="#${anchorOf(result)}">${escapeHtml(experimentName(result))}</a>${tally}</li>`;
  });
  return [
    '<nav aria-labelledby="contents">',
    '<h2 id="contents">Experiments</h2>',
    `<ol>\n${items.join('\n')}\n</ol>`,
    '</nav>',
  ].join('\n');
}
