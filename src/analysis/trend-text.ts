import { twoSidedLog } from '../model/errors.ts';
import { probability } from '../model/number-text.ts';
import { type Ink, layOut } from '../model/text-table.ts';
import { alignedColumn, numberColumn } from './number-column.ts';
import type { Trend } from './trend.ts';

/** The coefficients R would give the ordered factor. */
export function trendText({ term, levels, rows, 'df.residual': left }: Trend, ink: Ink): string {
  const freedom = left ?? Number.POSITIVE_INFINITY;
  const letter = left === undefined ? 'z' : 't';
  return [
    ink.bold(`Trend over ${term}: ${levels.join(' < ')}`),
    ...layOut(
      [
        ['', ...rows.map(({ degree }) => `${term}${degree}`)],
        numberColumn(
          'Estimate',
          rows.map(({ estimate }) => estimate),
        ),
        numberColumn(
          'Std. Error',
          rows.map((row) => row['std.error']),
        ),
        numberColumn(
          `${letter} value`,
          rows.map(({ statistic }) => statistic),
          4,
        ),
        alignedColumn(
          `Pr(>|${letter}|)`,
          rows.map(({ statistic }) => probability(twoSidedLog(statistic, freedom))),
        ),
      ],
      ink,
    ),
  ].join('\n');
}
