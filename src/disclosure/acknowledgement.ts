import type { Audit, RuleId } from './rule.ts';

/** What a person acknowledges: the warning of a rule, or that no rule has checked the contribution. */
export type Acknowledgement = RuleId | 'none';

/** What must be acknowledged before a contribution with this audit may leave; without an audit there were no rules. */
export function toAcknowledge(audit: Audit | undefined): Acknowledgement[] {
  if (audit === undefined) return ['none'];
  return audit.rules.flatMap(({ rule, outcome }) =>
    outcome === 'warn' || outcome === 'not-judged' ? [rule] : [],
  );
}
