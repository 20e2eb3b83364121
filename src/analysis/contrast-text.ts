import { grouped, probability, significant } from '../model/number-text.ts';
import { type Ink, layOut } from '../model/text-table.ts';
import { jointTailLog } from '../model/wald.ts';
import type { Contrast } from './contrast.ts';
import { numberColumn } from './number-column.ts';
import { testedColumns } from './tested-columns.ts';

/** Every contrast on its line, and the test of all at once below. */
export function contrastText({ rows, joint, 'df.residual': left }: Contrast, ink: Ink): string {
  const freedom = left ?? Number.POSITIVE_INFINITY;
  const lines = layOut(
    [
      ['', ...rows.map(({ contrast }) => contrast)],
      ...testedColumns(rows, left),
      numberColumn(
        '2.5 %',
        rows.map((row) => row['conf.low']),
      ),
      numberColumn(
        '97.5 %',
        rows.map((row) => row['conf.high']),
      ),
    ],
    ink,
  );
  if (joint !== undefined) {
    const p = probability(jointTailLog(joint.statistic, joint.df, freedom));
    lines.push(
      `All at once, ${joint.test}: ${significant(joint.statistic, 4)} on ${joint.df}` +
        `${left === undefined ? '' : ` and ${grouped(left)}`} DF,  p-value: ${p}`,
    );
  }
  const title = ink.bold(rows.length === 1 ? 'Linear hypothesis' : 'Linear hypotheses');
  return [title, ...lines].join('\n');
}
