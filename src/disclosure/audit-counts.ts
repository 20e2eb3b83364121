import { endsPromise } from './budget-rule.ts';
import type { History } from './history.ts';
import { differencing } from './history-rules.ts';
import type { Standard } from './profile.ts';
import { type Audit, auditOf, notApplicable, type Verdict } from './rule.ts';

/** What a site knows about counts of an evaluation before they are written. */
export interface CountsAuditInput {
  readonly history: History;
  /** Earlier evaluations that gave other counts of some of these rows, or may have. */
  readonly otherCounts: number;
}

/** Checks counts of an evaluation against what the site has released before. */
export function auditCounts(
  { history, otherCounts }: CountsAuditInput,
  { profile, thresholds }: Standard,
): Audit {
  const merged = notApplicable('counts are released, and small ones are merged');
  const { verdicts = [], ...rest } = differencing(history, thresholds);
  return auditOf(profile, {
    ...{ R0: merged, R1: merged, R2: merged, R3: merged, R4: merged, R5: merged, R6: merged },
    ...{ R7: merged, R8: merged },
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
