import type { DisclosureThresholds } from '../study/study.ts';
import { listed } from '../text/number-text.ts';
import { distinctEstimate } from './distinct-values.ts';
import type { History } from './history.ts';
import type { RowFacts } from './row-facts.ts';
import { type Finding, percent, SLACK, type Verdict } from './rule.ts';

/** The fewest rows by which releases may differ, if they differ at all. */
export function leastDifference({ difference, cell }: DisclosureThresholds): number {
  return Math.max(difference, cell);
}

/** R9: two releases differ by no row or by many, because their difference is also a release. */
export function differencing(
  history: History | undefined,
  thresholds: DisclosureThresholds,
): Finding {
  if (history === undefined) {
    return { verdicts: [], note: 'no earlier release is known here' };
  }
  const least = leastDifference(thresholds);
  const close = history.differences.filter(({ rows }) => rows > 0 && rows < least);
  const days = [...new Set(close.map(({ at }) => at.slice(0, 'YYYY-MM-DD'.length)))];
  const verdicts: Verdict[] = days.map((day) => ({
    rule: 'R9',
    level: 'block',
    columns: [],
    problem: `it differs from a release of ${day} by fewer than ${least} rows, and subtraction would show these rows`,
    remedy: `release the same rows again, or wait until at least ${least} rows have changed`,
  }));
  const together = (history.residues ?? []).map(({ at }) =>
    listed([...new Set(at.map((one) => one.slice(0, 'YYYY-MM-DD'.length)))].sort()),
  );
  for (const those of new Set(together)) {
    verdicts.push({
      rule: 'R9',
      level: 'block',
      columns: [],
      problem: `with releases of ${those} it leaves fewer than ${least} rows: their sums and differences would show these rows`,
      remedy: `change which rows are used, so that no rows or at least ${least} are left, for example those with a missing cell`,
    });
  }
  if (history.incomparable > 0) {
    verdicts.push({
      rule: 'R9',
      level: 'warn',
      columns: [],
      problem: 'there are earlier releases whose rows cannot be compared with these',
      remedy: 'make sure that this release differs from each of them by no row or by many',
    });
  }
  if ((history.repeated ?? 0) > 0) {
    verdicts.push({
      rule: 'R9',
      level: 'warn',
      columns: [],
      problem: 'some of the added rows are in the study already, and would count twice',
      remedy: 'leave them out, or replace all earlier contributions instead',
    });
  }
  return { verdicts };
}

/** Whole numbers that differ in at least this share of the rows look like record numbers. */
const NEARLY_ALL = 0.95;
/** Whole numbers that fill at least this share of their range look like a running number. */
const NUMBERED = 0.5;

/** R10: few columns over all studies of these rows, and no column that numbers the records. */
export function released(
  facts: RowFacts,
  history: History | undefined,
  { columnShare }: DisclosureThresholds,
): Finding {
  const verdicts: Verdict[] = facts.columns.flatMap((column, k): Verdict[] => {
    const sketch = facts.distinct[k];
    const { part } = column;
    if (part === undefined ? column.baseline : !part.compared) return [];
    if (column.values !== null || sketch === null) return [];
    const different = Math.min(facts.rows, distinctEstimate(sketch));
    if (different < NEARLY_ALL * facts.rows) return [];
    const numbered = different >= NUMBERED * (column.highest - column.lowest + 1);
    // A measurement inside a term may have many values.
    if (part !== undefined && !numbered) return [];
    const columns = [column.name];
    return numbered
      ? [
          {
            rule: 'R10',
            level: 'block',
            columns,
            problem:
              'it looks like a record number: whole numbers, one for each row, one after the other',
            remedy: 'leave it out of the formula',
          },
        ]
      : [
          {
            rule: 'R10',
            level: 'warn',
            columns,
            problem: 'it has about as many different whole numbers as there are rows',
            remedy: 'leave it out if it numbers people or records; a measurement may stay',
          },
        ];
  });
  // R1 has counted the columns of a first release.
  const { differences = [], releasedColumns: columns = 0 } = history ?? {};
  if (differences.length > 0 && columns > columnShare * facts.rows + SLACK) {
    verdicts.push({
      rule: 'R10',
      level: 'block',
      columns: [],
      problem: `all releases of these rows together have ${columns} columns, more than ${percent(columnShare)} of the rows`,
      remedy: 'ask for columns that were released before, or for fewer',
    });
  }
  return { verdicts };
}
