/** What an error bound takes: the spectrum of the Gram, the penalty on every direction, and the noise. */
export interface CoverageQuestion {
  /** Eigenvalues of G = AᵀA. */
  readonly eigenvalues: ArrayLike<number>;
  readonly ridge: number;
  /** Standard deviation of the noise in the response. */
  readonly noise: number;
  /** Probability with which the bound shall hold. */
  readonly confidence: number;
}

/** ‖w − w*‖ ≤ bias·‖w*‖ + noise. */
export interface CoverageBound {
  readonly bias: number;
  readonly noise: number;
}

/**
 * Bounds the error of (G + σI)⁻¹h for h = G w* + Aᵀε (mathematics §7): the bias is σ/(λmin + σ) of ‖w*‖, attained in the
 * direction covered least, and 1 where nobody covers it; the noise is Gaussian, of covariance (G + σI)⁻¹G(G + σI)⁻¹.
 */
export function coverageBound({
  eigenvalues,
  ridge,
  noise,
  confidence,
}: CoverageQuestion): CoverageBound {
  if (!(ridge >= 0)) throw new RangeError(`ridge must not be negative: ${ridge}`);
  const spectrum = Array.from(eigenvalues, (value) => Math.max(0, value));
  const least = Math.min(...spectrum);
  const variances = spectrum.map((value) => (value > 0 ? value / (value + ridge) ** 2 : 0));
  const bias = least === 0 ? 1 : ridge / (least + ridge);
  return { bias, noise: noise * gaussianNorm(variances, confidence) };
}

/**
 * The length a Gaussian vector with these variances exceeds with probability at most 1 − confidence:
 * √(tr Σ + 2√(t·tr Σ²) + 2t‖Σ‖), t = −ln(1 − confidence) (Laurent & Massart 2000, Lemma 1).
 */
export function gaussianNorm(variances: readonly number[], confidence: number): number {
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
