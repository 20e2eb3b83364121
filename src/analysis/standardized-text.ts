import { type Ink, layOut } from '../model/text-table.ts';
import { numberColumn } from './number-column.ts';
import type { Standardized } from './standardized.ts';

/** Slopes without units, and in the response's units for one SD of the column. */
export function standardizedText({ terms }: Standardized, ink: Ink): string {
  const known = terms.some((row) => row['std.error'] !== undefined);
  return [
    ink.bold('Standardised slopes'),
    ...layOut(
      [
        ['', ...terms.map(({ term }) => term)],
        numberColumn(
          'per SD, in SDs',
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
          'per SD',
          terms.map(({ perSd }) => perSd),
          4,
        ),
      ],
      ink,
    ),
  ].join('\n');
}
