import type { DisclosureTerms, DisclosureThresholds } from '../study/study.ts';
import { type Standard, standardOf, stricter } from './profile.ts';
import { type Audit, auditOf, type Finding, type RuleId, type Verdict } from './rule.ts';

/** The rule that asks about each limit. The privacy budget has a limit of the site's own, which no study lifts. */
const ruleOfLimit: Readonly<Record<Exclude<keyof DisclosureThresholds, 'epsilon'>, RuleId>> = {
  rows: 'R0',
  columnShare: 'R1',
  freedom: 'R2',
  cell: 'R3',
  dominance: 'R5',
  influence: 'R6',
  noticeableLeverage: 'R6',
  oneLevel: 'R7',
  wholeRows: 'R8',
  difference: 'R9',
};

/** The audit, with a warning for every limit that the study has made laxer than its profile and the site has not tightened. */
export function warnOfLaxLimits(
  audit: Audit,
  { profile = 'default' }: DisclosureTerms,
  { thresholds }: Standard,
): Audit {
  if (profile === 'none') return audit;
  const usual = standardOf({ profile }).thresholds;
  const both = stricter(thresholds, usual);
  const lax = Object.entries(ruleOfLimit).flatMap(([key, rule]): Verdict[] => {
    const limit = key as keyof typeof ruleOfLimit;
    const [own, line] = [String(thresholds[limit]), String(usual[limit])];
    if (own === String(both[limit])) return [];
    return [
      {
        rule,
        level: 'warn',
        columns: [],
        problem: `the study’s own limit is laxer than that of its profile: ${limit} ${own} (${profile} ${line})`,
        remedy: 'acknowledge it, or ask for the limits of a profile',
      },
    ];
  });
  if (lax.length === 0) return audit;
  const found = audit.rules.map(({ rule, outcome, verdicts, note }): [RuleId, Finding] => [
    rule,
    {
      verdicts:
        outcome === 'not-applicable'
          ? undefined
          : [...verdicts, ...lax.filter((verdict) => verdict.rule === rule)],
      ...(note === undefined ? {} : { note }),
      ...(outcome === 'not-judged' && note !== undefined ? { unjudged: note } : {}),
    },
  ]);
  return auditOf(audit.profile, Object.fromEntries(found) as Record<RuleId, Finding>);
}
