import { grouped, probability, significant } from '../model/number-text.ts';
import { type Ink, layOut } from '../model/text-table.ts';
import { jointTailLog } from '../model/wald.ts';
import type { Comparison } from './comparison.ts';
import { numberColumn } from './number-column.ts';

/** Two nested models under each other, and the test between them. */
export function comparisonText(answer: Comparison, ink: Ink): string {
  const { without, test, df, statistic, full, reduced } = answer;
  const models = [reduced, full];
  const freedom = answer['df.residual'];
  const chiSquare = test === 'Wald chi-square';
  const log = jointTailLog(statistic, df, chiSquare ? Number.POSITIVE_INFINITY : freedom);
  return [
    ink.bold(`With and without ${without.join(', ')}`),
    ...layOut(
      [
        ['', 'without', 'with'],
        ['Res.Df', ...models.map((model) => grouped(model['df.residual']))],
        numberColumn(
          'RSS',
          models.map(({ deviance }) => deviance),
        ),
        numberColumn(
          'R-squared',
          models.map((model) => model['r.squared']),
          4,
        ),
        numberColumn(
          'Adjusted',
          models.map((model) => model['adj.r.squared']),
          4,
        ),
        numberColumn(
          'AIC',
          models.map(({ AIC }) => AIC),
          7,
        ),
        numberColumn(
          'BIC',
          models.map(({ BIC }) => BIC),
          7,
        ),
      ],
      ink,
    ),
    `${test}: ${significant(statistic, 4)} on ${df}` +
      `${chiSquare ? '' : ` and ${grouped(freedom)}`} DF,  p-value: ${probability(log)}`,
  ].join('\n');
}
