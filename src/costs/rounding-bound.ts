import { symmetricEigenvalues } from '../numeric/eigen.ts';
import type { Kernels } from '../numeric/kernels.ts';
import type { SampleFit } from './sample-fit.ts';
import type { SampleMoments } from './sample-moments.ts';

/** Centring a rounded sum adds at most this many of its errors: |u| ≤ 1 (docs/costs.md). */
const CENTRED = 4;

/**
 * A bound on the excess of the residual sum of squares, as a share of it, where every entry of the total is wrong by at most
 * `error` in the units of the frames, and all rows are like the sample's: (δ(1 + ‖w‖₁))²·Σ1/Gᵢᵢ / (λ(1 − η)²), η = δΣ1/Gᵢᵢ/λ, λ the
 * smallest eigenvalue of the columns' correlations. Infinite where there is no bound.
 */
export function roundingBound(
  kernels: Kernels,
  sample: SampleMoments,
  exact: SampleFit,
  rows: number,
  error: number,
): number {
  const { covariance, cross, variances, predictors, responses } = sample;
  const d = predictors.length;
  const spread = (i: number) => covariance[i * d + i];
  if (predictors.some((_, i) => !(spread(i) > 0))) return Number.POSITIVE_INFINITY;
  const correlations = covariance.map((entry, at) => {
    return entry / Math.sqrt(spread(Math.floor(at / d)) * spread(at % d));
  });
  const smallest = symmetricEigenvalues(kernels, correlations, d)[0];
  const perFrame = predictors.map(
    ({ reference, publicUnit }) => publicUnit.scale / reference.scale,
  );
  const inverse = perFrame.reduce((sum, f, i) => sum + 1 / (rows * spread(i) * f * f), 0);
  const delta = CENTRED * error;
  const eta = (delta * inverse) / smallest;
  if (!(smallest > 1e-12) || !(eta < 1)) return Number.POSITIVE_INFINITY;
  const bounds = responses.map(({ reference, publicUnit }, r) => {
    const unit = publicUnit.scale / reference.scale;
    const w = exact.weights[r];
    const length = w.reduce((sum, value, i) => sum + Math.abs((value * unit) / perFrame[i]), 0);
    const explained = w.reduce((sum, value, i) => sum + value * cross[r][i], 0);
    const rest = rows * unit * unit * (variances[r] - explained);
    return ((delta * (1 + length)) ** 2 * inverse) / (smallest * (1 - eta) ** 2 * rest);
  });
  const worst = Math.max(...bounds);
  return worst >= 0 ? worst : Number.POSITIVE_INFINITY;
}
