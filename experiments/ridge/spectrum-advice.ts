import { symmetricEigenvalues } from '../../src/numeric/eigen.ts';
import { reproducibleKernels } from '../../src/numeric/kernels.ts';
import { clientOf } from '../baselines/client.ts';
import { pooled } from '../privacy/trial.ts';
import type { Rows } from './generator.ts';

/** Eigenvalues of AᵀA/n, ascending: what a coordinator can compute from the total. */
export function spectrumOf(sites: readonly Rows[]): Float64Array {
  const kernels = reproducibleKernels();
  const { gram, moments, count } = clientOf(kernels, pooled(sites));
  const values = symmetricEigenvalues(kernels, gram, moments.length);
  return values.map((value) => Math.max(0, value) / count);
}

/**
 * The share of the features' variance that a random projection to m columns leaves out, by the spectrum alone: κm/Σλ, κ from
 * Σ λ/(λ + κ) = m (what a Gaussian sketch costs on average; Dereziński et al. 2020). Of equal λ it is 1 − m/d.
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

/** The fewest columns that leave out at most this share; all of them where no fewer do. */
export function advisedDimension(spectrum: Float64Array, share: number): number {
  let [low, high] = [0, spectrum.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (leftOutShare(spectrum, middle) <= share) high = middle;
    else low = middle;
  }
  return high;
}
