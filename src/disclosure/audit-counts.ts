import { defined } from '../defined.ts';
import { endsPromise } from './budget-rule.ts';
import { noComparisons } from './expression-rules.ts';
import type { History } from './history.ts';
import { differencing } from './history-rules.ts';
import type { Standard } from './profile.ts';
import { type Audit, auditOf, notApplicable, type Verdict } from './rule.ts';
import { enoughRows } from './size-rules.ts';

/** What a site knows about counts of an evaluation before they are written. */
export interface CountsAuditInput {
  readonly rows: number;
  /** The number of persons, where ids tell it. */
  readonly persons?: number;
  /** What the formula has and the site does not take. */
  readonly forbidden?: 'comparisons';
  readonly history: History;
  /** Earlier evaluations that gave other counts of some of these rows, or may have. */
  readonly otherCounts: number;
}

/** Checks counts of an evaluation: its rows and formula, and what the site has released before. */
export function auditCounts(
  { rows, persons, forbidden, history, otherCounts }: CountsAuditInput,
  { profile, thresholds }: Standard,
): Audit {
  const merged = notApplicable('counts are released, and small ones are merged');
  const { verdicts = [], ...rest } = differencing(history, thresholds);
  return auditOf(profile, {
    R0: enoughRows(rows, thresholds.rows, defined({ persons })),
    ...{ R1: merged, R2: merged, R4: merged, R5: merged, R6: merged, R7: merged, R8: merged },
    R3: forbidden === undefined ? merged : { verdicts: [noComparisons] },
    R9: { ...rest, verdicts: otherCounts > 0 ? [...verdicts, comparable] : verdicts },
    R10: notApplicable('counts have no columns of the file'),
    R11: endsPromise(history),
  });
}

const comparable: Verdict = {
  rule: 'R9',
  level: 'warn',
  columns: [],
  problem:
    'other counts of some of these rows were released before: someone who chose both models, or both numbers of bins, may tell single rows from the difference',
  remedy: 'acknowledge it if you know who chose the models and why, or give other rows',
};
