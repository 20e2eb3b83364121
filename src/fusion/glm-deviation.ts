import type { Fit } from '../model/fit.ts';
import { crossProducts } from '../solve/normal-equations.ts';
import { priorSum } from './glm-correction.ts';
import { referenceCoefficients } from './glm-rows.ts';

/**
 * How far one round may be from the pooled regression, in standard errors of the worst coefficient. The
 * error of an expansion is of third order: ½ Σ W′(xᵀδ)² x over a site's rows, δ from its own optimum
 * to the answer. With W′ about φW and xᵀδ about √(q/ΣW), its length in standard errors is about
 * ½φ q/√ΣW, and of all sites together ½φ Q/√ΣW, where Q is Cochran's Q of the sites. What Q has beyond chance, which
 * gives one for each of the sites' `directions`, counts half again as much. The correction that was made is added: a bound
 * in 99 % of simulated studies (docs/mathematics-glm.md).
 */
export function oneRoundDistance(
  plain: Fit,
  corrected: Fit,
  directions: number | undefined,
): number {
  const { equations, models } = plain;
  const { residualSumOfSquares: spread, terms } = models[0];
  // The site's prior moves its own optimum by about this, squared, in standard errors.
  const shift = terms.length ** 2 / (4 * equations.weightSum);
  const leftOut = (squared: number) => skewness(plain) * remainder(plain, squared + shift);
  if (directions === undefined) return UNCORRECTED * leftOut(spread);
  const excess = Math.max(0, spread - directions);
  return leftOut(spread + excess / 2) + movedBy(plain, corrected);
}

/** How much farther a round may be off whose sites did not send what their expansions leave out. */
const UNCORRECTED = 2;

/** Largest difference between the coefficients of two fits of the same information, in standard errors. */
function movedBy({ models: [from] }: Fit, { models: [to] }: Fit): number {
  return to.terms.reduce((most, _, k) => {
    const moved = Math.abs(to.estimates[k] - from.estimates[k]);
    return Math.max(most, moved / Math.sqrt(to.unscaledVariances[k]));
  }, 0);
}

/**
 * The same after a Newton step from a common start, where δ is the step and nothing cancels between sites: ½δᵀHδ times the
 * longest xᵀv of a direction v of unit standard error, 1.5 √(p/ΣW) at most in nearly all designs. And δᵀHδ itself.
 */
export function newtonDistance(
  fit: Fit,
  at: Readonly<Record<string, number>>,
): { readonly distance: number; readonly squaredStep: number } {
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
  const squaredStep = Math.max(squared * (layout.weightScale ?? 1) ** 2, 0);
  const distance = LONGEST * Math.sqrt(models[0].terms.length) * remainder(fit, squaredStep);
  return { distance, squaredStep };
}

/** Times √(p/ΣW): the longest xᵀv of a row. */
const LONGEST = 1.5;

/** ½q/√ΣW: the third-order part over a distance δ with δᵀHδ = q, in standard errors. */
function remainder({ equations }: Fit, squaredDistance: number): number {
  return Math.max(squaredDistance, 0) / (2 * Math.sqrt(equations.weightSum));
}

/** Where all probabilities are near ½ the third order cancels, but the fourth does not. */
const LEAST_SKEW = 0.5;

/** φ = |W′/W|: 1 for Poisson, |1 − 2μ| for logistic regression, from the mean of μ(1 − μ). */
function skewness({ equations: { layout, weightSum }, total }: Fit): number {
  if (layout.family === 'poisson') return 1;
  const mean = weightSum / priorSum(total);
  return Math.max(LEAST_SKEW, Math.sqrt(Math.max(0, 1 - 4 * mean)));
}
