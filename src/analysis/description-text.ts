import { grouped } from '../model/number-text.ts';
import { type Ink, layOut } from '../model/text-table.ts';
import { layOutBlocks } from '../model/wide-table-text.ts';
import type { Description } from './description.ts';
import { numberColumn } from './number-column.ts';

const MOST_CORRELATED = 12;

/** Means and SDs, and the lower triangle of the correlations where it fits a page. */
export function descriptionText({ n, columns, correlations }: Description, ink: Ink): string {
  const names = columns.map(({ column }) => column);
  const lines = [
    ink.bold(`Columns over ${grouped(n)} rows`),
    ...layOut(
      [
        ['', ...names],
        numberColumn(
          'mean',
          columns.map(({ mean }) => mean),
        ),
        numberColumn(
          'SD',
          columns.map(({ sd }) => sd),
        ),
      ],
      ink,
    ),
  ];
  if (names.length > MOST_CORRELATED) {
    lines.push(ink.faint(`correlations of ${names.length} columns: see --json`));
    return lines.join('\n');
  }
  const cell = (i: number, j: number) => {
    if (j >= i) return '';
    return correlations[i][j]?.toFixed(3) ?? 'NA';
  };
  const triangle = names.slice(0, -1).map((name, j) => [name, ...names.map((_, i) => cell(i, j))]);
  if (triangle.length === 0) return lines.join('\n');
  return [
    ...lines,
    '',
    ink.bold('Correlations'),
    ...layOutBlocks([['', ...names], ...triangle], ink),
  ].join('\n');
}
