import type { RidgeRule } from './study.ts';

const rules: Readonly<Record<RidgeRule, string>> = {
  gcv: 'GCV',
  'leave-one-site-out': 'leaving out one site at a time',
  'k-fold': 'leaving out groups of sites',
  'marginal-likelihood': 'marginal likelihood',
};

/** The name of a rule in a sentence: "chosen by …". */
export function ruleText(rule: string): string {
  return rules[rule as RidgeRule] ?? rule;
}
