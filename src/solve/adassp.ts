import type { NoisyMoments, SpectralFilter } from './denoise.ts';
import { clippedFilter } from './denoise-ridge.ts';

/** Probability with which Wang's bound on the noise may fail. */
const FAILURE = 0.05;

/**
 * AdaSSP's rule (Wang 2018, Algorithm 2) as a comparator: λ = max(σ, σ_G·√(d·ln(2d²/ρ)) − λ_min), ρ = 0.05. His third
 * of the budget for λ_min is not spent: λ_min is read off the noisy gram, and σ_G is that of the joint release.
 */
export function adasspFilter(
  noisy: NoisyMoments,
  { ridge = 0 }: { readonly ridge?: number } = {},
): SpectralFilter {
  const d = noisy.moment.length;
  const bound = noisy.sigmaGram * Math.sqrt(d * Math.log((2 * d * d) / FAILURE));
  return clippedFilter(noisy, (values) => Math.max(ridge, bound - Math.max(values[0]!, 0)));
}
