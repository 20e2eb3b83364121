import { ruleText } from '../study/rule-text.ts';
import type { RidgeFusion, RidgeRule } from '../study/study.ts';

/** How a linear regression learns, in plain words. */
export function ridgeText(fusion: RidgeFusion): string {
  return [penaltyText(fusion), ...effectText(fusion)].join(', ');
}

/** The regression by its penalty: "least squares", "ridge regression, penalty 1". */
export function penaltyText({ ridge, lasso }: Pick<RidgeFusion, 'ridge' | 'lasso'>): string {
  if (lasso !== undefined) {
    const name = (lasso.mix ?? 1) === 1 ? 'lasso' : `elastic net of mix ${lasso.mix}`;
    return `${name}, penalty ${sizeText(lasso.lambda)}`;
  }
  return ridge === 0 ? 'least squares' : `ridge regression, penalty ${sizeText(ridge)}`;
}

function sizeText(penalty: number | RidgeRule): string {
  return typeof penalty === 'number' ? String(penalty) : `chosen by ${ruleText(penalty)}`;
}

function effectText({ siteEffects, errors }: RidgeFusion): string[] {
  return [
    ...(siteEffects === undefined
      ? []
      : [`${siteEffects === 'fixed' ? 'an intercept' : 'a random intercept'} for each site`]),
    ...(errors === 'clustered' ? ['standard errors robust to correlation within sites'] : []),
  ];
}
