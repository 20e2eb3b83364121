import { listed } from '../model/list-text.ts';
import { significant } from '../model/number-text.ts';
import { type Ink, layOut } from '../model/text-table.ts';
import type { Collinearity } from './collinearity.ts';
import { numberColumn } from './number-column.ts';

/** Belsley's rule: a direction is harmful above this index, where two or more shares exceed a half. */
const HIGH_INDEX = 30;
const MOST_SHARES = 12;
const MOST_DIRECTIONS = 30;

/** Variance inflation by term, then the directions with their indices and the shares above a tenth. */
export function collinearityText({ terms, indices }: Collinearity, ink: Ink): string {
  const inflation = layOut(
    [
      ['', ...terms.map(({ term }) => term)],
      ['Df', ...terms.map(({ df }) => String(df))],
      numberColumn(
        'GVIF',
        terms.map(({ gvif }) => gvif),
        4,
      ),
      numberColumn(
        'GVIF^(1/(2*Df))',
        terms.map(({ scaled }) => scaled),
        4,
      ),
    ],
    ink,
  );
  const first = Math.max(0, indices.length - MOST_DIRECTIONS); // the worst come last
  const worst = indices.slice(first);
  const directions = layOut(
    [
      ['', ...worst.map((_, k) => String(first + k + 1))],
      numberColumn(
        'Eigenvalue',
        worst.map(({ eigenvalue }) => eigenvalue),
        4,
      ),
      numberColumn(
        'Index',
        worst.map(({ index }) => index),
        4,
      ),
    ],
    ink,
  );
  const harmful = indices
    .filter(({ index, shares }) => index > HIGH_INDEX && majorities(shares).length > 1)
    .map(
      ({ index, shares }) =>
        `index ${significant(index, 3)} is carried by ${listed(majorities(shares), MOST_SHARES)}`,
    );
  return [
    ink.bold('Variance inflation'),
    ...inflation,
    '',
    ink.bold('Condition indices (columns of unit length, intercept included)'),
    ...directions,
    ...(first > 0 ? [ink.faint(`and ${first} smaller ones`)] : []),
    ...(harmful.length > 0
      ? harmful
      : [ink.faint('no index above 30 with two shares above a half')]),
  ].join('\n');
}

function majorities(shares: Readonly<Record<string, number>>): string[] {
  return Object.entries(shares)
    .filter(([, share]) => share > 0.5)
    .map(([name, share]) => `${name} (${Math.round(100 * share)} %)`);
}
