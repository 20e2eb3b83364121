import { type Agreement, readContribution } from '../../src/federate.ts';
import type { Prepared } from '../../src/site/prepare-contribution.ts';
import { type NamedSegment, namedSegments } from '../../src/statistic/entry-names.ts';
import type { Contribution } from '../../src/statistic/envelope.ts';
import { entriesOf, wordsOf } from '../../src/statistic/layout.ts';
import { packedIndex } from '../../src/statistic/linear-layout.ts';
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
/** Numbers beside the square that are listed; the file has them all. */
const MOST_BESIDE = 1000;

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
    ...squareOf(contribution),
    beside: besideSquare(contribution).slice(0, MOST_BESIDE),
  };
}

const modeWords = {
  add: 'adds rows to what the study has of you',
  replace: 'stands in place of all you sent before',
} as const;

/** All numbers of a contribution, a line each, as a spreadsheet reads them. */
export function statisticCsv(agreed: Agreement, file: Uint8Array): string {
  const contribution = readBack(agreed, file);
  const lines = ['first,second,sum'];
  const line = (...cells: readonly string[]) =>
    lines.push(cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(','));
  for (const part of namedSegments(contribution.statistic.layout)) {
    if (!part.square) continue;
    const { names, start } = part;
    const { exact } = sumsOf(contribution, part);
    names.forEach((first, i) => {
      for (let j = i; j < names.length; j++) {
        line(first, names[j], exact(start + packedIndex(names.length, i, j)));
      }
    });
  }
  for (const [name, exact] of besideSquare(contribution)) line(name, '', exact);
  return `${lines.join('\n')}\n`;
}

/** What the bytes say, and nothing that was only meant. */
function readBack(agreed: Agreement, file: Uint8Array): Contribution {
  const decoded = readContribution(agreed, file);
  if ('refused' in decoded) throw new Error(`what would leave cannot be read: ${decoded.refused}`);
  return decoded.contribution;
}

function sumsOf(
  { statistic: { layout, values } }: Contribution,
  { segment: { fractionBits: bits } }: NamedSegment,
): { near(index: number): number; exact(index: number): string } {
  const words = wordsOf(layout);
  return {
    near: (index) => ringDoubleDouble(values, words, index, bits).hi,
    exact: (index) => exactDecimal(values, words, index, bits),
  };
}

/** The sums of products of two columns, where the numbers are such. */
function squareOf(contribution: Contribution): { readonly square?: Square } {
  const part = namedSegments(contribution.statistic.layout).find(({ square }) => square);
  if (part === undefined) return {};
  const { names, start } = part;
  const width = names.length;
  const sums = sumsOf(contribution, part);
  const shown = Array.from({ length: Math.min(width, MOST_COLUMNS) }, (_, k) => k);
  const at = (i: number, j: number) => start + packedIndex(width, i, j);
  // Noise can leave a sum of squares below 0.
  const roots = shown.map((k) => Math.sqrt(Math.abs(sums.near(at(k, k)))));
  const tint = (i: number, j: number) => {
    const share = sums.near(at(i, j)) / (roots[i] * roots[j]);
    return Number.isFinite(share) ? Math.max(-1, Math.min(1, share)) : 0;
  };
  return {
    square: {
      names: shown.map((k) => names[k]),
      width,
      tints: shown.map((i) => shown.map((j) => tint(i, j))),
      sums: shown.map((i) => shown.map((j) => sums.exact(at(i, j)))),
    },
  };
}

function besideSquare(contribution: Contribution): [string, string][] {
  return namedSegments(contribution.statistic.layout).flatMap((part) => {
    if (part.square) return [];
    const { exact } = sumsOf(contribution, part);
    return part.names.map((name, k): [string, string] => [name, exact(part.start + k)]);
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
