import { sentMaskedText } from '../aggregation/who-sees.ts';
import { type Agreement, codebookIn } from '../federate.ts';
import type { Wording } from '../rows/wording.ts';
import { adjustedText } from '../statistic/adjusted-text.ts';
import type { Summary } from '../statistic/cross-product.ts';
import { entriesOf } from '../statistic/layout.ts';
import { CLASS_COLUMN, isImageStudy } from '../study/image-study.ts';
import { type ColumnDescription, joinDescribed, standardDeviation } from '../table/describe.ts';
import { alignDecimals, grouped, significant } from '../text/number-text.ts';
import { type Ink, plainInk } from '../text/text-table.ts';
import { visibleText } from '../text/visible-text.ts';
import type { Prepared } from './prepare-contribution.ts';
import { wordingText } from './wording-text.ts';
import { lines, wrapped } from './wrapped.ts';

/** What was read from the file, shown at the site only: rows, dropped rows, and a line for each column. */
export function readingText(
  agreed: Agreement,
  file: string,
  { summary, description, wording }: Pick<Prepared, 'summary' | 'description' | 'wording'>,
  ink: Ink = plainInk,
): string {
  const codebook = codebookIn(agreed);
  const columns = Object.entries(shownColumns(agreed, description));
  const width = Math.max(...columns.map(([name]) => visibleText(name).length));
  const losses = Object.entries(summary.missing).map(
    ([name, count]) => `${visibleText(name)} ${grouped(count)}`,
  );
  const lost = losses.length === 0 ? '' : ` (missing cells: ${losses.join(', ')})`;
  // A party keeps its complete rows alone.
  const over = description.rows === summary.rows ? 'the rows used' : 'all rows, those left out too';
  const numbers = columns.flatMap(([name, column]) => (column.kind === 'number' ? [name] : []));
  const cells = numberCells(
    columns.flatMap(([, column]) => (column.kind === 'number' ? [column] : [])),
  );
  return lines(
    `${ink.bold('What I read')} ${ink.faint('(shown here only)')}`,
    `  ${file}: ${grouped(Math.max(description.rows, summary.rows + summary.dropped))} rows`,
    `  used       ${grouped(summary.rows)}`,
    `  left out   ${grouped(summary.dropped)}${lost}`,
    ...wordingLines(wording),
    ...adjustedLines(summary),
    ...clippedLine(summary),
    ...(summary.dropped === 0 ? [] : [`  columns    over ${over}`]),
    ...columns.map(([name, column]) => {
      const text =
        column.kind === 'number'
          ? cells[numbers.indexOf(name)]
          : textOf(column, codebook[name].levels);
      return `    ${visibleText(name).padEnd(width)}  ${text}`;
    }),
  );
}

/** The columns to show; the pixels of images as one. */
export function shownColumns(
  { study }: Pick<Agreement, 'study'>,
  { columns }: Prepared['description'],
): Readonly<Record<string, ColumnDescription>> {
  if (!isImageStudy(study)) return columns;
  const pixels = Object.values(columns).filter((column) => column.kind === 'number');
  return {
    [CLASS_COLUMN]: columns[CLASS_COLUMN],
    pixels: pixels.slice(1).reduce<ColumnDescription>(joinDescribed, pixels[0]),
  };
}

function wordingLines(wording: Wording | undefined): string[] {
  return (wording === undefined ? [] : wordingText(wording)).map(
    (text, k) => `  ${k === 0 ? 'read as   ' : '          '} ${text}`,
  );
}

function adjustedLines(summary: Summary): string[] {
  const [first, ...rest] = adjustedText(summary);
  if (first === undefined) return [];
  return [
    `  adjusted   ${first}`,
    ...rest.map((line) => `             ${line}`),
    '             the study is private, so the file is not refused for it; nobody else sees this',
  ];
}

function textOf(
  column: Exclude<ColumnDescription, { kind: 'number' }>,
  levels: readonly string[] = [],
): string {
  return column.kind === 'id' ? 'says whose row it is' : levelText(levels, column.counts);
}

