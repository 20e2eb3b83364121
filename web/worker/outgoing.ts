import { sentMaskedText } from '../../src/aggregation/who-sees.ts';
import { defined } from '../../src/defined.ts';
import { type Agreement, readContribution } from '../../src/federate.ts';
import type { Prepared } from '../../src/site/prepare-contribution.ts';
import { type NamedSegment, namedSegments } from '../../src/statistic/entry-names.ts';
import type { Contribution } from '../../src/statistic/envelope.ts';
import { entriesOf, wordsOf } from '../../src/statistic/layout.ts';
import { packedIndex } from '../../src/statistic/linear-layout.ts';
import { ringDoubleDouble } from '../../src/statistic/ring.ts';
import { inertText } from '../../src/text/csv-text.ts';
import { exactDecimal } from './exact-decimal.ts';

/** The contribution file, read back from its own bytes. */
export interface Outgoing {
  readonly bytes: number;
  readonly digest: string;
  readonly signedBy: string;
  /** Number of numbers in it. */
  readonly numbers: number;
  /** The fields of its header. */
  readonly header: readonly (readonly [name: string, value: string])[];
  /** Text about the numbers. */
  readonly text: string;
  /** Where the numbers are masked when they are sent: that they are. Those shown here are not masked. */
  readonly masked?: string;
  /** Facts that anyone can derive from the numbers at once. */
  readonly derivable: readonly string[];
  /** What only the site learns. */
  readonly own: readonly string[];
  /** The sums of products as a square table, cut to `MOST_COLUMNS`. */
  readonly square?: Square;
  /** The numbers outside the square, and parts with many of them. */
  readonly beside: readonly (readonly [name: string, exact: string])[];
  readonly parts: readonly ManyNumbers[];
}

/** A part of a statistic with too many numbers to list. */
export interface ManyNumbers {
  readonly name: string;
  readonly count: number;
  readonly least: number;
  readonly most: number;
}

/** A symmetric table of sums, row by row. */
export interface Square {
  /** Names of the columns shown. */
  readonly names: readonly string[];
  /** Number of columns in all. */
  readonly width: number;
  /** Each sum divided by the root of its two diagonal sums: from −1 to 1, for the tint. */
  readonly tints: readonly (readonly number[])[];
  /** Each sum as an exact decimal number, as it is sent. */
  readonly sums: readonly (readonly string[])[];
}

const MOST_COLUMNS = 40;
/** Numbers of a part outside the square that are listed; the CSV has all. */
const MOST_BESIDE = 100;

export function outgoingView(agreed: Agreement, prepared: Prepared): Outgoing {
  const { release, file, signedBy = '' } = prepared;
  const contribution = unmasked(agreed, prepared);
  const { layout } = agreed;
  const { study, site, sequence, mode, dropped, sealed } = contribution;
  return {
    bytes: file.length,
    digest: release.digest,
    signedBy,
    numbers: entriesOf(layout),
    header: [
      ['study', study],
      ['site', site],
      ['contribution', `number ${sequence}, ${modeText[mode]}`],
      ...(isHidden(agreed) ? [] : [['rows left out', String(dropped)] as const]),
      ...(sealed === undefined
        ? []
        : [['for the helper', `a sealed seed of ${sealed.length} characters`] as const]),
    ],
    text: sentenceOf(agreed.method.text.leaves.join(' ').trim()),
    ...defined({ masked: sentMaskedText(agreed.aggregation) }),
    derivable: derivableFacts(agreed, contribution, prepared),
    own: agreed.method.text.own?.(prepared.summary) ?? [],
    ...squareOf(contribution),
    beside: besideSquare(contribution, MOST_BESIDE),
    parts: manyNumbers(contribution),
  };
}

/** The number of rows left out is hidden, too. */
function isHidden({ method, aggregation }: Agreement): boolean {
  return method.noise !== undefined || aggregation.sees === 'total';
}

const modeText = {
  add: 'adds rows to those you sent before',
  replace: 'replaces everything you sent before',
} as const;

/** All numbers of a contribution as CSV, one number on each line. */
export function statisticCsv(agreed: Agreement, prepared: Prepared): string {
  const contribution = unmasked(agreed, prepared);
  const lines = ['first,second,sum'];
  const line = (...cells: readonly string[]) =>
    lines.push(cells.map((cell) => `"${inertText(cell).replaceAll('"', '""')}"`).join(','));
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

/** The contribution decoded from the bytes that are sent; where these are masked, with the numbers before that. */
function unmasked(agreed: Agreement, { file, released }: Prepared): Contribution {
  const contribution = readBack(agreed, file);
  if (agreed.aggregation.sees === 'sites') return contribution;
  return { ...contribution, statistic: released };
}

function readBack(agreed: Agreement, file: Uint8Array): Contribution {
  const decoded = readContribution(agreed, file);
  if ('refused' in decoded)
    throw new Error(`the contribution cannot be decoded: ${decoded.refused}`);
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

/** The sums of products of two columns, if the statistic has them. */
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

/** The numbers outside the square, of parts with no more than `most`. */
function besideSquare(
  contribution: Contribution,
  most = Number.POSITIVE_INFINITY,
): [string, string][] {
  return namedSegments(contribution.statistic.layout).flatMap((part) => {
    if (part.square || part.names.length > most) return [];
    const { exact } = sumsOf(contribution, part);
    return part.names.map((name, k): [string, string] => [name, exact(part.start + k)]);
  });
}

function manyNumbers(contribution: Contribution): ManyNumbers[] {
  return namedSegments(contribution.statistic.layout).flatMap((part) => {
    const { segment, names, start, square } = part;
    if (square || names.length <= MOST_BESIDE) return [];
    const { near } = sumsOf(contribution, part);
    let [least, most] = [near(start), near(start)];
    for (let k = 1; k < names.length; k++) {
      least = Math.min(least, near(start + k));
      most = Math.max(most, near(start + k));
    }
    return [{ name: segment.name, count: names.length, least, most }];
  });
}

function sentenceOf(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Facts that anyone can derive from the numbers at once. */
function derivableFacts(
  { method }: Agreement,
  { statistic }: Contribution,
  { summary }: Prepared,
): string[] {
  if (method.noise !== undefined) return [];
  const counts = `${summary.rows} rows used, ${summary.dropped} left out`;
  return [counts, ...method.text.says(summary, statistic)];
}
