import { probability } from '../model/number-text.ts';
import { type Ink, layOut } from '../model/text-table.ts';
import { studentTailLog } from '../numeric/distributions.ts';
import { alignedColumn, numberColumn } from './number-column.ts';
import type { PartialCorrelations } from './partial-correlations.ts';

/** Partial and semipartial correlations with the response. */
export function partialCorrelationsText(answer: PartialCorrelations, ink: Ink): string {
  const { terms, 'df.residual': freedom } = answer;
  const statistic = (r: number) => Math.abs(r) * Math.sqrt(freedom / (1 - r * r));
  const title = ink.bold('Correlations with the response, the other columns held fixed');
  if (terms.length === 0) return `${title}\nThe model has no slopes.`;
  return [
    title,
    ...layOut(
      [
        ['', ...terms.map(({ term }) => term)],
        numberColumn(
          'partial',
          terms.map(({ partial }) => partial),
          4,
        ),
        numberColumn(
          'part',
          terms.map(({ part }) => part),
          4,
        ),
        alignedColumn(
          'Pr(>|t|)',
          terms.map(({ partial }) => probability(studentTailLog(statistic(partial), freedom))),
        ),
      ],
      ink,
    ),
  ].join('\n');
}
