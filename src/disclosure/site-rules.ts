import type { DisclosureTerms } from '../study/study.ts';

/** Rules that a site keeps for itself, beside those of every study. */
export interface SiteRules extends DisclosureTerms {
  /** Whether formulas may compare columns with values: I(age > 65). They may unless forbidden. */
  readonly comparisons?: 'forbid';
}
