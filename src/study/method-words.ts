import {
  type EstimateFusion,
  type Fusion,
  isGlm,
  type RidgeFusion,
  type RidgeRule,
} from './study.ts';

const rules: Readonly<Record<RidgeRule, string>> = {
  gcv: 'GCV',
  'leave-one-site-out': 'leaving out one site at a time',
  'k-fold': 'leaving out groups of sites',
  'marginal-likelihood': 'marginal likelihood',
};

/** What a rule is called in a sentence: "chosen by …". */
export function ruleWords(rule: string): string {
  return rules[rule as RidgeRule] ?? rule;
}

/** How a study learns, in plain words. */
export function methodWords(fusion: Fusion): string {
  if (fusion.kind === 'ridge') return [linearWords(fusion), ...effectWords(fusion)].join(', ');
  if (!isGlm(fusion)) return estimateWords(fusion);
  const name = fusion.family === 'binomial' ? 'logistic' : 'Poisson';
  return fusion.at === undefined
    ? `${name} regression in one round, from each site’s own fit (close to pooling, not exact)`
    : `${name} regression, one Newton step from the coefficients of an earlier round`;
}

function estimateWords({ kind, ridge = 0 }: EstimateFusion): string {
  const own = linearWords({ kind: 'ridge', ridge });
  const weights = kind === 'average' ? 'averaged by rows' : 'combined with FESC weights';
  return `each site’s own ${own}, ${weights} (not the pooled fit)`;
}

function linearWords({ ridge, lasso }: RidgeFusion): string {
  if (lasso !== undefined) {
    const name = (lasso.mix ?? 1) === 1 ? 'lasso' : `elastic net of mix ${lasso.mix}`;
    return `${name}, penalty ${penaltyWords(lasso.lambda)}`;
  }
  return ridge === 0 ? 'least squares' : `ridge regression, penalty ${penaltyWords(ridge)}`;
}

function penaltyWords(penalty: number | RidgeRule): string {
  return typeof penalty === 'number' ? String(penalty) : `chosen by ${ruleWords(penalty)}`;
}

function effectWords({ siteEffects, errors }: RidgeFusion): string[] {
  return [
    ...(siteEffects === undefined
      ? []
      : [`${siteEffects === 'fixed' ? 'an intercept' : 'a random intercept'} for each site`]),
    ...(errors === 'clustered' ? ['standard errors robust to correlation within sites'] : []),
  ];
}
