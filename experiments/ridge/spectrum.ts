import { symmetricEigenvalues } from '../../src/numeric/eigen.ts';
import { reproducibleKernels } from '../../src/numeric/kernels.ts';
import { baselineClient } from '../baselines/client.ts';
import type { Rows } from '../data/generator.ts';
import { pooled } from '../privacy/trial.ts';

/** Eigenvalues of AᵀA/n, ascending; a coordinator can compute them from the total. */
export function siteSpectrum(sites: readonly Rows[]): Float64Array {
  const kernels = reproducibleKernels();
  const { gram, moments, count } = baselineClient(kernels, pooled(sites));
  const values = symmetricEigenvalues(kernels, gram, moments.length);
  return values.map((value) => Math.max(0, value) / count);
}

/**
 * The share of the features' variance that a random projection to m columns leaves out, by the spectrum alone: κm/Σλ, κ from
 * Σ λ/(λ + κ) = m (the average cost of a Gaussian sketch; Dereziński et al. 2020). For equal λ it is 1 − m/d.
 */
export function leftOutShare(spectrum: Float64Array, dimension: number): number {
  if (dimension >= spectrum.length) return 0;
  const whole = spectrum.reduce((sum, value) => sum + value, 0);
  const kept = (kappa: number) => spectrum.reduce((sum, value) => sum + value / (value + kappa), 0);
  // κm is at most the whole, and Σ λ/(λ + κ) falls as κ grows: halve the interval.
  let [low, high] = [0, whole / dimension];
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (kept(middle) > dimension) low = middle;
    else high = middle;
  }
  return (high * dimension) / whole;
}

/** The fewest columns that leave out at most this share; all columns if fewer are not enough. */
export function advisedDimension(spectrum: Float64Array, share: number): number {
  let [low, high] = [0, spectrum.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (leftOutShare(spectrum, middle) <= share) high = middle;
    else low = middle;
  }
  return high;
}
