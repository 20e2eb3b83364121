import { symmetricEigen } from '../numeric/eigen.ts';
import { reproducibleKernels } from '../numeric/kernels.ts';

/** Σ ã ãᵀ and Σ ã b̃ over rows of length 1, each with Gaussian noise of known SD; 0 if exact. */
export interface NoisyMoments {
  /** d × d, row-major. */
  readonly gram: Float64Array;
  readonly moment: Float64Array;
  /** Number of rows, noisy or public. */
  readonly rows: number;
  /** SD of the noise on a diagonal entry of the gram; off the diagonal it is smaller by √2. */
  readonly sigmaGram: number;
  readonly sigmaMoment: number;
}

/** A linear map V diag(φ) Vᵀ in place of the inverse of a noisy gram. */
export interface SpectralFilter {
  /** Row-major d × d; column j belongs to value j. */
  readonly vectors: Float64Array;
  /** Eigenvalues of the noisy gram, ascending. */
  readonly values: Float64Array;
  /** The estimate of vᵀ G v without the noise. */
  readonly cleaned: Float64Array;
  /** φ, one for each eigenvalue. */
  readonly filter: Float64Array;
}

export interface CleanerOptions {
  /** σ of the ridge, in units of scaled rows. */
  readonly ridge?: number;
  /** Extra ridge, in units of the noise's spectral radius over 2. */
  readonly alpha?: number;
}

/** No cleaned eigenvalue is below this share of the mean one. */
const FLOOR = 1e-3;

/**
 * The filter of the optimal rotation-invariant cleaner of a matrix under GOE noise (Bun, Allez, Bouchaud & Potters
 * 2016), with the second moment of the overlaps and the noise of the moments in its denominator; without noise it is
 * 1/(g + σ).
 */
export function cleanedFilter(noisy: NoisyMoments, options: CleanerOptions = {}): SpectralFilter {
  const { ridge = 0, alpha = 0.1 } = options;
  const { gram, moment, rows, sigmaGram, sigmaMoment } = noisy;
  const d = moment.length;
  const { values, vectors } = symmetricEigen(reproducibleKernels(), gram, d);
  const spread = (d * sigmaGram ** 2) / 2;
  const mean = Math.max(rows, 1) / d;
  const { first, second } = overlaps(values, spread, mean);
  const noise = d * sigmaMoment ** 2;
  const square = Math.max(
    values.reduce((sum, g) => sum + g * g, 0) / d - spread * (1 + 1 / d),
    mean ** 2,
  );
  const length = moment.reduce((sum, h) => sum + h * h, 0);
  const size = Math.max(length - noise, 0.05 * noise) / square;
  const doubt = noise === 0 ? 0 : noise / size;
  const penalty = ridge + alpha * Math.sqrt(spread);
  const filter = first.map((xi, i) => {
    const below = second[i]! + penalty * xi + doubt;
    return below > 0 ? xi / below : 0;
  });
  return { vectors, values, cleaned: first, filter };
}

/** Expected vᵀGv and vᵀG²v for each noisy eigenvector v; without noise, the eigenvalue and its square. */
function overlaps(
  values: Float64Array,
  spread: number,
  mean: number,
): { readonly first: Float64Array; readonly second: Float64Array } {
  if (spread === 0) {
    const kept = withoutRounding(values);
    return { first: kept, second: kept.map((g) => g * g) };
  }
  const d = values.length;
  const first = new Float64Array(d);
  const second = new Float64Array(d);
  const width = Math.sqrt(spread) * Math.min(0.3, 2 / Math.sqrt(d));
  values.forEach((g, i) => {
    // S = mean of 1/(z − g_j) at z = g − i·width, and Z = z − spread·S.
    let real = 0;
    let imaginary = 0;
    for (const other of values) {
      const gap = g - other;
      const below = gap * gap + width * width;
      real += gap / below;
      imaginary += width / below;
    }
    real /= d;
    imaginary /= d;
    const x = g - spread * real;
    const y = -width - spread * imaginary;
    const xi = (x * imaginary + y * real) / imaginary;
    const xi2 = ((x * x - y * y) * imaginary + 2 * x * y * real - y) / imaginary;
    first[i] = Math.max(xi, FLOOR * mean);
    second[i] = Math.max(xi2, first[i]! ** 2);
  });
  return { first, second };
}

/** With collinear columns, truncation to a grid of 2⁻¹⁶ leaves eigenvalues up to this share of their sum. */
const TRUNCATION = 2 ** -30;

/** Eigenvalues of an exact gram, with 0 for those that are only rounding of its rows. */
function withoutRounding(values: Float64Array): Float64Array {
  const size = values.reduce((sum, g) => sum + Math.abs(g), 0);
  return values.map((g) => (g > TRUNCATION * size ? g : 0));
}

/** V diag(φ) Vᵀ v. */
export function applied({ vectors, filter }: SpectralFilter, vector: Float64Array): Float64Array {
  const d = filter.length;
  const inside = turned(vectors, vector).map((part, i) => part * filter[i]!);
  return Float64Array.from(vector, (_, r) => {
    let sum = 0;
    for (let i = 0; i < d; i++) sum += vectors[r * d + i]! * inside[i]!;
    return sum;
  });
}

/** Vᵀ v: a vector in terms of the eigenvectors. */
export function turned(vectors: Float64Array, vector: Float64Array): Float64Array {
  const d = vector.length;
  const parts = new Float64Array(d);
  for (let r = 0; r < d; r++) {
    const value = vector[r]!;
    for (let i = 0; i < d; i++) parts[i]! += vectors[r * d + i]! * value;
  }
  return parts;
}

/**
 * The simple filter: eigenvalues below 0 become 0, and the ridge is λ = σ + σ_G·√(d/2), half the edge of the noise's
 * spectrum. An exact gram is inverted if possible.
 */
export function ridgeFilter(
  noisy: NoisyMoments,
  { ridge = 0 }: { readonly ridge?: number } = {},
): SpectralFilter {
  const edge = noisy.sigmaGram * Math.sqrt(noisy.moment.length / 2);
  return clippedFilter(noisy, () => ridge + edge);
}

/** 1/(max(g, 0) + λ), where λ may depend on the eigenvalues; 0 if both are 0. */
function clippedFilter(
  { gram, moment, sigmaGram }: NoisyMoments,
  ridgeOf: (values: Float64Array) => number,
): SpectralFilter {
  const { values, vectors } = symmetricEigen(reproducibleKernels(), gram, moment.length);
  const cleaned = sigmaGram === 0 ? withoutRounding(values) : values.map((g) => Math.max(g, 0));
  const ridge = ridgeOf(values);
  const filter = cleaned.map((g) => (g + ridge > 0 ? 1 / (g + ridge) : 0));
  return { vectors, values, cleaned, filter };
}

/** Probability with which Wang's bound on the noise may fail. */
const FAILURE = 0.05;

/**
 * AdaSSP's rule (Wang 2018, Algorithm 2) as a comparator: λ = max(σ, σ_G·√(d·ln(2d²/ρ)) − λ_min), ρ = 0.05. Wang spends
 * a third of the budget on λ_min; here λ_min comes from the noisy gram, and σ_G is that of the joint release.
 */
export function adasspFilter(
  noisy: NoisyMoments,
  { ridge = 0 }: { readonly ridge?: number } = {},
): SpectralFilter {
  const d = noisy.moment.length;
  const bound = noisy.sigmaGram * Math.sqrt(d * Math.log((2 * d * d) / FAILURE));
  return clippedFilter(noisy, (values) => Math.max(ridge, bound - Math.max(values[0]!, 0)));
}
