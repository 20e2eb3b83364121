import { composed } from '../privacy/budget.ts';
import { muOf } from '../privacy/calibration.ts';
import type { Charge } from '../privacy/charge.ts';
import { isChargedByTotal } from '../privacy/placement.ts';
import type { DisclosureTerms, DisclosureThresholds } from '../study/study.ts';
import type { History } from './history.ts';
import { type Standard, standardOf, thresholdsOf } from './profile.ts';
import type { Finding, Verdict } from './rule.ts';

/** The δ at which the limit of R11 is read. */
export const BUDGET_DELTA = 1e-5;

/** The thresholds for a private release: a study can lower a site's limit, but not raise it or switch it off. */
export function budgetStandard(
  terms: DisclosureTerms | undefined,
  ...own: readonly (DisclosureTerms | undefined)[]
): Standard {
  const usual = standardOf({});
  const asked = thresholdsOf(terms, ...own);
  if (asked === 'none') return usual;
  const epsilon = Math.min(asked.thresholds.epsilon, usual.thresholds.epsilon);
  return { ...asked, thresholds: { ...asked.thresholds, epsilon } };
}

/** R11: the cost of all private releases of these rows, with this one, keeps the study's promise and the site's limit. */
export function withinBudget(
  charge: Charge,
  history: History | undefined,
  { epsilon }: Pick<DisclosureThresholds, 'epsilon'>,
): Finding {
  const limit = muOf({ epsilon, delta: BUDGET_DELTA });
  const verdicts: Verdict[] = [];
  if (composed([history?.spentMu ?? 0, charge.mu]) > limit * (1 + 1e-12)) {
    verdicts.push(
      block(
        `with this release the privacy spent on these rows would pass ε = ${epsilon} at δ = ${BUDGET_DELTA}`,
        'ask for a study with a smaller ε, or use rows that were not released before',
      ),
    );
  }
  if (history === undefined) return { verdicts };
  const { sameRound, otherSite, contributions, repeated = 0, exactBefore } = history;
  const { likeTables = 0, unknownSpent = 0 } = history;
  if (sameRound) {
    verdicts.push(
      block(
        'another study, or this study at another coordinator, already has these rows for the same round of the same promise',
        'refuse it: the same round twice breaks the promise; ask for a new study with its own budget',
      ),
    );
  }
  if (otherSite !== 'none') {
    const say = otherSite === 'most' ? block : warn;
    verdicts.push(
      say(
        'the study already has rows like these from another site: if they are the same rows, the noise for one copy must hide two',
        'join once with these rows; sites that share a machine need a ledger each',
      ),
    );
  }
  if (!isChargedByTotal(charge.placement) && contributions >= charge.releases) {
    verdicts.push(
      block(
        `the study's budget is for ${charge.releases === 1 ? 'one contribution' : `${charge.releases} contributions`} of these rows, and the study already has them`,
        'keep what was sent; a study with "releases" shares its budget among several',
      ),
    );
  }
  if (charge.unit === 'person' && history.adds && contributions > 0) {
    verdicts.push(
      block(
        'these rows may belong to people who already have rows in the study, and one person could then exceed the limit of rows',
        'replace all earlier contributions by one file that holds all rows',
      ),
    );
  }
  if (repeated > 0) {
    verdicts.push(
      warn(
        'rows like some of these are in the study already: if they are the same rows, the noise for one copy must hide two',
        'leave them out, or replace all earlier contributions by one file that holds all rows',
      ),
    );
  }
  if (likeTables > 0) {
    verdicts.push(
      warn(
        'an earlier private release was made from a table with the same columns and about as many rows, but other values: these may be the same people, and its cost is counted for them',
        'acknowledge it, or ask for a study whose codebook has the column with the ids of the people: then the cost is counted for each person',
      ),
    );
  }
  if (unknownSpent > 0) {
    verdicts.push(
      warn(
        'there are earlier private releases whose rows cannot be compared with these; their cost is counted as if they were the same',
        'acknowledge it, or use a file that has the columns of these releases',
      ),
    );
  }
  if (exactBefore) {
    verdicts.push(
      warn(
        'an earlier exact release has some of these rows, so noise no longer hides them',
        'do not rely on protection for these rows',
      ),
    );
  }
  return { verdicts };
}

/** R11 for an exact release: rows that were protected by noise lose that protection. */
export function endsPromise(history: History | undefined): Finding {
  if (history === undefined || history.spentMu === 0) {
    return { verdicts: undefined, note: 'no noise is added, and no budget spent' };
  }
  return {
    verdicts: [
      warn(
        'a private study has some of these rows, and an exact release ends the promise made to them',
        'acknowledge it only if the rows need no protection any more',
      ),
    ],
  };
}

function block(problem: string, remedy: string): Verdict {
  return { rule: 'R11', level: 'block', columns: [], problem, remedy };
}

function warn(problem: string, remedy: string): Verdict {
  return { rule: 'R11', level: 'warn', columns: [], problem, remedy };
}
