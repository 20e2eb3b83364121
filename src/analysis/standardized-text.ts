import { type Ink, layOut } from '../model/text-table.ts';
import { numberColumn } from './number-column.ts';
import type { Standardized } from './standardized.ts';

/** Slopes without units, and in the response's units for one SD of the column. */
export function standardizedText({ terms }: Standardized, ink: Ink): string {
  const title = ink.bold('Standardised slopes: what one SD of a column adds to the response');
  if (terms.length === 0) return `${title}\nThe model has no slopes.`;
  const known = terms.some((row) => row['std.error'] !== undefined);
  return [
    title,
    ...layOut(
      [
        ['', ...terms.map(({ term }) => term)],
        numberColumn(
          'SDs per SD',
          terms.map(({ estimate }) => estimate),
          4,
        ),
        ...(known
          ? [
              numberColumn(
                'Std. Error',
                terms.map((row) => row['std.error']),
                4,
              ),
            ]
          : []),
        numberColumn(
          'units per SD',
          terms.map(({ perSd }) => perSd),
          4,
        ),
      ],
      ink,
    ),
  ].join('\n');
}