/** Share of clipped responses from which a warning is shown. */
const NOTICEABLE = 0.02;

/** A warning about responses outside the public range of a private study: they are clipped to it. */
function clippedLine({ rows, clipped = 0 }: Summary): string[] {
  const share = clipped / rows;
  if (!(share > NOTICEABLE)) return [];
  return [
    `  clipped    the response of ${grouped(clipped)} rows (${(100 * share).toPrecision(2)} %), which lies far from the public centre;`,
    '             the model will be biased: ask for a study that states its "center" and "sd"',
  ];
}

function numberCells(columns: readonly ColumnDescription[]): string[] {
  const numbers = columns.filter((column) => column.kind === 'number');
  if (numbers.length === 0) return [];
  const texts = [
    ['mean ', alignDecimals(numbers.map(({ mean }) => significant(mean, 4)))],
    ['SD ', alignDecimals(numbers.map((one) => significant(standardDeviation(one), 3)))],
    ['from ', alignDecimals(numbers.map(({ min }) => significant(min, 4)))],
    ['to ', alignDecimals(numbers.map(({ max }) => significant(max, 4)))],
  ] as const;
  return numbers.map((_, k) =>
    texts
      .map(([word, aligned]) => word + aligned[k])
      .join('  ')
      .trimEnd(),
  );
}

const SHOWN_LEVELS = 12;

function levelText(levels: readonly string[], counts: readonly number[]): string {
  const shown = levels
    .slice(0, SHOWN_LEVELS)
    .map((level, k) => `${visibleText(level)} ${grouped(counts[k])}`);
  if (levels.length > shown.length) shown.push(`and ${levels.length - shown.length} more levels`);
  return shown.join(', ');
}

/** The facts of a file to send that a person can check. */
export interface ReleaseTextInput {
  readonly bytes: number;
  readonly digest: string;
  readonly signedBy?: string;
}

/** What would be sent, and what the numbers say to everyone who sees them. */
export function outgoingText(
  agreed: Agreement,
  summary: Summary,
  release: ReleaseTextInput,
  ink: Ink = plainInk,
): string {
  const { layout, study, method } = agreed;
  const size = `one file of ${grouped(release.bytes)} bytes with ${grouped(entriesOf(layout))} numbers`;
  return lines(
    ink.bold('What would be sent'),
    ...method.text.leaves.map((line, k) =>
      k === 0 ? `  ${size}: ${line}`.trimEnd() : `  ${line}`,
    ),
    ...maskedLines(agreed),
    ...saysLines(agreed, summary),
    `  digest     ${release.digest}`,
    ...(release.signedBy === undefined
      ? ['  signed by  nobody']
      : [`  signed by  ${release.signedBy}, the key of this site`]),
    ...(study.disclosure?.profile === 'none'
      ? [
          '',
          '  This study has switched the disclosure rules off: SECURITY.md says what that means.',
        ]
      : []),
  );
}

/** That the numbers leave masked, where the aggregation hides them. */
function maskedLines({ aggregation }: Agreement): string[] {
  const text = sentMaskedText(aggregation);
  return text === undefined ? [] : wrapped('  ', text, 110);
}

/** What the numbers say without any computation; nothing in a private study. */
function saysLines(agreed: Agreement, summary: Summary): string[] {
  const { method, aggregation } = agreed;
  if (method.noise !== undefined) return [];
  const released = method.release(summary.statistic, '');
  return [
    `  ${aggregation.sees === 'sites' ? 'It says   ' : 'Unmasked  '} ${grouped(summary.rows)} rows used, ${grouped(summary.dropped)} left out`,
    ...method.text.says(summary, released).map((text) => `             ${visibleText(text)}`),
    ...(method.text.own?.(summary) ?? []).map(
      (text, k) => `  ${k === 0 ? 'Only you   ' : '           '}${text}`,
    ),
  ];
}
