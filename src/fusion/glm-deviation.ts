import type { Fit } from '../model/fit.ts';
import { crossProducts } from '../solve/normal-equations.ts';
import { referenceCoefficients } from './glm-rows.ts';

/**
 * How far one round may be from the pooled regression, in standard errors of the worst coefficient. The
 * error of an expansion is of third order: ½ Σ W′(xᵀδ)² x over a site's rows, δ from its own optimum
 * to the answer. With W′ about φW and xᵀδ about √(q/ΣW), its length in standard errors is about
 * ½φ q/√ΣW, and of all sites together ½φ Q/√ΣW, where Q is Cochran's Q of the sites.
 * In simulations (docs/mathematics-glm.md) this is above the measured distance nine times in ten; the
 * median factor is 1.3 for Poisson and 2.4 for logistic regression.
 */
export function oneRoundDeviation(fit: Fit): number {
  const { equations, models } = fit;
  // The site's prior moves its own optimum by about this, squared, in standard errors.
  const shift = models[0].terms.length ** 2 / (4 * equations.weightSum);
  return skewness(fit) * remainder(fit, models[0].residualSumOfSquares + shift);
}

/** The same after a Newton step from a common start: δ is the step, and nothing cancels between sites, so φ is 1. */
export function newtonDeviation(fit: Fit, at: Readonly<Record<string, number>>): number {
  const { total, models, aliased } = fit;
  const { layout } = total;
  const reached = Object.fromEntries([
    ...aliased.map((term) => [term, at[term]] as const),
    ...models[0].terms.map((term, k) => [term, models[0].estimates[k]] as const),
  ]);
  const from = referenceCoefficients(layout, at);
  const step = referenceCoefficients(layout, reached).map((b, j) => b - from[j]);
  const matrix = crossProducts(total);
  let squared = 0;
  step.forEach((a, i) => {
    step.forEach((b, j) => {
      squared += a * b * matrix.hi[i * matrix.width + j];
    });
  });
  return remainder(fit, squared * (layout.weightScale ?? 1) ** 2);
}

/** ½q/√ΣW: the third-order part over a distance δ with δᵀHδ = q, in standard errors. */
function remainder({ equations }: Fit, squaredDistance: number): number {
  return Math.max(squaredDistance, 0) / (2 * Math.sqrt(equations.weightSum));
}

/** Where all probabilities are near ½ the third order cancels, but the fourth does not. */
const LEAST_SKEW = 0.5;

/** φ = |W′/W|: 1 for Poisson, |1 − 2μ| for logistic regression, from the mean of μ(1 − μ). */
function skewness({ equations: { layout, weightSum, rows } }: Fit): number {
  if (layout.family === 'poisson') return 1;
  return Math.max(LEAST_SKEW, Math.sqrt(Math.max(0, 1 - (4 * weightSum) / rows)));
}
