import { type Agreement, contribution } from '../federate.ts';
import { inUserUnits } from '../fusion/public-units.ts';
import { alignDecimals, grouped, significant } from '../model/number-text.ts';
import { type Ink, plainInk } from '../model/text-table.ts';
import { printable } from '../protocol/printable.ts';
import type { Summary } from '../statistic/cross-product.ts';
import { estimatesOf } from '../statistic/estimate.ts';
import {
  coefficientsOf,
  entriesOf,
  fractionBitsOf,
  type Layout,
  predictorsOf,
  wordsOf,
} from '../statistic/layout.ts';
import { ringDoubleDouble } from '../statistic/ring.ts';
import type { Statistic } from '../statistic/statistic.ts';
import type { PrivacyTerms } from '../study/study.ts';
import { type ColumnDescription, type Description, standardDeviation } from '../table/describe.ts';
import { lines } from './story.ts';

/** What was read, for the eyes of the site alone: rows, drops, and each column at a glance. */
export function readStory(
  { study }: Agreement,
  file: string,
  summary: Summary,
  description: Description,
  ink: Ink = plainInk,
): string {
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
            : levelWords(levelsOf(study.codebook[name]), column.counts);
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

function levelsOf(column: Agreement['study']['codebook'][string]): readonly string[] {
  return column.levels ?? [];
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
  const { layout, study } = agreed;
  const size = `one file of ${grouped(release.bytes)} bytes with ${grouped(entriesOf(layout))} numbers`;
  return lines(
    ink.bold('What would leave'),
    ...(study.privacy
      ? privateWords(layout, study.privacy).map((line, k) =>
          k === 0 ? `  ${size}: ${line}` : `  ${line}`,
        )
      : [
          ...(layout.estimate === undefined
            ? [
                `  ${size}: sums over rows of`,
                '  every column and of every product of two. No row, no cell, no file name.',
              ]
            : [`  ${size}:`, ...estimateWords(layout).map((line) => `  ${line}`)]),
          `  It says    ${grouped(summary.rows)} rows used, ${grouped(summary.dropped)} left out`,
          ...(layout.estimate === undefined ? meanLines(summary) : ownLines(agreed, summary)),
        ]),
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

/** Of a private study: what the numbers are, and whether they are exact. */
export function privateWords({ privacy }: Layout, { protects }: PrivacyTerms): string[] {
  const what =
    privacy?.kind === 'gradient'
      ? 'the direction in which your rows, each scaled to length 1, would move the coefficients.'
      : 'sums of products of your rows, each scaled to length 1, and their number.';
  const hidden =
    protects === 'labels'
      ? 'what the response of a row is; sums of all else are exact'
      : 'whether a row is among them';
  return privacy?.noise === 'at-sites'
    ? [what, `Noise has been added here, so that nobody can tell ${hidden}.`]
    : [
        what,
        'They are exact: the coordinator is trusted to add the noise before anything is published.',
      ];
}

/** Where a site sends its own regression: what the numbers are. */
export function estimateWords(layout: Layout): string[] {
  const count = coefficientsOf(layout) * layout.responses;
  const many = `the ${grouped(count)} ${count === 1 ? 'coefficient' : 'coefficients'} of your own regression`;
  return layout.estimate?.covariance === true
    ? [
        `the number of rows, ${many}`,
        'and their covariance, from which sums over your rows can be worked out.',
        'No row, no cell, no file name.',
      ]
    : [`the number of rows and ${many}.`, 'No row, no cell, no file name.'];
}

const SHOWN_MEANS = 6;

/** The coefficients in what would leave, in the units of the site's own columns. */
export function ownCoefficients({ layout, ...statistic }: Statistic): string[] {
  return estimatesOf({ layout, ...statistic }).flatMap(({ coefficients }, response) => {
    const { terms, estimates } = inUserUnits(coefficients, layout, response);
    const name = layout.columns[predictorsOf(layout) + response];
    const of = layout.responses === 1 ? '' : ` (${printable(name)})`;
    return terms.map(
      (term, k) => `coefficient of ${printable(term)}${of} ${significant(estimates[k], 4)}`,
    );
  });
}

function ownLines(agreed: Agreement, summary: Summary): string[] {
  const own = ownCoefficients(contribution(agreed, '', summary).statistic);
  const rest = own.length - SHOWN_MEANS;
  const shown = rest > 1 ? [...own.slice(0, SHOWN_MEANS), `and ${grouped(rest)} more`] : own;
  return shown.map((text) => `             ${text}`);
}

/** Means as the statistic itself gives them: center + scale · Σu / Σ1. */
function meanLines({ statistic }: Summary): string[] {
  const { layout, values } = statistic;
  const bits = fractionBitsOf(layout);
  const entry = (k: number) => ringDoubleDouble(values, wordsOf(layout), k, bits).hi;
  const total = entry(0);
  if (!(total > 0)) return [];
  if (layout.family !== undefined) return glmLines(layout);
  const word = layout.weightScale === null ? 'mean' : 'weighted mean';
  const shown = layout.columns.slice(1, 1 + SHOWN_MEANS).map((name, k) => {
    const { center, scale } = layout.references[k + 1];
    const mean = center + (scale * entry(k + 1)) / total;
    return `${word} ${printable(name)} ${significant(mean, 4)}`;
  });
  const rest = entriesOf(layout) - 1 - shown.length;
  return [...shown, `and ${grouped(rest)} more numbers`].map((text) => `             ${text}`);
}

/** Of a regression by Fisher information: what the numbers are, since they are no means. */
function glmLines(layout: Layout): string[] {
  const width = layout.columns.length - 1;
  return [
    `the Fisher information of your own regression, ${width} × ${width}, how far it has climbed,`,
    'its log-likelihood, the number of rows and the sum of the response',
  ].map((text) => `             ${text}`);
}
