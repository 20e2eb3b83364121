import type { DisclosureThresholds } from '../study/study.ts';
import { type Finding, onColumns, percent, SLACK } from './rule.ts';

const PRIVATE = 'or ask for a study with differential privacy';

/** R0: enough rows. */
export function enoughRows(rows: number, least: number): Finding {
  if (rows >= least) return { verdicts: [] };
  return {
    verdicts: [
      {
        rule: 'R0',
        level: 'block',
        columns: [],
        problem: `there are fewer than ${least} rows`,
        remedy: `add rows, ${PRIVATE}`,
      },
    ],
  };
}

/** R1: few columns for the rows; `columns` counts those that are not zero in every row, responses included. */
export function fewColumns(
  rows: number,
  columns: number,
  { columnShare }: DisclosureThresholds,
): Finding {
  if (columns <= columnShare * rows + SLACK) return { verdicts: [] };
  return {
    verdicts: [
      {
        rule: 'R1',
        level: 'block',
        columns: [],
        problem: `${columns} columns are more than ${percent(columnShare)} of the rows, so the rows can be solved for`,
        remedy: `use fewer terms or levels, add rows, ${PRIVATE}`,
      },
    ],
  };
}

/** R2: enough rows beyond the rank, and no column that follows from others. */
export function beyondRank(
  rows: number,
  { rank, dependent }: { readonly rank: number; readonly dependent: readonly string[] },
  { freedom }: DisclosureThresholds,
): Finding {
  const verdicts = onColumns({
    rule: 'R2',
    level: 'warn',
    columns: dependent,
    problem: 'follows from the columns before it, in every row',
    remedy: 'leave it out of the formula',
  });
  if (rows - rank < freedom) {
    verdicts.push({
      rule: 'R2',
      level: 'block',
      columns: [],
      problem: `fewer than ${freedom} rows are left beyond the coefficients`,
      remedy: `use fewer terms or levels, add rows, ${PRIVATE}`,
    });
  }
  return { verdicts };
}
