import { composed } from '../privacy/budget.ts';
import { muOf } from '../privacy/calibration.ts';
import type { DisclosureThresholds } from '../study/study.ts';
import type { History } from './history.ts';
import type { Finding, Verdict } from './rule.ts';

/** The δ at which the limit of R11 is read. */
export const BUDGET_DELTA = 1e-5;

/** R11: what private releases of the same rows have cost, with this one, stays within the limit. */
export function withinBudget(
  mu: number,
  history: History | undefined,
  { epsilon }: DisclosureThresholds,
): Finding {
  const limit = muOf({ epsilon, delta: BUDGET_DELTA });
  const verdicts: Verdict[] = [];
  if (composed([history?.spentMu ?? 0, mu]) > limit * (1 + 1e-12)) {
    verdicts.push({
      rule: 'R11',
      level: 'block',
      columns: [],
      problem: `with this release the privacy spent on these rows would pass ε = ${epsilon} at δ = ${BUDGET_DELTA}`,
      remedy: 'ask for a study with a smaller ε, or use rows that were not released before',
    });
  }
  if (history?.exactBefore === true) {
    verdicts.push({
      rule: 'R11',
      level: 'warn',
      columns: [],
      problem: 'rows of this release have left exactly before, so that noise no longer hides them',
      remedy: 'count on no protection for these rows',
    });
  }
  return { verdicts };
}
