import { probability } from '../model/number-text.ts';
import { type Ink, layOut } from '../model/text-table.ts';
import { jointTailLog } from '../model/wald.ts';
import type { Anova } from './anova.ts';
import { alignedColumn, numberColumn } from './number-column.ts';

/** The table of R's Anova(type = 3). */
export function anovaText({ test, rows }: Anova, ink: Ink): string {
  const chiSquare = test === 'Wald chi-square';
  const last = rows[rows.length - 1];
  const freedom = chiSquare ? Number.POSITIVE_INFINITY : last.df;
  const sums = test === 'F';
  const columns = [
    ['', ...rows.map(({ term }) => term)],
    ['Df', ...rows.map(({ df }) => String(df))],
    ...(sums
      ? [
          numberColumn(
            'Sum Sq',
            rows.map(({ sumsq }) => sumsq),
          ),
          numberColumn(
            'Mean Sq',
            rows.map(({ meansq }) => meansq),
          ),
        ]
      : []),
    numberColumn(
      chiSquare ? 'Chisq' : 'F value',
      rows.map(({ statistic }) => statistic),
      4,
    ),
    alignedColumn(
      chiSquare ? 'Pr(>Chisq)' : 'Pr(>F)',
      rows.map(({ statistic, df }) =>
        statistic === undefined ? '' : probability(jointTailLog(statistic, df, freedom)),
      ),
    ),
  ];
  const note = sums ? 'F tests' : test === 'Wald F' ? 'Wald F tests' : 'Wald chi-square tests';
  return [
    ink.bold(`Type III ${note}: each term given all the others`),
    ...layOut(columns, ink),
    ...(rows.some(({ term }) => term.includes(':'))
      ? [
          ink.faint(
            'treatment coding: a term below an interaction is tested at the baseline of the others',
          ),
        ]
      : []),
  ].join('\n');
}
