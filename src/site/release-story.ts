import { type Agreement, codebookIn, contribution } from '../federate.ts';
import { alignDecimals, grouped, significant } from '../model/number-text.ts';
import { type Ink, plainInk } from '../model/text-table.ts';
import { printable } from '../protocol/printable.ts';
import type { Summary } from '../statistic/cross-product.ts';
import { entriesOf } from '../statistic/layout.ts';
import { type ColumnDescription, type Description, standardDeviation } from '../table/describe.ts';
import { lines } from './story.ts';

/** What was read, for the eyes of the site alone: rows, drops, and each column at a glance. */
export function readStory(
  agreed: Agreement,
  file: string,
  summary: Summary,
  description: Description,
  ink: Ink = plainInk,
): string {
  const codebook = codebookIn(agreed);
  const columns = Object.entries(description.columns);
  const width = Math.max(...columns.map(([name]) => printable(name).length));
  const losses = Object.entries(summary.missing).map(
    ([name, count]) => `${printable(name)} ${grouped(count)}`,
  );
  const lost = losses.length === 0 ? '' : ` (missing cells: ${losses.join(', ')})`;
  const numbers = columns.flatMap(([name, column]) => (column.kind === 'number' ? [name] : []));
  const cells = numberCells(numbers.map((name) => description.columns[name]));
  return lines(
    `${ink.bold('What I read')} ${ink.faint('(shown here only)')}`,
    `  ${file}: ${grouped(description.rows)} rows`,
    `  used       ${grouped(summary.rows)}`,
    `  left out   ${grouped(summary.dropped)}${lost}`,
    ...clippedLine(summary),
    ...columns.map(([name, column]) => {
      const words =
        column.kind === 'number'
          ? cells[numbers.indexOf(name)]
          : column.kind === 'id'
            ? 'says whose row it is'
            : levelWords(codebook[name].levels ?? [], column.counts);
      return `    ${printable(name).padEnd(width)}  ${words}`;
    }),
  );
}

/** Share of clipped responses from which the coefficients are worth a word. */
const NOTICEABLE = 0.02;

/** Responses beyond what a private study's public units can carry: they count, but not in full. */
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

function levelWords(levels: readonly string[], counts: readonly number[]): string {
  const shown = levels
    .slice(0, SHOWN_LEVELS)
    .map((level, k) => `${printable(level)} ${grouped(counts[k])}`);
  if (levels.length > shown.length) shown.push(`and ${levels.length - shown.length} more levels`);
  return shown.join(', ');
}

/** The file that would leave, as far as a person can be shown it. */
export interface Release {
  readonly bytes: number;
  readonly digest: string;
  readonly signedBy?: string;
}

/** Exactly what would leave, and what it would tell whoever sees it. */
export function leavingStory(
  agreed: Agreement,
  summary: Summary,
  release: Release,
  ink: Ink = plainInk,
): string {
  const { layout, study, method } = agreed;
  const size = `one file of ${grouped(release.bytes)} bytes with ${grouped(entriesOf(layout))} numbers`;
  return lines(
    ink.bold('What would leave'),
    ...method.text.leaves.map((line, k) =>
      k === 0 ? `  ${size}: ${line}`.trimEnd() : `  ${line}`,
    ),
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

/** What the numbers say at once; in a private study nothing is said of them. */
function saysLines(agreed: Agreement, summary: Summary): string[] {
  const { method } = agreed;
  if (method.noise !== undefined) return [];
  const released = contribution(agreed, '', summary).statistic;
  return [
    `  It says    ${grouped(summary.rows)} rows used, ${grouped(summary.dropped)} left out`,
    ...method.text.says(summary, released).map((text) => `             ${printable(text)}`),
  ];
}
