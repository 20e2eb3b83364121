import { significant } from '../model/number-text.ts';
import { type Ink, layOut } from '../model/text-table.ts';
import type { Collinearity } from './collinearity.ts';
import { numberColumn } from './number-column.ts';

/** Belsley's rule: a direction is harmful above this index, where two or more shares exceed a half. */
const HIGH_INDEX = 30;
const MOST_SHARES = 12;

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
  const directions = layOut(
    [
      ['', ...indices.map((_, k) => String(k + 1))],
      numberColumn(
        'Eigenvalue',
        indices.map(({ eigenvalue }) => eigenvalue),
        4,
      ),
      numberColumn(
        'Index',
        indices.map(({ index }) => index),
        4,
      ),
    ],
    ink,
  );
  const harmful = indices
    .filter(({ index, shares }) => index > HIGH_INDEX && majorities(shares).length > 1)
    .map(
      ({ index, shares }) =>
        `index ${significant(index, 3)} is carried by ${majorities(shares).slice(0, MOST_SHARES).join(', ')}`,
    );
  return [
    ink.bold('Variance inflation'),
    ...inflation,
    '',
    ink.bold('Condition indices (columns of unit length, intercept included)'),
    ...directions,
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
