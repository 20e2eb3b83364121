import type { Agreement } from '../../src/federate.ts';
import type { Prepared } from '../../src/site/prepare-contribution.ts';
import { type Contribution, decodeContribution } from '../../src/statistic/envelope.ts';
import {
  coefficientsOf,
  entriesOf,
  fractionBitsOf,
  type Layout,
  packedIndex,
  predictorsOf,
  triangleEntries,
  wordsOf,
} from '../../src/statistic/layout.ts';
import { ringDoubleDouble } from '../../src/statistic/ring.ts';
import { exactDecimal } from './exact-decimal.ts';

/** The one file that would leave, as it is read back from its own bytes. */
export interface Leaving {
  readonly bytes: number;
  readonly digest: string;
  readonly signedBy: string;
  /** How many numbers it holds. */
  readonly numbers: number;
  /** What it says beside them. */
  readonly header: readonly (readonly [name: string, value: string])[];
  /** What the numbers are. */
  readonly words: string;
  /** What anyone who sees them can work out at once. */
  readonly plainly: readonly string[];
  /** The sums as a square, at most so many columns of it. */
  readonly square?: Square;
  /** The numbers that stand in no square. */
  readonly beside: readonly (readonly [name: string, exact: string])[];
}

/** A symmetric table of sums, row by row. */
export interface Square {
  /** Names of the columns that are shown. */
  readonly names: readonly string[];
  /** How many columns there are in all. */
  readonly width: number;
  /** Each sum over the root of the two on the diagonal: from −1 to 1, for a tint. */
  readonly tints: readonly (readonly number[])[];
  /** Each sum as the exact decimal number that is sent. */
  readonly sums: readonly (readonly string[])[];
}

const MOST_COLUMNS = 40;

export function toldLeaving(agreed: Agreement, prepared: Prepared): Leaving {
  const { release, file, signedBy = '' } = prepared;
  const contribution = readBack(agreed, file);
  const { layout } = agreed;
  const { study, site, sequence, mode, dropped } = contribution;
  return {
    bytes: file.length,
    digest: release.digest,
    signedBy,
    numbers: entriesOf(layout),
    header: [
      ['study', study],
      ['site', site],
      ['contribution', `number ${sequence}, ${modeWords[mode]}`],
      ...(agreed.method.noise === undefined ? [['rows left out', String(dropped)] as const] : []),
    ],
    words: sentenceOf(agreed.method.text.leaves.join(' ').trim()),
    plainly: plainWords(agreed, contribution, prepared),
    ...(hasSquare(layout) ? { square: squareOf(contribution) } : {}),
    beside: besideSquare(contribution),
  };
}

/** Whether the numbers are sums of products of two columns. */
function hasSquare({ privacy, estimate }: Layout): boolean {
  return privacy?.kind !== 'gradient' && estimate === undefined;
}

const modeWords = {
  add: 'adds rows to what the study has of you',
  replace: 'stands in place of all you sent before',
} as const;

/** All numbers of a contribution, a line each, as a spreadsheet reads them. */
export function statisticCsv(agreed: Agreement, file: Uint8Array): string {
  const contribution = readBack(agreed, file);
  const { layout } = contribution.statistic;
  const sum = sumsOf(contribution);
  const lines = ['first,second,sum'];
  const line = (...cells: readonly string[]) =>
    lines.push(cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(','));
  if (hasSquare(layout)) {
    const names = layout.columns;
    names.forEach((first, i) => {
      for (let j = i; j < names.length; j++) {
        line(first, names[j], sum.exact(packedIndex(names.length, i, j)));
      }
    });
  }
  for (const [name, exact] of besideSquare(contribution)) line(name, '', exact);
  return `${lines.join('\n')}\n`;
}

/** What the bytes say, and nothing that was only meant. */
function readBack({ digest, layout }: Agreement, file: Uint8Array): Contribution {
  const decoded = decodeContribution(file, digest, layout);
  if ('refused' in decoded) throw new Error(`what would leave cannot be read: ${decoded.refused}`);
  return decoded.contribution;
}

function sumsOf({ statistic: { layout, values } }: Contribution): {
  near(index: number): number;
  exact(index: number): string;
} {
  const words = wordsOf(layout);
  const bits = fractionBitsOf(layout);
  return {
    near: (index) => ringDoubleDouble(values, words, index, bits).hi,
    exact: (index) => exactDecimal(values, words, index, bits),
  };
}

function squareOf(contribution: Contribution): Square {
  const { columns } = contribution.statistic.layout;
  const width = columns.length;
  const sums = sumsOf(contribution);
  const shown = Array.from({ length: Math.min(width, MOST_COLUMNS) }, (_, k) => k);
  const at = (i: number, j: number) => packedIndex(width, i, j);
  // Noise can leave a sum of squares below 0.
  const roots = shown.map((k) => Math.sqrt(Math.abs(sums.near(at(k, k)))));
  const tint = (i: number, j: number) => {
    const share = sums.near(at(i, j)) / (roots[i] * roots[j]);
    return Number.isFinite(share) ? Math.max(-1, Math.min(1, share)) : 0;
  };
  return {
    names: shown.map((k) => columns[k]),
    width,
    tints: shown.map((i) => shown.map((j) => tint(i, j))),
    sums: shown.map((i) => shown.map((j) => sums.exact(at(i, j)))),
  };
}

function besideSquare(contribution: Contribution): [string, string][] {
  const { layout } = contribution.statistic;
  const { exact } = sumsOf(contribution);
  return besideNames(layout).map((name, k): [string, string] => [
    name,
    exact(hasSquare(layout) ? triangleEntries(layout) + k : k),
  ]);
}

function besideNames(layout: Layout): readonly string[] {
  if (layout.privacy?.kind === 'gradient') return layout.columns.slice(0, predictorsOf(layout));
  if (layout.estimate !== undefined) return ['rows', ...estimateNames(layout)];
  if (layout.privacy !== undefined) return ['rows'];
  if (layout.family !== undefined) return ['rows', 'log-likelihood', 'sum of the response'];
  return layout.weightScale === null ? [] : ['rows', 'sum of the logarithms of the weights'];
}

/** Each number of an estimate as it is sent: times the rows, or their square. */
function estimateNames({ columns, intercept, responses, ...layout }: Layout): string[] {
  const width = coefficientsOf({ columns, intercept, responses, ...layout });
  const terms = columns.slice(intercept ? 0 : 1).slice(0, width);
  return columns.slice(-responses).flatMap((response) => {
    const of = responses === 1 ? '' : ` (${response})`;
    const coefficients = terms.map((term) => `rows × coefficient of ${term}${of}`);
    if (layout.estimate?.covariance !== true) return coefficients;
    const pairs = terms.flatMap((first, i) =>
      terms.slice(i).map((second) => `rows² × covariance of ${first} and ${second}${of}`),
    );
    return [...coefficients, ...pairs];
  });
}

function sentenceOf(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What the numbers say to anyone without any work. */
function plainWords(
  { method }: Agreement,
  { statistic }: Contribution,
  { summary }: Prepared,
): string[] {
  if (method.noise !== undefined) return [];
  const counts = `${summary.rows} rows used, ${summary.dropped} left out`;
  return [counts, ...method.text.says(summary, statistic)];
}
