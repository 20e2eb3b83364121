import { symmetricEigen } from '../numeric/eigen.ts';
import { reproducibleKernels } from '../numeric/kernels.ts';
import { type NoisyMoments, type SpectralFilter, withoutRounding } from './denoise.ts';

/**
 * The simple choice: eigenvalues below 0 become 0, and the ridge is λ = σ + σ_G·√(d/2), half the edge of the noise's
 * spectrum. An exact gram is inverted where it can be.
 */
export function ridgeFilter(
  noisy: NoisyMoments,
  { ridge = 0 }: { readonly ridge?: number } = {},
): SpectralFilter {
  const edge = noisy.sigmaGram * Math.sqrt(noisy.moment.length / 2);
  return clippedFilter(noisy, () => ridge + edge);
}

/** 1/(max(g, 0) + λ), where λ may look at the eigenvalues; 0 where both are. */
export function clippedFilter(
  { gram, moment, sigmaGram }: NoisyMoments,
  ridgeOf: (values: Float64Array) => number,
): SpectralFilter {
  const { values, vectors } = symmetricEigen(reproducibleKernels(), gram, moment.length);
  const cleaned = sigmaGram === 0 ? withoutRounding(values) : values.map((g) => Math.max(g, 0));
  const ridge = ridgeOf(values);
  const filter = cleaned.map((g) => (g + ridge > 0 ? 1 / (g + ridge) : 0));
  return { vectors, values, cleaned, filter };
}
