import { cholesky } from '../numeric/cholesky.ts';
import { reproducibleKernels } from '../numeric/kernels.ts';
import { sandwiched, spectrumOf, times, transposed } from './symmetric-matrix.ts';

/** Input of the error bound: the Gram matrix, the penalty on every coefficient, and the noise. */
export interface CoverageQuestion {
  /** G = AᵀA, row-major. */
  readonly gram: Float64Array;
  /** The diagonal of P. */
  readonly penalties: ArrayLike<number>;
  /** Standard deviation of the noise in the response. */
  readonly noise: number;
  /** Probability with which the bound holds. */
  readonly confidence: number;
}

/** ‖w − w*‖ ≤ bias·‖w*‖ + noise. */
export interface CoverageBound {
  readonly bias: number;
  readonly noise: number;
}

/**
 * Bounds the error of (G + P)⁻¹h for h = G w* + Aᵀε (mathematics §7): the bias is ‖(G + P)⁻¹P‖ of ‖w*‖, for P = σI
 * σ/(λmin + σ), attained in the least covered direction, and 1 where no site covers it; the noise is Gaussian, of
 * covariance (G + P)⁻¹G(G + P)⁻¹. Undefined where a direction has neither rows nor penalty.
 */
export function coverageBound({
  gram,
  penalties,
  noise,
  confidence,
}: CoverageQuestion): CoverageBound | undefined {
  const width = penalties.length;
  const shrunk = gram.slice();
  for (let i = 0; i < width; i++) shrunk[i * (width + 1)] += penalties[i];
  const outcome = cholesky(reproducibleKernels(), shrunk, width);
  if ('indefiniteAt' in outcome) return undefined;
  const inverse = outcome.factor.inverse();
  const variances = spectrumOf(sandwiched(inverse, gram, width), width);
  const pulled = inverse.map((value, at) => value * penalties[at % width]);
  const squared = times(transposed(pulled, width), pulled, width);
  const bias = Math.sqrt(spectrumOf(squared, width)[width - 1]);
  return { bias, noise: noise * gaussianNorm(variances, confidence) };
}

/**
 * The length a Gaussian vector with these variances exceeds with probability at most 1 − confidence:
 * √(tr Σ + 2√(t·tr Σ²) + 2t‖Σ‖), t = −ln(1 − confidence) (Laurent & Massart 2000, Lemma 1).
 */
export function gaussianNorm(variances: Iterable<number>, confidence: number): number {
  if (!(confidence > 0 && confidence < 1)) {
    throw new RangeError(`confidence must be in (0, 1): ${confidence}`);
  }
  const t = -Math.log1p(-confidence);
  let [trace, squares, largest] = [0, 0, 0];
  for (const value of variances) {
    trace += value;
    squares += value * value;
    largest = Math.max(largest, value);
  }
  return Math.sqrt(trace + 2 * Math.sqrt(t * squares) + 2 * t * largest);
}
