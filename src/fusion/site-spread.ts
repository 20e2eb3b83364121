import type { Estimate } from '../statistic/estimate.ts';

/** Fewest sites whose spread is informative. */
const FEWEST_SITES = 3;

/**
 * Covariance of θ̂ = Σ wᵢθᵢ from the spread of the sites: Σ wᵢ²/(1 − wᵢ)·(θᵢ − θ̂)(θᵢ − θ̂)ᵀ, which is HC2 of a
 * weighted mean, unbiased if a site's variance is inversely proportional to its weight; and the degrees of freedom of t
 * (Bell & McCaffrey 2002), K − 1 for equal weights. Undefined with fewer than three sites of positive weight.
 */
export function siteSpread(
  estimates: readonly Estimate[],
  weights: Float64Array,
  average: Float64Array,
): { readonly covariance: Float64Array; readonly freedom: number } | undefined {
  const width = average.length;
  const weighted = [...weights.keys()].filter((site) => weights[site] > 0);
  if (weighted.length < FEWEST_SITES) return undefined;
  const covariance = new Float64Array(width * width);
  const sums = { squares: 0, cross: 0, own: 0 };
  for (const site of weighted) {
    const weight = weights[site];
    const lever = weight / (1 - weight);
    sums.squares += weight ** 2;
    sums.cross += lever * weight;
    sums.own += (lever * weight) ** 2;
    const away = estimates[site].coefficients.map((value, k) => value - average[k]);
    for (let i = 0; i < width; i++) {
      for (let j = 0; j < width; j++) {
        covariance[i * width + j] += weight * lever * away[i] * away[j];
      }
    }
  }
  return { covariance, freedom: 1 / (sums.squares + sums.cross ** 2 - sums.own) };
}
